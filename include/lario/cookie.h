/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_COOKIE_H
#define LARIO_COOKIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/http.h"

LARIO_BEGIN_DECLS

/* Cookies (RFC 6265). A request with more than limits.cookies_max of them is answered with 400. */

/*
 * The value of the first cookie of this name (case-sensitive), as sent, without quotes around it;
 * NULL when there is none, or memory is out. From the request's process; the request owns it.
 */
LARIO_API const char *lario_cookie(lario_req *req, const char *name);

/* Cookie number `index`, from 0, in the order sent. LARIO_ENOTFOUND past the last; LARIO_ENOMEM. */
LARIO_API LARIO_MUST_USE int lario_cookie_at(lario_req *req, size_t index, const char **ret_name,
                                             const char **ret_value);

enum lario_same_site {
    LARIO_SAME_SITE_LAX, /* sent with requests from other sites only when a link is followed */
    LARIO_SAME_SITE_STRICT,
    LARIO_SAME_SITE_NONE, /* sent always; needs TLS */
};

typedef struct lario_cookie_options {
    const char *path;   /* NULL: "/" */
    const char *domain; /* NULL: this host only */
    int64_t max_age_s;  /* -1: until the browser ends; 0: delete it */
    enum lario_same_site same_site;
    bool is_for_scripts; /* without HttpOnly */
    bool is_secure;      /* Secure, whatever lario_scheme() says; it is set behind TLS anyway */
} lario_cookie_options;

/* Path "/", until the browser ends, SameSite=Lax, HttpOnly. */
#define LARIO_COOKIE_OPTIONS_INIT                                                                  \
    {                                                                                              \
        NULL, NULL, -1, LARIO_SAME_SITE_LAX, false, false                                          \
    }

/*
 * Adds a Set-Cookie field; `options` NULL: the defaults. Everything is copied.
 * Errors: LARIO_EHEADER (a name that is no token; a value with blanks, quotes, commas, semicolons,
 * backslashes, control characters or bytes that are not ASCII: encode them; SameSite=None without
 * TLS or is_secure; a __Host- or __Secure- name whose promise is not kept), LARIO_ETOOBIG (name and
 * value together over 4,096 bytes), and those of lario_add_header().
 */
LARIO_API LARIO_MUST_USE int lario_set_cookie(lario_req *req, const char *name, const char *value,
                                              const lario_cookie_options *options);

/* Asks the browser to forget the cookie; path and domain must be as they were when it was set. */
LARIO_API LARIO_MUST_USE int lario_delete_cookie(lario_req *req, const char *name,
                                                 const lario_cookie_options *options);

LARIO_END_DECLS

#endif
