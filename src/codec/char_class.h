/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_CHAR_CLASS_H
#define LARIO_CODEC_CHAR_CLASS_H

#include <stdbool.h>
#include <stdint.h>

/* Classes of single bytes, inline because parsers ask for every byte of a name or a target. */

#define LARIO_CHAR_TCHAR 1u  /* may stand in a token (RFC 9110 5.6.2) */
#define LARIO_CHAR_TARGET 2u /* may stand in a request target: printable ASCII but '#' */
#define LARIO_CHAR_HOST                                                                            \
    4u /* unreserved or a sub-delim (RFC 3986 3.2.2), but no comma: hosts come in lists */
#define LARIO_CHAR_CONTROL 8u /* may not stand in a field value (RFC 9110 5.5) */

extern const uint8_t lario_char_class[256];

static inline bool lario_char_is_tchar(char c)
{
    return lario_char_class[(unsigned char)c] & LARIO_CHAR_TCHAR;
}

static inline bool lario_char_is_target(char c)
{
    return lario_char_class[(unsigned char)c] & LARIO_CHAR_TARGET;
}

static inline bool lario_char_is_host(char c)
{
    return lario_char_class[(unsigned char)c] & LARIO_CHAR_HOST;
}

static inline bool lario_char_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool lario_char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether the byte may not stand in a field value. */
static inline bool lario_char_is_control(char c)
{
    return lario_char_class[(unsigned char)c] & LARIO_CHAR_CONTROL;
}

/* The value of a hexadecimal digit, or -1. */
static inline int lario_char_hex(char c)
{
    if (lario_char_is_digit(c))
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
