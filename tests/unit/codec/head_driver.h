/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_HEAD_DRIVER_H
#define LARIO_TESTS_HEAD_DRIVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/http1_head.h"

/*
 * Runs heads through the parser whole, byte by byte, split at every offset and with bytes of a
 * next request behind, and requires the same result each time. Bytes that have not arrived yet
 * read as a control character, so that a parser which looks ahead is found out.
 */

/* A vector: bytes that may contain NUL, and the status they lead to, 0 for a good head. */
typedef struct head_vector {
    const char *bytes;
    size_t len;
    int status;
} head_vector;

#define BYTES(literal) (literal), sizeof(literal) - 1

extern const lario_http1_limits head_default_limits;

/* Parses in all ways. Returns 0 for a head that is complete with its last byte, else the status. */
int head_run(const lario_http1_limits *limits, const char *bytes, size_t len,
             lario_http1_head *ret_head);

/* Fails the test unless each vector leads to its status, under the default limits. */
void head_check_vectors(const head_vector *vectors, size_t count);

#define HEAD_CHECK(vectors) head_check_vectors((vectors), sizeof(vectors) / sizeof((vectors)[0]))

/* Parses a head that must be good. */
void head_parse_good(const char *text, lario_http1_head *ret_head);

/* Fails the test unless the span of `data` reads `text`. */
void head_assert_span(const char *data, lario_http1_span span, const char *text);

#endif
