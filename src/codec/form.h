/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_FORM_H
#define LARIO_CODEC_FORM_H

#include <stddef.h>

/* Whole bodies of the type application/x-www-form-urlencoded (WHATWG URL 5.1). */

typedef struct lario_form_pair {
    const char *name;
    const char *value; /* "" for a piece without '=' */
} lario_form_pair;

/* How many fields the `len` bytes have; counting ends beyond `max`. */
size_t lario_form_count(const char *data, size_t len, size_t max);

/*
 * Decodes the fields, in their order, to `pairs` (room for all that lario_form_count() gave), with
 * their text in `text` (room for len + 1 bytes). '+' is a space. Returns their number, or
 * LARIO_EPROTO for a bad escape or a NUL, encoded or not: the strings end with one.
 */
int lario_form_decode(const char *data, size_t len, lario_form_pair *pairs, char *text);

#endif
