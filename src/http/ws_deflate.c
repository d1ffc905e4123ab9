/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/ws_deflate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "http/loop.h"
#include "http/ws.h"

/* Fast rather than small: messages are many and short. */
#define LEVEL Z_BEST_SPEED

/* zlib's other memory of a compressor: 1 << (MEMORY + 9) bytes, beside 1 << (bits + 2). */
#define MEMORY 5

/* The smallest window that zlib compresses with. */
#define BITS_MIN 9

/* What every message of RFC 7692 ends with before it is sent, and gets back to be read (7.2). */
static const char tail[4] = {0x00, 0x00, (char)0xff, (char)0xff};

/* A small message may well inflate to more than its share. */
#define RATIO_FREE_BYTES 65536

#define GROW_BYTES_FIRST 1024

struct lario_ws_deflate_state {
    lario_ws_deflate_agreed agreed;
    z_stream *compressor; /* of its own; NULL: none yet, or a shared one */
    z_stream *inflater;
};

/* By the bits of their windows. */
struct lario_ws_coders {
    z_stream *compressors[LARIO_WS_WINDOW_BITS_MAX + 1];
    z_stream *inflaters[LARIO_WS_WINDOW_BITS_MAX + 1];
};

/* ---- Coders ---- */

static z_stream *new_compressor(int bits)
{
    z_stream *coder = calloc(1, sizeof *coder);

    if (coder && deflateInit2(coder, LEVEL, Z_DEFLATED, -bits, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK)
        return coder;
    free(coder);
    return NULL;
}

static z_stream *new_inflater(int bits)
{
    z_stream *coder = calloc(1, sizeof *coder);

    if (coder && inflateInit2(coder, -bits) == Z_OK)
        return coder;
    free(coder);
    return NULL;
}

static void free_compressor(z_stream *coder)
{
    if (coder)
        deflateEnd(coder);
    free(coder);
}

static void free_inflater(z_stream *coder)
{
    if (coder)
        inflateEnd(coder);
    free(coder);
}

static lario_ws_coders *shared_coders(lario_ws *ws)
{
    lario_http_loop *state = lario_http_loop_of(lario_ws_stream(ws)->loop);

    if (!state->ws_coders)
        state->ws_coders = calloc(1, sizeof(lario_ws_coders));
    return state->ws_coders;
}

void lario_ws_coders_free(lario_ws_coders *coders)
{
    for (unsigned bits = 0; coders && bits <= LARIO_WS_WINDOW_BITS_MAX; bits++) {
        free_compressor(coders->compressors[bits]);
        free_inflater(coders->inflaters[bits]);
    }
    free(coders);
}

/* The compressor for the next message, as if it were new unless it keeps its window. */
static z_stream *compressor_for(lario_ws *ws)
{
    lario_ws_deflate_state *state = ws->deflate;
    unsigned bits = state->agreed.server_bits;
    lario_ws_coders *coders = state->agreed.server_keeps ? NULL : shared_coders(ws);

    if (!state->agreed.server_keeps && !coders)
        return NULL;
    z_stream **place = coders ? &coders->compressors[bits] : &state->compressor;

    if (!*place)
        *place = new_compressor((int)bits);
    else if (coders && deflateReset(*place) != Z_OK)
        return NULL;
    return *place;
}

static z_stream *inflater_for(lario_ws *ws)
{
    lario_ws_deflate_state *state = ws->deflate;
    unsigned bits = state->agreed.client_bits;
    lario_ws_coders *coders = state->agreed.client_keeps ? NULL : shared_coders(ws);

    if (!state->agreed.client_keeps && !coders)
        return NULL;
    z_stream **place = coders ? &coders->inflaters[bits] : &state->inflater;

    if (!*place)
        *place = new_inflater((int)bits);
    else if (coders && inflateReset(*place) != Z_OK)
        return NULL;
    return *place;
}

/* ---- A session ---- */

bool lario_ws_deflate_is_known(void)
{
    return true;
}

int lario_ws_deflate_new(const lario_ws_deflate_agreed *agreed, lario_ws_deflate_state **ret_state)
{
    lario_ws_deflate_state *state = calloc(1, sizeof *state);

    if (!state)
        return LARIO_ENOMEM;
    state->agreed = *agreed;
    *ret_state = state;
    return 0;
}

void lario_ws_deflate_free(lario_ws_deflate_state *state)
{
    if (!state)
        return;
    free_compressor(state->compressor);
    free_inflater(state->inflater);
    free(state);
}

bool lario_ws_deflates(const lario_ws_deflate_state *state)
{
    return state->agreed.server_bits >= BITS_MIN;
}

bool lario_ws_takes_shared(const lario_ws_deflate_state *state, unsigned bits)
{
    /* What is not in our own window must not get into the peer's. */
    return state && !state->agreed.server_keeps && state->agreed.server_bits >= bits;
}

/* ---- Messages ---- */

/* Runs the compressor over all of it; what it writes fits, as deflateBound() has it. */
static int compress_all(z_stream *coder, const void *data, size_t len, char *out, size_t room,
                        size_t *ret_len)
{
    if (len > UINT_MAX || room > UINT_MAX)
        return LARIO_ETOOBIG;
    coder->next_in = (Bytef *)data; /* it does not write there */
    coder->avail_in = (uInt)len;
    coder->next_out = (Bytef *)out;
    coder->avail_out = (uInt)room;
    if (deflate(coder, Z_SYNC_FLUSH) != Z_OK || coder->avail_in > 0 || coder->avail_out == 0)
        return LARIO_ENOMEM;
    *ret_len = room - coder->avail_out - sizeof tail;
    return 0;
}

/* Room for the message, the marks of a flush, and one byte more, so that the flush is complete. */
static size_t room_for(z_stream *coder, size_t len)
{
    return deflateBound(coder, len) + 16;
}

int lario_ws_deflate(lario_ws *ws, const void *data, size_t len, lario_block **ret_packed)
{
    z_stream *coder = compressor_for(ws);
    lario_block *packed = coder ? lario_block_get(lario_ws_pool(ws), room_for(coder, len)) : NULL;

    if (!packed)
        return LARIO_ENOMEM;
    int rc = compress_all(coder, data, len, packed->bytes, packed->room, &packed->end);

    if (rc < 0) {
        lario_block_put(lario_ws_pool(ws), packed);
        return rc;
    }
    *ret_packed = packed;
    return 0;
}

int lario_ws_deflate_alone(const void *data, size_t len, unsigned bits, char **ret_packed,
                           size_t *ret_len)
{
    z_stream *coder = new_compressor((int)bits);
    size_t room = coder ? room_for(coder, len) : 0;
    char *packed = coder ? malloc(room) : NULL;
    int rc = packed ? compress_all(coder, data, len, packed, room, ret_len) : LARIO_ENOMEM;

    free_compressor(coder);
    if (rc < 0) {
        free(packed);
        return rc;
    }
    *ret_packed = packed;
    return 0;
}

/* What is inflated so far moves to a block twice as large, up to one byte over the limit. */
static int grow(lario_ws *ws, lario_block **block, size_t max)
{
    size_t room = *block ? (*block)->room : 0;
    size_t wanted = room ? 2 * room : GROW_BYTES_FIRST;

    if (room > max)
        return LARIO_ETOOBIG;
    if (wanted > max + 1)
        wanted = max + 1;
    lario_block *larger = lario_block_get(lario_ws_pool(ws), wanted);

    if (!larger)
        return LARIO_ENOMEM;
    if (*block) {
        memcpy(larger->bytes, (*block)->bytes, (*block)->end);
        larger->end = (*block)->end;
        lario_block_put(lario_ws_pool(ws), *block);
    }
    *block = larger;
    return 0;
}

/* The most that a message of `len` bytes may inflate to. */
static size_t inflated_max(lario_ws *ws, size_t len)
{
    uint64_t ratio = lario_http_conn_limits(ws->conn)->inflate_ratio_max;
    uint64_t max = ws->parser.message_bytes_max;
    uint64_t by_ratio = len * ratio > RATIO_FREE_BYTES ? len * ratio : RATIO_FREE_BYTES;

    return by_ratio < max ? by_ratio : max;
}

/* Inflates one piece to its end, however often the block must grow. */
static int inflate_piece(lario_ws *ws, z_stream *coder, const char *data, size_t len, size_t max,
                         lario_block **block)
{
    coder->next_in = (Bytef *)data;
    coder->avail_in = (uInt)len;
    while (true) {
        if (!*block || (*block)->end == (*block)->room) {
            int rc = grow(ws, block, max);

            if (rc < 0)
                return rc;
        }
        coder->next_out = (Bytef *)(*block)->bytes + (*block)->end;
        coder->avail_out = (uInt)((*block)->room - (*block)->end);
        int rc = inflate(coder, Z_SYNC_FLUSH);

        (*block)->end = (*block)->room - coder->avail_out;
        if (rc == Z_MEM_ERROR)
            return LARIO_ENOMEM;
        /* A last block (7.2.3.4) ends the stream; what follows begins anew. */
        if (rc == Z_STREAM_END && inflateReset(coder) != Z_OK)
            return LARIO_EPROTO;
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
            return LARIO_EPROTO;
        if ((*block)->end > max)
            return LARIO_ETOOBIG;
        if (coder->avail_out > 0 && (coder->avail_in == 0 || rc == Z_BUF_ERROR))
            return coder->avail_in == 0 ? 0 : LARIO_EPROTO;
    }
}

int lario_ws_inflate(lario_ws *ws, const lario_block *packed, lario_block **ret_plain)
{
    z_stream *coder = inflater_for(ws);
    size_t max = inflated_max(ws, packed->end);
    lario_block *plain = NULL;

    if (!coder)
        return LARIO_ENOMEM;
    if (packed->end > UINT_MAX)
        return LARIO_ETOOBIG;
    int rc = inflate_piece(ws, coder, packed->bytes, packed->end, max, &plain);

    if (rc == 0)
        rc = inflate_piece(ws, coder, tail, sizeof tail, max, &plain);
    if (rc < 0 && plain) {
        lario_block_put(lario_ws_pool(ws), plain);
        plain = NULL;
    }
    *ret_plain = plain;
    return rc;
}
