/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_MIDDLEWARE_H
#define LARIO_MIDDLEWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "lario/export.h"
#include "lario/router.h"

LARIO_BEGIN_DECLS

/*
 * Middleware is a handler around other handlers, in straight-line code:
 *
 *     static int timed(lario_req *req)
 *     {
 *         uint64_t start = now_us();
 *         int rc = lario_next(req);            // the next middleware, at last the route
 *
 *         note(lario_path(req), now_us() - start);
 *         return rc;
 *     }
 *
 * It may add headers before, look at the result after, or answer itself and not call lario_next().
 * It runs for every request whose path is `prefix` or lies below it, also where no route is found;
 * the first that was added is the outermost. It returns what lario_next() returned, unless it knows
 * better: a negative value is answered as for any handler.
 *
 * The functions are set-up calls, as those of lario/router.h: failures are kept for the start.
 */

/* `prefix` starts with '/' and is compared segment by segment with the decoded path; "/" is all. */
LARIO_API void lario_use(lario_router *router, const char *prefix, lario_handler middleware);

/*
 * Runs what this middleware is around. From middleware, once; elsewhere LARIO_ESTATE. Parks as
 * those handlers do.
 */
LARIO_API LARIO_MUST_USE int lario_next(lario_req *req);

/* ---- Headers against what browsers would otherwise do ---- */

typedef struct lario_security_headers {
    bool no_sniff;                     /* X-Content-Type-Options: nosniff */
    const char *frame_options;         /* X-Frame-Options; NULL: none */
    const char *referrer_policy;       /* Referrer-Policy; NULL: none */
    const char *content_security;      /* Content-Security-Policy; NULL: none */
    uint32_t strict_transport_seconds; /* Strict-Transport-Security, sent by TLS only; 0: none */
    bool strict_transport_subdomains;
} lario_security_headers;

/* nosniff, DENY, strict-origin-when-cross-origin; no policy of content, no strict transport. */
#define LARIO_SECURITY_HEADERS_INIT                                                                \
    {                                                                                              \
        true, "DENY", "strict-origin-when-cross-origin", NULL, 0, false                            \
    }

/*
 * Adds them to every answer below `prefix`, also to error pages. `headers` NULL: the defaults; the
 * strings are kept, not copied.
 */
LARIO_API void lario_use_security_headers(lario_router *router, const char *prefix,
                                          const lario_security_headers *headers);

/* ---- Cross-origin requests (Fetch Standard 3.2) ---- */

typedef struct lario_cors {
    const char *const *origins; /* NULL-terminated, as "https://app.example.org"; or "*" alone */
    const char *methods; /* for preflights, as "GET, PUT"; NULL: what was asked for, and Vary */
    const char *headers; /* the same for request headers */
    const char *exposed; /* response headers that scripts may read; NULL: none */
    uint32_t max_age_seconds; /* how long a preflight may be remembered; 0: not said */
    bool has_credentials;     /* cookies and authorization may be sent; not with "*" */
} lario_cors;

/*
 * Lets scripts of those origins read the answers below `prefix`, and answers preflights (204). What
 * is not on the list gets no such header, so that browsers keep it from the script. All strings are
 * kept, not copied. "*" together with has_credentials fails the start (LARIO_EINVAL), as does an
 * empty list.
 */
LARIO_API void lario_use_cors(lario_router *router, const char *prefix, const lario_cors *cors);

LARIO_END_DECLS

#endif
