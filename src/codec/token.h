/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_TOKEN_H
#define LARIO_CODEC_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* Character classes and token lists of HTTP fields (RFC 9110 5.5, 5.6). */

/* Whether all `len` (at least 1) bytes are tchar: a legal field name or method. */
bool lario_token_is_valid(const char *text, size_t len);

/* Whether the bytes may stand in a field value: no control characters but the tab. */
bool lario_field_value_is_valid(const char *text, size_t len);

/*
 * Takes the next member of a comma-separated list (RFC 9110 5.6.1) off the front of *at (up to
 * `end`), without the white space around it. Empty members are skipped. False at the end.
 */
bool lario_token_list_next(const char **at, const char *end, const char **ret_member,
                           size_t *ret_len);

/* Whether the comma-separated list `value` has the member `token` (lower case, ASCII). */
bool lario_token_list_has(const char *value, size_t len, const char *token);

/* Equality of `len` bytes without regard to ASCII case. */
bool lario_ascii_equal_nocase(const char *a, const char *b, size_t len);

/*
 * The first byte in [at, end) that may not stand in a field value (a control character other than
 * the tab, or DEL), or `end`. Looks at 16 bytes at a time where the processor can.
 */
const char *lario_field_value_scan(const char *at, const char *end);

#endif
