/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_RANGE_H
#define LARIO_CODEC_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes `first` to `last`, both within what was asked for. */
typedef struct lario_range {
    uint64_t first;
    uint64_t last;
} lario_range;

/* None of the ranges has a byte (416). */
#define LARIO_RANGE_UNSATISFIABLE (-1)

/*
 * The ranges that the value of a Range field selects from `total` bytes (RFC 9110 14.1.2, 14.2), in
 * the order asked for. Ranges that overlap or touch are joined into one, in the place of the
 * first of them, so that all of them together are never more than the whole. Numbers too large for
 * 64 bits are beyond the end.
 *
 * Returns how many (1 to `ranges_max`), LARIO_RANGE_UNSATISFIABLE, or 0 when the field is to be
 * ignored: it is no list of byte ranges, has more than `ranges_max` of them, or asks for the end
 * of nothing.
 */
int lario_range_parse(const char *value, size_t len, uint64_t total, lario_range *ranges,
                      unsigned ranges_max);

#endif
