/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SWITCHBOARD_JSON_H
#define SWITCHBOARD_JSON_H

#include <jansson.h>
#include <stddef.h>

/* The parser goes one call deeper with each bracket, on the small stack of a process. */
#define JSON_DEPTH_MAX 32

/*
 * Parses a whole JSON text (RFC 8259) of at most JSON_DEPTH_MAX nested arrays and objects, without
 * duplicate names. NULL when it is not that, with the reason in `ret_error`.
 */
#define JSON_ERROR_BYTES 256
json_t *json_parse(const char *text, size_t len, char ret_error[JSON_ERROR_BYTES]);

/* The string member `name` of `object`; NULL when it has none, or one with a NUL in it. */
const char *json_member(const json_t *object, const char *name);

#endif
