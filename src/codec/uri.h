/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_URI_H
#define LARIO_CODEC_URI_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Percent-decoding of paths and queries (RFC 3986 2.1) and forms (WHATWG URL 5). The output is
 * never longer than the input and may be the same memory.
 */

/*
 * Decodes a raw path. An encoded slash (%2F) is written as `slash`: pass '/' for a plain decode,
 * or LARIO_URI_ENCODED_SLASH to keep it apart from the slashes that part segments. No NUL is added.
 * Returns the length; LARIO_EPROTO for a bad escape, for %00, an encoded CR or LF, or when the
 * result is not UTF-8 (so an overlong slash or dot is refused, RFC 3629 3); LARIO_ETOOBIG for more
 * than INT_MAX bytes.
 */
int lario_uri_decode_path(const char *raw, size_t len, char *out, char slash);

/* A byte that occurs in no UTF-8 text. */
#define LARIO_URI_ENCODED_SLASH ((char)0xff)

/*
 * Decodes a name or value of a query or urlencoded form: '+' is a space. Returns the length, or
 * LARIO_EPROTO for a bad escape or %00, LARIO_ETOOBIG for more than INT_MAX bytes. Other bytes are
 * passed as they are.
 */
int lario_uri_decode_form(const char *raw, size_t len, char *out);

/*
 * Takes the next `name[=value]` of a query or urlencoded form off the front of *at (up to `end`),
 * still encoded. Empty pieces ("&&") are skipped; a piece without '=' has an empty value. Returns
 * false at the end.
 */
bool lario_uri_query_next(const char **at, const char *end, const char **ret_name,
                          size_t *ret_name_len, const char **ret_value, size_t *ret_value_len);

#endif
