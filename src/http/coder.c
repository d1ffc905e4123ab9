/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/coder.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lario/error.h"

/* What leaves an encoder at once; on the stack of a process. */
#define PIECE_BYTES 8192

/* zlib: the largest window, and 16 more for the frame of gzip. */
#define ZLIB_BITS 15
#define GZIP_BITS (ZLIB_BITS + 16)
#define ZLIB_MEMORY 8

/* The window of Brotli in bits: 256 KiB, so that many answers at once stay affordable. */
#define BR_WINDOW_BITS 18

unsigned lario_coder_known(void)
{
    return 1u << LARIO_CODING_GZIP | 1u << LARIO_CODING_DEFLATE | 1u << LARIO_CODING_BR;
}

/* ---- Encoding ---- */

struct lario_encoder {
    z_stream zlib;
    BrotliEncoderState *brotli; /* NULL: zlib */
};

lario_encoder *lario_encoder_new(enum lario_coding coding, int level)
{
    lario_encoder *encoder = calloc(1, sizeof *encoder);

    if (!encoder)
        return NULL;
    if (coding == LARIO_CODING_BR) {
        encoder->brotli = BrotliEncoderCreateInstance(NULL, NULL, NULL);
        if (encoder->brotli) {
            BrotliEncoderSetParameter(encoder->brotli, BROTLI_PARAM_QUALITY, (uint32_t)level);
            BrotliEncoderSetParameter(encoder->brotli, BROTLI_PARAM_LGWIN, BR_WINDOW_BITS);
            return encoder;
        }
    } else if (deflateInit2(&encoder->zlib, level, Z_DEFLATED, GZIP_BITS, ZLIB_MEMORY,
                            Z_DEFAULT_STRATEGY) == Z_OK) {
        return encoder;
    }
    free(encoder);
    return NULL;
}

void lario_encoder_free(lario_encoder *encoder)
{
    if (!encoder)
        return;
    if (encoder->brotli)
        BrotliEncoderDestroyInstance(encoder->brotli);
    else
        deflateEnd(&encoder->zlib);
    free(encoder);
}

static int run_zlib(z_stream *zlib, int flush, const void *data, size_t len,
                    int (*put)(void *arg, const void *data, size_t len), void *arg)
{
    char piece[PIECE_BYTES];
    int rc = 0;

    zlib->next_in = (Bytef *)data; /* zlib does not write there */
    do {
        /* Its counts are of 32 bits. */
        size_t part = len < INT_MAX ? len : INT_MAX;

        zlib->avail_in = (uInt)part;
        len -= part;
        do {
            zlib->next_out = (Bytef *)piece;
            zlib->avail_out = sizeof piece;
            if (deflate(zlib, len > 0 ? Z_NO_FLUSH : flush) == Z_STREAM_ERROR)
                return LARIO_ENOMEM;
            size_t out = sizeof piece - zlib->avail_out;

            rc = out > 0 ? put(arg, piece, out) : 0;
        } while (rc >= 0 && zlib->avail_out == 0);
    } while (rc >= 0 && len > 0);
    return rc < 0 ? rc : 0;
}

static int run_brotli(BrotliEncoderState *brotli, BrotliEncoderOperation operation,
                      const void *data, size_t len,
                      int (*put)(void *arg, const void *data, size_t len), void *arg)
{
    const uint8_t *in = data;
    int rc = 0;

    do {
        size_t none = 0, out_len = 0;

        if (!BrotliEncoderCompressStream(brotli, operation, &len, &in, &none, NULL, NULL))
            return LARIO_ENOMEM;
        const uint8_t *out = BrotliEncoderTakeOutput(brotli, &out_len);

        rc = out_len > 0 ? put(arg, out, out_len) : 0;
    } while (rc >= 0 && (len > 0 || BrotliEncoderHasMoreOutput(brotli)));
    return rc < 0 ? rc : 0;
}

int lario_encoder_run(lario_encoder *encoder, enum lario_encoder_step step, const void *data,
                      size_t len, int (*put)(void *arg, const void *data, size_t len), void *arg)
{
    bool ends = step == LARIO_ENCODE_END;

    if (encoder->brotli)
        return run_brotli(encoder->brotli, ends ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH,
                          data, len, put, arg);
    return run_zlib(&encoder->zlib, ends ? Z_FINISH : Z_SYNC_FLUSH, data, len, put, arg);
}

/* ---- Decoding ---- */

struct lario_decoder {
    z_stream zlib;
    BrotliDecoderState *brotli; /* NULL: zlib */
    bool is_done;
    bool is_gzip; /* its members may follow each other (RFC 1952 2.2) */
};

lario_decoder *lario_decoder_new(enum lario_coding coding)
{
    lario_decoder *decoder = calloc(1, sizeof *decoder);

    if (!decoder)
        return NULL;
    decoder->is_gzip = coding == LARIO_CODING_GZIP;
    if (coding == LARIO_CODING_BR) {
        decoder->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
        if (decoder->brotli)
            return decoder;
    } else if (inflateInit2(&decoder->zlib, decoder->is_gzip ? GZIP_BITS : ZLIB_BITS) == Z_OK) {
        return decoder;
    }
    free(decoder);
    return NULL;
}

void lario_decoder_free(lario_decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->brotli)
        BrotliDecoderDestroyInstance(decoder->brotli);
    else
        inflateEnd(&decoder->zlib);
    free(decoder);
}

static int decode_zlib(lario_decoder *decoder, const char **data, size_t *len, void *out,
                       size_t size)
{
    z_stream *zlib = &decoder->zlib;
    uInt in = *len < INT_MAX ? (uInt)*len : INT_MAX;

    if (decoder->is_done && (!decoder->is_gzip || inflateReset(zlib) != Z_OK))
        return LARIO_EPROTO;
    decoder->is_done = false;
    zlib->next_in = (Bytef *)*data;
    zlib->avail_in = in;
    zlib->next_out = out;
    zlib->avail_out = (uInt)size;
    int rc = inflate(zlib, Z_NO_FLUSH);

    *data += in - zlib->avail_in;
    *len -= in - zlib->avail_in;
    decoder->is_done = rc == Z_STREAM_END;
    if (rc == Z_MEM_ERROR)
        return LARIO_ENOMEM;
    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
        return LARIO_EPROTO;
    return (int)(size - zlib->avail_out);
}

static int decode_brotli(lario_decoder *decoder, const char **data, size_t *len, void *out,
                         size_t size)
{
    const uint8_t *in = (const uint8_t *)*data;
    uint8_t *to = out;
    size_t left = size;

    if (decoder->is_done)
        return LARIO_EPROTO;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder->brotli, len, &in, &left, &to, NULL);

    *data = (const char *)in;
    decoder->is_done = result == BROTLI_DECODER_RESULT_SUCCESS;
    if (result == BROTLI_DECODER_RESULT_ERROR)
        return BrotliDecoderGetErrorCode(decoder->brotli) <=
                       BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES
                   ? LARIO_ENOMEM
                   : LARIO_EPROTO;
    return (int)(size - left);
}

int lario_decoder_run(lario_decoder *decoder, const char **data, size_t *len, void *out,
                      size_t size)
{
    size_t before = *len;
    int rc;

    if (size > INT_MAX)
        size = INT_MAX;
    do {
        if (decoder->is_done && *len == 0)
            return 0;
        before = *len;
        rc = decoder->brotli ? decode_brotli(decoder, data, len, out, size)
                             : decode_zlib(decoder, data, len, out, size);
    } while (rc == 0 && *len > 0 && *len < before);
    return rc;
}

bool lario_decoder_is_done(const lario_decoder *decoder)
{
    return decoder->is_done;
}
