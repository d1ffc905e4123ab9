/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_HTTP_CODER_H
#define LARIO_HTTP_CODER_H

#include <stdbool.h>
#include <stddef.h>

#include "codec/accept_encoding.h"

/* Compressors and their reverse, by zlib and brotli; coder_none.c stands in without them. */

/* The codings that this build knows, as bits; 0: none. */
unsigned lario_coder_known(void);

typedef struct lario_encoder lario_encoder;

enum lario_encoder_step {
    LARIO_ENCODE_FLUSH, /* what was given so far can be decoded */
    LARIO_ENCODE_END,
};

/* NULL when memory is out. */
lario_encoder *lario_encoder_new(enum lario_coding coding, int level);
void lario_encoder_free(lario_encoder *encoder);

/*
 * Encodes `len` bytes and hands what comes out to `put`, piece by piece, until it fails. Returns 0,
 * what `put` returned, or LARIO_ENOMEM.
 */
int lario_encoder_run(lario_encoder *encoder, enum lario_encoder_step step, const void *data,
                      size_t len, int (*put)(void *arg, const void *data, size_t len), void *arg);

typedef struct lario_decoder lario_decoder;

/* NULL when memory is out. */
lario_decoder *lario_decoder_new(enum lario_coding coding);
void lario_decoder_free(lario_decoder *decoder);

/*
 * Decodes from *data into `out`; both move on. Returns the bytes in `out`; 0 when it needs more
 * data, or is done; LARIO_EPROTO for what cannot be decoded (data behind the end too),
 * LARIO_ENOMEM.
 */
int lario_decoder_run(lario_decoder *decoder, const char **data, size_t *len, void *out,
                      size_t size);

/* Whether the data may end here. */
bool lario_decoder_is_done(const lario_decoder *decoder);

#endif
