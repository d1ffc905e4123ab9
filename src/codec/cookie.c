/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/cookie.h"

#include <string.h>

#include "base/cursor.h"
#include "codec/char_class.h"
#include "codec/date.h"
#include "codec/token.h"
#include "lario/error.h"

/* ---- Cookie ---- */

static void trim(const char **first, const char **last)
{
    while (*first < *last && lario_char_is_blank(**first))
        ++*first;
    while (*last > *first && lario_char_is_blank((*last)[-1]))
        --*last;
}

bool lario_cookie_next(const char **at, const char *end, const char **ret_name,
                       size_t *ret_name_len, const char **ret_value, size_t *ret_value_len)
{
    while (*at < end) {
        const char *name = *at;
        const char *semicolon = memchr(name, ';', (size_t)(end - name));
        const char *last = semicolon ? semicolon : end;
        const char *equals = memchr(name, '=', (size_t)(last - name));

        *at = semicolon ? semicolon + 1 : end;
        if (!equals)
            continue;
        const char *name_last = equals, *value = equals + 1;

        trim(&name, &name_last);
        trim(&value, &last);
        if (!lario_token_is_valid(name, (size_t)(name_last - name)))
            continue;
        *ret_name = name;
        *ret_name_len = (size_t)(name_last - name);
        *ret_value = value;
        *ret_value_len = (size_t)(last - value);
        return true;
    }
    return false;
}

/* ---- Set-Cookie ---- */

static bool is_cookie_octet(char c)
{
    return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

static bool value_is_valid(const char *value, size_t len)
{
    if (len >= 2 && value[0] == '"' && value[len - 1] == '"') {
        value++;
        len -= 2;
    }
    for (size_t i = 0; i < len; i++) {
        if (!is_cookie_octet(value[i]))
            return false;
    }
    return true;
}

static bool path_is_valid(const char *path)
{
    if (*path != '/')
        return false;
    for (; *path; path++) {
        if ((unsigned char)*path < ' ' || (unsigned char)*path > 0x7e || *path == ';')
            return false;
    }
    return true;
}

static bool domain_is_valid(const char *domain)
{
    if (!*domain)
        return false;
    for (; *domain; domain++) {
        char lower = (char)(*domain | 0x20);

        if (!lario_char_is_digit(*domain) && *domain != '-' && *domain != '.' &&
            (lower < 'a' || lower > 'z'))
            return false;
    }
    return true;
}

static bool starts_with(const char *name, const char *prefix)
{
    size_t len = strlen(prefix);

    return strlen(name) >= len && lario_ascii_equal_nocase(name, prefix, len);
}

/* The promises that browsers hold a name's prefix to (RFC 6265bis 4.1.3). */
static bool prefix_is_kept(const lario_set_cookie_text *cookie)
{
    if (starts_with(cookie->name, "__Secure-"))
        return cookie->secure;
    if (starts_with(cookie->name, "__Host-"))
        return cookie->secure && !cookie->domain && cookie->path && strcmp(cookie->path, "/") == 0;
    return true;
}

static bool is_longer(const char *text, size_t max)
{
    return text && strlen(text) > max;
}

int lario_set_cookie_check(const lario_set_cookie_text *cookie)
{
    size_t name_len = strlen(cookie->name), value_len = strlen(cookie->value);
    char date[LARIO_DATE_BYTES + 1];

    if (name_len > LARIO_SET_COOKIE_BYTES_MAX ||
        value_len > LARIO_SET_COOKIE_BYTES_MAX - name_len ||
        is_longer(cookie->path, LARIO_SET_COOKIE_ATTRIBUTE_BYTES_MAX) ||
        is_longer(cookie->domain, LARIO_SET_COOKIE_ATTRIBUTE_BYTES_MAX))
        return LARIO_ETOOBIG;
    if (!lario_token_is_valid(cookie->name, name_len) || !value_is_valid(cookie->value, value_len))
        return LARIO_EHEADER;
    if ((cookie->path && !path_is_valid(cookie->path)) ||
        (cookie->domain && !domain_is_valid(cookie->domain)))
        return LARIO_EHEADER;
    if (cookie->has_expires && !lario_date_format(cookie->expires_s, date))
        return LARIO_EHEADER;
    if (cookie->site == LARIO_SET_COOKIE_NONE && !cookie->secure)
        return LARIO_EHEADER;
    return prefix_is_kept(cookie) ? 0 : LARIO_EHEADER;
}

size_t lario_set_cookie_room(const lario_set_cookie_text *cookie)
{
    return LARIO_SET_COOKIE_FRAME_BYTES + strlen(cookie->name) + strlen(cookie->value) +
           (cookie->path ? strlen(cookie->path) : 0) +
           (cookie->domain ? strlen(cookie->domain) : 0);
}

static char *put_text(char *at, const char *before, const char *text)
{
    at = lario_cursor_put(at, before, strlen(before));
    return lario_cursor_put(at, text, strlen(text));
}

static char *put_times(char *at, const lario_set_cookie_text *cookie)
{
    char date[LARIO_DATE_BYTES + 1];

    if (cookie->has_max_age) {
        at = LARIO_CURSOR_PUT(at, "; Max-Age=");
        at = lario_cursor_put_number(at, cookie->max_age_s > 0 ? (uint64_t)cookie->max_age_s : 0);
    }
    if (cookie->has_expires && lario_date_format(cookie->expires_s, date))
        at = put_text(at, "; Expires=", date);
    return at;
}

size_t lario_set_cookie_write(const lario_set_cookie_text *cookie, char *out)
{
    static const char *const sites[] = {
        [LARIO_SET_COOKIE_LAX] = "Lax",
        [LARIO_SET_COOKIE_STRICT] = "Strict",
        [LARIO_SET_COOKIE_NONE] = "None",
    };
    char *at = put_text(put_text(out, "", cookie->name), "=", cookie->value);

    if (cookie->path)
        at = put_text(at, "; Path=", cookie->path);
    if (cookie->domain)
        at = put_text(at, "; Domain=", cookie->domain);
    at = put_times(at, cookie);
    if (cookie->secure)
        at = LARIO_CURSOR_PUT(at, "; Secure");
    if (cookie->http_only)
        at = LARIO_CURSOR_PUT(at, "; HttpOnly");
    if (cookie->site != LARIO_SET_COOKIE_UNSET)
        at = put_text(at, "; SameSite=", sites[cookie->site]);
    *at = '\0';
    return (size_t)(at - out);
}
