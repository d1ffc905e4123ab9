/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_COMPRESS_H
#define LARIO_HTTP_COMPRESS_H

#include "http/req.h"

/* The compressed answer and the compressed body of a request, for response.c and body.c. */

/*
 * A whole body of an answer that may be compressed: *body and *len become the compressed ones, in
 * the request's arena, when it is. 0, or a failure.
 */
int lario_compress_whole(lario_req *req, int status, const char *type, const void **body,
                         size_t *len);

/* An answer in parts begins; req->encoder is set when it is compressed. 0, or a failure. */
int lario_compress_start(lario_req *req, int status, const char *type);

/* The encoder of an answer is not needed any more; NULL is allowed. */
void lario_compress_put_back(lario_req *req, lario_encoder *encoder);

/* Inflated bytes of the body, from 1 to `size`; 0 at its end. See lario_body_read(). */
int lario_inflate_read(lario_req *req, void *buffer, size_t size);

#endif
