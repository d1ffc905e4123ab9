/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HOOKS_H
#define LARIO_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#include "lario/export.h"
#include "lario/http.h"
#include "lario/router.h"

LARIO_BEGIN_DECLS

/*
 * Hooks: what a program may say about every answer of its server. All are set-up calls: before the
 * start, from one thread; later ones fail the start with LARIO_ESTATE. An app has one hook of a
 * kind, the last that was set; NULL takes it away. Hooks are called on the loops and must not park.
 */

/* ---- The pages of errors ---- */

/* An error that the server answers for the program: no route, a bad head, a handler that failed. */
typedef struct lario_error_info {
    lario_req *req;     /* NULL when what came never became a request */
    int status;         /* 400 to 599 */
    const char *title;  /* the reason phrase (RFC 9110 15) */
    const char *detail; /* what was wrong with the head, in words of the server; or NULL */
} lario_error_info;

/*
 * Writes the page into `buffer` (`size` bytes, 4,096), sets *ret_type to its Content-Type (static
 * storage, at most 200 bytes) and returns its length. With 0, more than `size` or without a type
 * the plain page is sent. It may read the request, but neither its body nor answer.
 */
typedef size_t (*lario_error_page_fn)(void *arg, const lario_error_info *info, char *buffer,
                                      size_t size, const char **ret_type);

/* Sets the hook; `arg` is handed to it. */
LARIO_API void lario_app_error_page(lario_app *app, lario_error_page_fn page, void *arg);

/*
 * A ready page for JSON APIs: application/problem+json with "type", "title", "status" and, where
 * there is one, "detail" (RFC 9457 3). `arg` is not used.
 */
LARIO_API size_t lario_error_page_json(void *arg, const lario_error_info *info, char *buffer,
                                       size_t size, const char **ret_type);

/* ---- Accesses ---- */

/* A request that has ended; the strings are valid during the call. */
typedef struct lario_access {
    lario_req *req;     /* NULL when what came never became a request: then see `client` only */
    int status;         /* of the answer; 101 for a WebSocket that ended; 0: none was sent */
    uint64_t bytes_in;  /* of the request's body that were read */
    uint64_t bytes_out; /* of the answer's body that were handed on */
    uint64_t
        duration_us;    /* from the complete head to the end of the handler; 0 without a request */
    const char *client; /* lario_client(), known also when the client has left */
} lario_access;

/* Called once for each request, in its process (or, without one, on the loop). */
typedef void (*lario_access_fn)(void *arg, const lario_access *access);

/* Sets the hook; `arg` is handed to it. */
LARIO_API void lario_app_access(lario_app *app, lario_access_fn access, void *arg);

/*
 * Writes the accesses to the file `path` (appended to, made with mode 0640) or, with "-", to
 * standard output, a line each in the combined log format:
 *
 *     192.0.2.7 - - [01/Dec/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 12 "referrer" "agent"
 *
 * Quotes, backslashes, control characters and bytes above 0x7e in what a client sent are written as
 * \xHH, and lines are cut at 4,096 bytes, so that nobody can forge one. No loop waits for the file:
 * each gathers lines and has them written by a worker, once a second or when 64 KiB are there. When
 * the file cannot keep up, lines are dropped and counted in a log record. SIGHUP is not needed for
 * rotation: copy and truncate, or use the hook itself.
 *
 * Failures are kept for lario_app_start(): the system's error when the file cannot be opened,
 * LARIO_ENOMEM.
 */
LARIO_API void lario_app_access_log(lario_app *app, const char *path);

LARIO_END_DECLS

#endif
