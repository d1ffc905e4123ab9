/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SESSION_H
#define LARIO_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "lario/cookie.h"
#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"
#include "lario/runtime.h"

LARIO_BEGIN_DECLS

/*
 * Sessions: values that belong to a browser, kept by the server. The browser has a cookie with 128
 * random bits that say nothing; it is HttpOnly and SameSite=Lax, and Secure behind TLS. The values
 * live in a process of their own, so that requests on all loops see the same ones, without a lock;
 * they are gone when the program ends.
 *
 * A session begins with the first value that is set, and ends when it was not used for a while. It
 * is bound to the cookie alone, never to an address. Give it a new id by lario_session_renew() when
 * the user logs in: an id that somebody else planted is worth nothing then.
 */
typedef struct lario_sessions {
    lario_pid store;
    const char *cookie;
    uint32_t idle_s;
} lario_sessions;

typedef struct lario_sessions_options {
    const char *cookie;         /* the cookie's name; kept, not copied */
    uint32_t idle_s;            /* without a request for so long it ends */
    uint32_t sessions_max;      /* at once; over it the one that was not used for longest ends */
    uint32_t session_bytes_max; /* all keys and values of one */
} lario_sessions_options;

#define LARIO_SESSIONS_OPTIONS_INIT                                                                \
    {                                                                                              \
        "session", 1800, 100000, 4096                                                              \
    }

/*
 * Starts the store on loop 0 of a running runtime and fills *ret_sessions, which must live as long
 * as requests use it; `options` NULL: the defaults. It ends with the runtime. From a thread outside
 * of the loops, such as in the set-up of an app.
 * Errors: LARIO_EINVAL (a limit of 0; a name of a cookie that is no token), LARIO_ENOMEM,
 * LARIO_ESTATE, LARIO_EFULL.
 */
LARIO_API LARIO_MUST_USE int lario_sessions_start(lario_runtime *runtime,
                                                  const lario_sessions_options *options,
                                                  lario_sessions *ret_sessions);

/*
 * The calls below are made from the request's process and park while the store answers. All of a
 * request use the same sessions. Errors of each: LARIO_ENOPROC (the store has ended), LARIO_ENOMEM,
 * LARIO_ECANCELED, LARIO_ETIMEDOUT (5 s).
 */

/* The value of `key`, owned by the request. LARIO_ENOTFOUND: there is none, or no session. */
LARIO_API LARIO_MUST_USE int lario_session_get(const lario_sessions *sessions, lario_req *req,
                                               const char *key, const char **ret_value);

/*
 * Sets the value of `key`, for all requests from now on; NULL takes it away. Without a session one
 * begins, and the answer gets its cookie: call it before the answer starts.
 * Errors: LARIO_ETOOBIG (session_bytes_max), LARIO_EINVAL (an empty key), those of
 * lario_set_cookie().
 */
LARIO_API LARIO_MUST_USE int lario_session_set(const lario_sessions *sessions, lario_req *req,
                                               const char *key, const char *value);

/* The session goes on under a new id, the old one is worth nothing. Does nothing without one. */
LARIO_API LARIO_MUST_USE int lario_session_renew(const lario_sessions *sessions, lario_req *req);

/* Ends the session and takes the cookie back. Does nothing without one. */
LARIO_API LARIO_MUST_USE int lario_session_end(const lario_sessions *sessions, lario_req *req);

LARIO_END_DECLS

#endif
