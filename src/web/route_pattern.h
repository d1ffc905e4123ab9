/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_WEB_ROUTE_PATTERN_H
#define LARIO_WEB_ROUTE_PATTERN_H

#include <stddef.h>

/* The text form of a route: "/text/:name/" and "*name" at the end; see lario/router.h. */

/* Segments of a pattern. Bounds the work of a match and the parameters of a route. */
#define LARIO_ROUTE_SEGMENTS_MAX 32

/* Why the pattern cannot be used (static storage), or NULL; then *ret_params is how many
   parameters it has. */
const char *lario_route_pattern_check(const char *pattern, unsigned *ret_params);

/*
 * The length of the text from `at`, a '/', up to the ':' or '*' of the next parameter or to the
 * end of the pattern.
 */
size_t lario_route_pattern_text(const char *at);

/* The length of a parameter that starts at `at`, with its sign. */
size_t lario_route_pattern_param(const char *at);

#endif
