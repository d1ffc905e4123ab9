/* SPDX-License-Identifier: BSD-3-Clause */
#include "web/route_pattern.h"

#include <stdbool.h>
#include <string.h>

#include "codec/utf8.h"

#define PATTERN_BYTES_MAX 1024

static bool is_sign(char c)
{
    return c == ':' || c == '*';
}

size_t lario_route_pattern_text(const char *at)
{
    size_t i = 0;

    while (at[i] && !(i > 0 && at[i - 1] == '/' && is_sign(at[i])))
        i++;
    return i;
}

size_t lario_route_pattern_param(const char *at)
{
    return strcspn(at, "/");
}

static bool is_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = name[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-'))
            return false;
    }
    return len > 0;
}

/* Whether a parameter before `param` (len bytes with its sign) has the same name. */
static bool is_repeated(const char *pattern, const char *param, size_t len)
{
    const char *at = pattern + lario_route_pattern_text(pattern);

    while (at < param) {
        size_t other = lario_route_pattern_param(at);

        if (other == len && memcmp(at + 1, param + 1, len - 1) == 0)
            return true;
        at += other;
        at += lario_route_pattern_text(at);
    }
    return false;
}

static const char *check_param(const char *pattern, const char *param)
{
    size_t len = lario_route_pattern_param(param);

    if (*param == '*' && param[len])
        return "'*' is not in the last segment";
    if (!is_name(param + 1, len - 1))
        return "a parameter's name is not made of letters, digits, '_' and '-'";
    if (is_repeated(pattern, param, len))
        return "two parameters have the same name";
    return NULL;
}

const char *lario_route_pattern_check(const char *pattern, unsigned *ret_params)
{
    size_t len = strlen(pattern);
    unsigned params = 0, segments = 0;
    const char *fault;

    if (pattern[0] != '/')
        return "the pattern does not start with '/'";
    if (len > PATTERN_BYTES_MAX)
        return "the pattern is longer than 1024 bytes";
    if (!lario_utf8_is_valid(pattern, len))
        return "the pattern is not UTF-8";
    for (const char *at = pattern; *at; at += strcspn(at, "/")) {
        at++;
        if (++segments > LARIO_ROUTE_SEGMENTS_MAX)
            return "the pattern has more than 32 segments";
        if (!is_sign(*at))
            continue;
        fault = check_param(pattern, at);
        if (fault)
            return fault;
        params++;
    }
    *ret_params = params;
    return NULL;
}
