/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/coder.h"

#include "lario/error.h"

/* A build without zlib and brotli: no coding is known, so nothing below is ever called for one. */

unsigned lario_coder_known(void)
{
    return 0;
}

lario_encoder *lario_encoder_new(enum lario_coding coding, int level)
{
    (void)coding;
    (void)level;
    return NULL;
}

void lario_encoder_free(lario_encoder *encoder)
{
    (void)encoder;
}

int lario_encoder_run(lario_encoder *encoder, enum lario_encoder_step step, const void *data,
                      size_t len, int (*put)(void *arg, const void *data, size_t len), void *arg)
{
    (void)encoder;
    (void)step;
    (void)data;
    (void)len;
    (void)put;
    (void)arg;
    return LARIO_ENOSYS;
}

bool lario_encoder_reuse(lario_encoder *encoder, lario_encoder **spare)
{
    (void)encoder;
    (void)spare;
    return false;
}

void lario_encoders_free(lario_encoder *spare)
{
    (void)spare;
}

lario_encoder *lario_encoder_take(lario_encoder **spare, enum lario_coding coding, int level)
{
    (void)spare;
    (void)coding;
    (void)level;
    return NULL;
}

lario_decoder *lario_decoder_new(enum lario_coding coding)
{
    (void)coding;
    return NULL;
}

void lario_decoder_free(lario_decoder *decoder)
{
    (void)decoder;
}

int lario_decoder_run(lario_decoder *decoder, const char **data, size_t *len, void *out,
                      size_t size)
{
    (void)decoder;
    (void)data;
    (void)len;
    (void)out;
    (void)size;
    return LARIO_ENOSYS;
}

bool lario_decoder_is_done(const lario_decoder *decoder)
{
    (void)decoder;
    return false;
}
