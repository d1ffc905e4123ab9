/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_UTF8_H
#define LARIO_CODEC_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UTF-8 (RFC 3629) checked as it comes: no overlong forms, no surrogates, nothing above U+10FFFF.
 * Runs of ASCII are skipped many bytes at a time.
 */

/* 0 between characters; anything else is inside of one. Start with 0. */
typedef uint32_t lario_utf8_state;

/* Goes on with `len` bytes. False as soon as no continuation could make the text valid. */
bool lario_utf8_next(lario_utf8_state *state, const char *data, size_t len);

/* Whether the whole text is valid. */
static inline bool lario_utf8_is_valid(const char *data, size_t len)
{
    lario_utf8_state state = 0;

    return lario_utf8_next(&state, data, len) && state == 0;
}

#endif
