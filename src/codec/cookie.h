/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_COOKIE_H
#define LARIO_CODEC_COOKIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The Cookie and Set-Cookie fields (RFC 6265). */

/*
 * Takes the next `name=value` off the front of *at (up to `end`), the value of a Cookie field, in
 * linear time. The value is as sent: quotes around it belong to it (RFC 6265 5.4). Pieces without
 * '=', with an empty name, or with one that is no token, are passed over. False at the end.
 */
bool lario_cookie_next(const char **at, const char *end, const char **ret_name,
                       size_t *ret_name_len, const char **ret_value, size_t *ret_value_len);

enum lario_set_cookie_site {
    LARIO_SET_COOKIE_UNSET, /* no SameSite attribute */
    LARIO_SET_COOKIE_LAX,
    LARIO_SET_COOKIE_STRICT,
    LARIO_SET_COOKIE_NONE,
};

typedef struct lario_set_cookie_text {
    const char *name;
    const char *value;
    const char *path;   /* NULL: none */
    const char *domain; /* NULL: none */
    int64_t max_age_s;  /* with has_max_age; 0 and less: delete */
    int64_t expires_s;  /* since 1970, with has_expires */
    bool has_max_age;
    bool has_expires;
    enum lario_set_cookie_site site;
    bool secure;
    bool http_only;
} lario_set_cookie_text;

/* The longest text of lario_set_cookie_write() but for name, value, path and domain. */
#define LARIO_SET_COOKIE_FRAME_BYTES 192

/* Name and value together (RFC 6265 6.1); browsers drop larger ones. Path and domain alone. */
#define LARIO_SET_COOKIE_BYTES_MAX 4096
#define LARIO_SET_COOKIE_ATTRIBUTE_BYTES_MAX 1024

/*
 * Whether it may be sent: 0, LARIO_ETOOBIG, or LARIO_EHEADER for a name that is no token; a value
 * with a control character, blank, quote inside, comma, semicolon, backslash or byte above 126
 * (RFC 6265 4.1.1); a path that does not start with '/' or has a control character or semicolon; a
 * domain with anything but letters, digits, '-' and '.'; SameSite=None without Secure; a date that
 * cannot be written; a name that starts with __Secure- without Secure, or with __Host- without
 * Secure and Path=/, or with a domain (in any case, as browsers compare).
 */
int lario_set_cookie_check(const lario_set_cookie_text *cookie);

/* The room that the text of a cookie needs, with its NUL. */
size_t lario_set_cookie_room(const lario_set_cookie_text *cookie);

/* Writes the field's value with a NUL, of a cookie that passed the check; returns its length. */
size_t lario_set_cookie_write(const lario_set_cookie_text *cookie, char *out);

#endif
