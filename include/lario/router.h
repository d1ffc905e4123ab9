/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_ROUTER_H
#define LARIO_ROUTER_H

#include "lario/export.h"
#include "lario/http.h"

LARIO_BEGIN_DECLS

/*
 * Maps method and path to handlers. A pattern starts with '/'; a segment is text, `:name` (one
 * whole non-empty segment) or, as the last one, `*name` (the rest, which may be empty). Text wins
 * over `:name`, `:name` over `*name`, whatever the order of the calls. Matching works on the
 * decoded path segments: an encoded slash (%2F) does not part segments.
 *
 * HEAD is answered by the GET route unless it has its own. A path that has routes, but none for
 * the method, gives 405 with Allow; OPTIONS is answered with Allow (RFC 9110 9.3.7, 15.5.6).
 *
 * A pattern has at most 32 segments and 1,024 bytes; names are letters, digits, '_' and '-', and
 * differ within a pattern. A path that fits several patterns goes to the first that has the method.
 *
 * Routes are added before the server starts. The functions return nothing, so that a list of
 * routes reads as a list: the first failure (a bad or duplicate pattern, out of memory) is kept
 * and makes the start of the app fail with LARIO_EROUTE (LARIO_ENOMEM) and one line that names the
 * route. `method` and `pattern` are copied. A NULL `router` is ignored: making it has failed.
 */
typedef struct lario_router lario_router;

/* An app is the router at its root; see lario/app.h. */
typedef struct lario_router lario_app;

/* Requests of this method (case-sensitive) whose path fits the pattern go to `handler`. */
LARIO_API void lario_route(lario_router *router, const char *method, const char *pattern,
                           lario_handler handler);

/* The same for the method that the name says. */
LARIO_API void lario_get(lario_router *router, const char *pattern, lario_handler handler);
LARIO_API void lario_post(lario_router *router, const char *pattern, lario_handler handler);
LARIO_API void lario_put(lario_router *router, const char *pattern, lario_handler handler);
LARIO_API void lario_patch(lario_router *router, const char *pattern, lario_handler handler);
LARIO_API void lario_delete(lario_router *router, const char *pattern, lario_handler handler);

/* Every method that has no route of its own at this pattern. */
LARIO_API void lario_any(lario_router *router, const char *pattern, lario_handler handler);

/*
 * What a path means that fits no route, but would with a slash at its end, or without. The default
 * is LARIO_SLASH_STRICT: nothing, they are different paths.
 */
enum lario_slash {
    LARIO_SLASH_STRICT,
    LARIO_SLASH_REDIRECT, /* 308 to the path that fits; the query is kept */
    LARIO_SLASH_IGNORE,   /* the other path's route runs */
};

/* Sets the policy of this router; that of a host is its own. */
LARIO_API void lario_slashes(lario_router *router, enum lario_slash policy);

/*
 * The router for requests to `host` (Host or the target's authority, RFC 9112 3.2.2; its port and
 * the case of letters do not matter): "api.example.org", or "*.example.org" for all names below. An
 * exact name wins over a pattern, a longer pattern over a shorter one. What no host of the list
 * takes goes to `router` itself, whose middleware also runs around the host's. The router belongs
 * to `router` and is freed with it; the same host gives the same one. NULL when it could not be
 * made: the start will say so.
 */
LARIO_API lario_router *lario_host_router(lario_router *router, const char *host);

/*
 * Serves the files below the folder `dir` under the path `prefix`, for GET and HEAD: type by
 * extension, index.html for folders (a folder without its final slash is redirected), conditions
 * and ranges as in lario/file.h, 404 for what is not there, is no regular file, leads out of the
 * folder (also by a symbolic link) or has a segment that starts with a dot. A folder that cannot be
 * opened makes the start fail.
 */
LARIO_API void lario_static(lario_router *router, const char *prefix, const char *dir);

LARIO_END_DECLS

#endif
