/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_PARAMS_H
#define LARIO_CODEC_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

/* Field values of the form `first; name=value; name="value"` (RFC 9110 5.6.6). */

typedef struct lario_field_param {
    const char *name;
    size_t name_len;
    const char *value; /* as sent, without the quotes */
    size_t value_len;
    bool is_quoted; /* "\" may stand before a character */
} lario_field_param;

/*
 * Takes what stands before the first ';' off the front of *at (up to `end`), without the white
 * space around it; lario_field_params_next() goes on from there.
 */
void lario_field_params_start(const char **at, const char *end, const char **ret_first,
                              size_t *ret_len);

/*
 * Takes the next parameter. Returns 1; 0 at the end; LARIO_EPROTO for what is no parameter: no
 * token before '=', no value behind it, blanks around it, a quote that is not closed. Empty
 * parameters (";;") are skipped.
 */
int lario_field_params_next(const char **at, const char *end, lario_field_param *ret_param);

/* Whether the parameter has this name (lower case, ASCII). */
bool lario_field_param_is(const lario_field_param *param, const char *name);

/* Whether the value before the parameters is this media type (lower case, such as "text/html"). */
bool lario_media_type_is(const char *value, size_t len, const char *type);

#endif
