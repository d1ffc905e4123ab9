/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/params.h"

#include <string.h>

#include "codec/char_class.h"
#include "codec/token.h"
#include "lario/error.h"

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && lario_char_is_blank(*at))
        at++;
    return at;
}

void lario_field_params_start(const char **at, const char *end, const char **ret_first,
                              size_t *ret_len)
{
    const char *first = skip_blanks(*at, end);
    const char *semicolon = memchr(first, ';', (size_t)(end - first));
    const char *last = semicolon ? semicolon : end;

    *at = last;
    while (last > first && lario_char_is_blank(last[-1]))
        last--;
    *ret_first = first;
    *ret_len = (size_t)(last - first);
}

static const char *scan_token(const char *at, const char *end)
{
    while (at < end && lario_char_is_tchar(*at))
        at++;
    return at;
}

/* The closing quote of the string that begins behind `at`; `end` when there is none. */
static const char *scan_quoted(const char *at, const char *end)
{
    for (; at < end && *at != '"'; at++) {
        if (*at == '\\' && ++at == end)
            break;
    }
    return at;
}

int lario_field_params_next(const char **at, const char *end, lario_field_param *ret_param)
{
    const char *name = skip_blanks(*at, end);

    /* Each begins with the ';' in front of it. */
    while (name < end && *name == ';')
        name = skip_blanks(name + 1, end);
    if (name == end) {
        *at = end;
        return 0;
    }
    const char *equals = scan_token(name, end);

    if (equals == name || end - equals < 2 || *equals != '=')
        return LARIO_EPROTO;
    bool is_quoted = equals[1] == '"';
    const char *value = equals + 1 + is_quoted;
    const char *last = is_quoted ? scan_quoted(value, end) : scan_token(value, end);

    if (is_quoted ? last == end : last == value)
        return LARIO_EPROTO;
    *at = skip_blanks(last + is_quoted, end);
    if (*at < end && **at != ';')
        return LARIO_EPROTO;
    *ret_param = (lario_field_param){
        .name = name,
        .name_len = (size_t)(equals - name),
        .value = value,
        .value_len = (size_t)(last - value),
        .is_quoted = is_quoted,
    };
    return 1;
}

static bool equal(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && lario_ascii_equal_nocase(text, word, len);
}

bool lario_field_param_is(const lario_field_param *param, const char *name)
{
    return equal(param->name, param->name_len, name);
}

bool lario_media_type_is(const char *value, size_t len, const char *type)
{
    const char *first;
    size_t first_len;

    lario_field_params_start(&value, value + len, &first, &first_len);
    return equal(first, first_len, type);
}
