/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/coder.h"

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <limits.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/list.h"
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

/*
 * Memory of Brotli. Its encoder ends the program when it gets none: so it never sees a failure, but
 * is left by a jump, and what it had is freed from this ring. The decoder can be told, and is when
 * a client wants more than the budget.
 */
typedef struct brotli_memory {
    lario_list_link blocks;
    size_t left;
    bool is_over; /* the budget was not enough */
    bool jumps;
    jmp_buf out_of_memory;
} brotli_memory;

typedef struct brotli_block {
    lario_list_link link;
    size_t size;
    _Alignas(max_align_t) char bytes[];
} brotli_block;

/* A window of 4 MiB, as most encoders use, and the tables beside it. */
#define BR_DECODER_BYTES_MAX ((size_t)5 << 20)

static void *brotli_alloc(void *arg, size_t size)
{
    brotli_memory *memory = arg;
    brotli_block *block = size <= memory->left ? malloc(sizeof *block + size) : NULL;

    if (!block) {
        memory->is_over = size > memory->left;
        if (memory->jumps)
            longjmp(memory->out_of_memory, 1);
        return NULL;
    }
    block->size = size;
    memory->left -= size;
    lario_list_push_back(&memory->blocks, &block->link);
    return block->bytes;
}

static void brotli_free(void *arg, void *bytes)
{
    brotli_memory *memory = arg;

    if (!bytes)
        return;
    brotli_block *block = lario_container_of(bytes, brotli_block, bytes);

    memory->left += block->size;
    lario_list_remove(&block->link);
    free(block);
}

static void free_blocks(brotli_memory *memory)
{
    lario_list_link *link;

    while ((link = lario_list_pop_front(&memory->blocks)) != NULL)
        free(lario_container_of(link, brotli_block, link));
}

struct lario_encoder {
    lario_encoder *next;
    enum lario_coding coding;
    int level;
    z_stream zlib;
    BrotliEncoderState *brotli; /* NULL: zlib */
    brotli_memory memory;
};

static bool open_brotli(lario_encoder *encoder, int level)
{
    lario_list_init(&encoder->memory.blocks);
    encoder->memory.left = SIZE_MAX;
    encoder->memory.jumps = true;
    if (setjmp(encoder->memory.out_of_memory) != 0)
        return false;
    encoder->brotli = BrotliEncoderCreateInstance(brotli_alloc, brotli_free, &encoder->memory);
    return encoder->brotli &&
           BrotliEncoderSetParameter(encoder->brotli, BROTLI_PARAM_QUALITY, (uint32_t)level) &&
           BrotliEncoderSetParameter(encoder->brotli, BROTLI_PARAM_LGWIN, BR_WINDOW_BITS);
}

lario_encoder *lario_encoder_new(enum lario_coding coding, int level)
{
    lario_encoder *encoder = calloc(1, sizeof *encoder);

    if (!encoder)
        return NULL;
    encoder->coding = coding;
    encoder->level = level;
    if (coding == LARIO_CODING_BR) {
        if (open_brotli(encoder, level))
            return encoder;
        free_blocks(&encoder->memory);
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
    if (encoder->coding == LARIO_CODING_BR)
        free_blocks(&encoder->memory);
    else
        deflateEnd(&encoder->zlib);
    free(encoder);
}

bool lario_encoder_reuse(lario_encoder *encoder, lario_encoder **spare)
{
    if (encoder->coding != LARIO_CODING_GZIP || deflateReset(&encoder->zlib) != Z_OK)
        return false;
    encoder->next = *spare;
    *spare = encoder;
    return true;
}

void lario_encoders_free(lario_encoder *spare)
{
    while (spare) {
        lario_encoder *next = spare->next;

        lario_encoder_free(spare);
        spare = next;
    }
}

lario_encoder *lario_encoder_take(lario_encoder **spare, enum lario_coding coding, int level)
{
    for (lario_encoder **at = spare; *at; at = &(*at)->next) {
        lario_encoder *found = *at;

        if (found->coding == coding && found->level == level) {
            *at = found->next;
            return found;
        }
    }
    return NULL;
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

/* One step of the encoder; false when it had to be left, and can only be freed. */
static bool step_brotli(lario_encoder *encoder, BrotliEncoderOperation operation, size_t *len,
                        const uint8_t **in)
{
    size_t none = 0;

    if (!encoder->brotli)
        return false;
    if (setjmp(encoder->memory.out_of_memory) != 0) {
        encoder->brotli = NULL;
        return false;
    }
    return BrotliEncoderCompressStream(encoder->brotli, operation, len, in, &none, NULL, NULL);
}

static int run_brotli(lario_encoder *encoder, BrotliEncoderOperation operation, const void *data,
                      size_t len, int (*put)(void *arg, const void *data, size_t len), void *arg)
{
    const uint8_t *in = data;
    int rc = 0;

    do {
        size_t out_len = 0;

        if (!step_brotli(encoder, operation, &len, &in))
            return LARIO_ENOMEM;
        BrotliEncoderState *brotli = encoder->brotli;
        const uint8_t *out = BrotliEncoderTakeOutput(brotli, &out_len);

        rc = out_len > 0 ? put(arg, out, out_len) : 0;
    } while (rc >= 0 && (len > 0 || BrotliEncoderHasMoreOutput(encoder->brotli)));
    return rc < 0 ? rc : 0;
}

int lario_encoder_run(lario_encoder *encoder, enum lario_encoder_step step, const void *data,
                      size_t len, int (*put)(void *arg, const void *data, size_t len), void *arg)
{
    bool ends = step == LARIO_ENCODE_END;

    if (encoder->coding == LARIO_CODING_BR)
        return run_brotli(encoder, ends ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_FLUSH, data,
                          len, put, arg);
    return run_zlib(&encoder->zlib, ends ? Z_FINISH : Z_SYNC_FLUSH, data, len, put, arg);
}

/* ---- Decoding ---- */

struct lario_decoder {
    z_stream zlib;
    BrotliDecoderState *brotli; /* NULL: zlib */
    brotli_memory memory;
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
        lario_list_init(&decoder->memory.blocks);
        decoder->memory.left = BR_DECODER_BYTES_MAX;
        decoder->brotli = BrotliDecoderCreateInstance(brotli_alloc, brotli_free, &decoder->memory);
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
    if (result == BROTLI_DECODER_RESULT_ERROR) {
        BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder->brotli);
        bool is_memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                         code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;

        if (is_memory)
            return decoder->memory.is_over ? LARIO_ETOOBIG : LARIO_ENOMEM;
        return LARIO_EPROTO;
    }
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
