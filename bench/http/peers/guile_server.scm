;; SPDX-License-Identifier: BSD-3-Clause
;; The web server that comes with Guile, as its manual shows it: guile guile_server.scm PORT
(use-modules (web server))

(define (handler request body)
  (values '((content-type . (application/json)))
          "{\"message\":\"Hello, World!\"}"))

(run-server handler 'http
            `(#:port ,(string->number (cadr (command-line)))
              #:addr ,INADDR_LOOPBACK))
