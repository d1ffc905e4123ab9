/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_BASE_CURSOR_H
#define LARIO_BASE_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Writing text by a cursor over room that is known to suffice: each call returns where the next
 * one goes on. No NUL is written.
 */

static inline char *lario_cursor_put(char *at, const char *text, size_t len)
{
    memcpy(at, text, len);
    return at + len;
}

#define LARIO_CURSOR_PUT(at, text) lario_cursor_put(at, text, sizeof(text) - 1)

/* At most 20 digits. */
static inline char *lario_cursor_put_number(char *at, uint64_t number)
{
    char digits[20];
    size_t len = 0;

    do
        digits[sizeof digits - ++len] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return lario_cursor_put(at, digits + sizeof digits - len, len);
}

#endif
