/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/uri.h"

#include <limits.h>
#include <string.h>

#include "codec/char_class.h"
#include "codec/utf8.h"
#include "lario/error.h"

/* The byte that the escape at `at` stands for, or -1 when it is not "%" and two hex digits. */
static int unescape(const char *at, const char *end)
{
    if (end - at < 3)
        return -1;
    int high = lario_char_hex(at[1]);
    int low = lario_char_hex(at[2]);

    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/*
 * Decodes the escape at *at to *ret_byte. An encoded slash has to stand between characters too,
 * but what is written for it is no part of the text.
 */
static bool decode_path_escape(const char **at, const char *end, lario_utf8_state *utf8, char slash,
                               char *ret_byte)
{
    int value = unescape(*at, end);
    char byte = (char)value;

    if (value < 0 || byte == '\0' || byte == '\r' || byte == '\n')
        return false;
    if (!lario_utf8_next(utf8, &byte, 1))
        return false;
    *ret_byte = byte == '/' ? slash : byte;
    *at += 3;
    return true;
}

int lario_uri_decode_path(const char *raw, size_t len, char *out, char slash)
{
    const char *end = raw + len;
    const char *at = raw;
    char *to = out;
    lario_utf8_state utf8 = 0;

    if (len > INT_MAX)
        return LARIO_ETOOBIG;
    while (at < end) {
        const char *escape = memchr(at, '%', (size_t)(end - at));
        size_t run = (size_t)((escape ? escape : end) - at);

        if (!lario_utf8_next(&utf8, at, run))
            return LARIO_EPROTO;
        memmove(to, at, run);
        to += run;
        at += run;
        if (escape && !decode_path_escape(&at, end, &utf8, slash, to++))
            return LARIO_EPROTO;
    }
    return utf8 == 0 ? (int)(to - out) : LARIO_EPROTO;
}

int lario_uri_decode_form(const char *raw, size_t len, char *out)
{
    const char *end = raw + len;
    char *to = out;

    if (len > INT_MAX)
        return LARIO_ETOOBIG;
    for (const char *at = raw; at < end; at++) {
        if (*at != '%') {
            *to++ = *at == '+' ? ' ' : *at;
            continue;
        }
        int value = unescape(at, end);

        if (value <= 0)
            return LARIO_EPROTO;
        *to++ = (char)value;
        at += 2;
    }
    return (int)(to - out);
}

bool lario_uri_query_next(const char **at, const char *end, const char **ret_name,
                          size_t *ret_name_len, const char **ret_value, size_t *ret_value_len)
{
    const char *piece = *at;

    while (piece < end && *piece == '&')
        piece++;
    if (piece == end) {
        *at = end;
        return false;
    }
    const char *ampersand = memchr(piece, '&', (size_t)(end - piece));
    const char *last = ampersand ? ampersand : end;
    const char *equals = memchr(piece, '=', (size_t)(last - piece));

    *ret_name = piece;
    *ret_name_len = (size_t)((equals ? equals : last) - piece);
    *ret_value = equals ? equals + 1 : last;
    *ret_value_len = (size_t)(last - *ret_value);
    *at = ampersand ? ampersand + 1 : end;
    return true;
}
