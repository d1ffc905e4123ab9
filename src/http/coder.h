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

/*
 * Puts an encoder that is at its end among the spare ones, for lario_encoder_take(): making one of
 * gzip costs more than compressing a page. False when it cannot be used again: it is the caller's.
 */
bool lario_encoder_reuse(lario_encoder *encoder, lario_encoder **spare);

/* Frees all spare ones. */
void lario_encoders_free(lario_encoder *spare);

/* A spare one of this kind, or NULL. */
lario_encoder *lario_encoder_take(lario_encoder **spare, enum lario_coding coding, int level);

typedef struct lario_decoder lario_decoder;

/* NULL when memory is out. */
lario_decoder *lario_decoder_new(enum lario_coding coding);
void lario_decoder_free(lario_decoder *decoder);

/*
 * Decodes from *data into `out`; both move on. Returns the bytes in `out`; 0 when it needs more
 * data, or is done; LARIO_EPROTO for what cannot be decoded (data behind the end too),
 * LARIO_ENOMEM, LARIO_ETOOBIG (a window of Brotli over 4 MiB).
 */
int lario_decoder_run(lario_decoder *decoder, const char **data, size_t *len, void *out,
                      size_t size);

/* Whether the data may end here. */
bool lario_decoder_is_done(const lario_decoder *decoder);

#endif
