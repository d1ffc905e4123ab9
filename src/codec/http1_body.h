/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CODEC_HTTP1_BODY_H
#define LARIO_CODEC_HTTP1_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "codec/http1_head.h"

/*
 * The body of an HTTP/1.x request: none, of a known length, or chunked (RFC 9112 6 and 7). Works
 * on whatever bytes are there and copies nothing.
 */

typedef struct lario_http1_body_limits {
    uint32_t chunk_line_bytes_max;    /* size, extensions, without CRLF; beyond: 400 */
    uint32_t tiny_chunks_max;         /* chunks below 16 bytes in a row, the last ones aside; 400 */
    uint32_t trailers_max;            /* trailer fields; beyond: 400 */
    uint32_t trailer_bytes_max;       /* all trailer lines with their CRLF; beyond: 400 */
    uint32_t trailer_name_bytes_max;  /* of one name; 400 */
    uint32_t trailer_value_bytes_max; /* of one value; 400 */
} lario_http1_body_limits;

typedef struct lario_http1_body {
    uint64_t left; /* bytes of the body, or of the current chunk, still to come */
    uint32_t line; /* bytes of the current chunk line, trailer name or trailer value so far */
    uint32_t tiny; /* chunks below 16 bytes in a row */
    uint32_t trailers;
    uint32_t trailer_bytes;
    uint8_t phase;
    const char *reason; /* after a failure, for the log (static storage) */
} lario_http1_body;

enum lario_http1_body_result {
    LARIO_HTTP1_BODY_MORE = 0, /* all bytes are used; more are needed */
    LARIO_HTTP1_BODY_DATA = 1, /* *ret_data holds *ret_data_len (not 0) bytes of the body */
    LARIO_HTTP1_BODY_END = 2,  /* the body is complete; *ret_used may be less than `len` */
};

/* Starts the body of the request whose complete head is `head`. */
void lario_http1_body_init(lario_http1_body *body, const lario_http1_head *head);

/*
 * What is known to follow: the rest of a body of a known length, or of the current chunk; 0 between
 * chunks.
 */
uint64_t lario_http1_body_announced(const lario_http1_body *body);

/*
 * Takes up to `len` bytes; *ret_used says how many were used, which are not given again. Call it
 * repeatedly until it answers MORE or END. After END it answers END with 0 bytes used. Trailer
 * fields are checked like head fields and dropped.
 * Returns a lario_http1_body_result, or LARIO_EPROTO with body->reason: the status is 400. A fault
 * is reported as soon as the byte that proves it is there, after the data before it.
 */
int lario_http1_body_next(lario_http1_body *body, const lario_http1_body_limits *limits,
                          const char *data, size_t len, size_t *ret_used, const char **ret_data,
                          size_t *ret_data_len);

#endif
