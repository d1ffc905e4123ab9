/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/coder.h"

#include <string.h>

#include "fuzz_target.h"
#include "lario/error.h"

/*
 * The input's first byte gives the coding, the second the sizes of the pieces; the rest is decoded
 * whole and in pieces, which must give the same bytes and the same end.
 */

#define OUT_BYTES_MAX 100000

typedef struct decoded {
    char bytes[OUT_BYTES_MAX];
    size_t len;
    int rc;
    bool is_done;
} decoded;

static void decode(decoded *to, enum lario_coding coding, const uint8_t *data, size_t size,
                   size_t step, size_t room)
{
    lario_decoder *decoder = lario_decoder_new(coding);

    FUZZ_CHECK(decoder);
    *to = (decoded){0};
    for (size_t at = 0; at < size && to->rc >= 0 && to->len < OUT_BYTES_MAX; at += step) {
        size_t len = size - at < step ? size - at : step;
        char *copy = malloc(len);
        const char *in = copy;

        FUZZ_CHECK(copy);
        memcpy(copy, data + at, len);
        do {
            size_t left = OUT_BYTES_MAX - to->len;

            to->rc = lario_decoder_run(decoder, &in, &len, to->bytes + to->len,
                                       left < room ? left : room);
            FUZZ_CHECK(to->rc <= (int)room);
            to->len += to->rc > 0 ? (size_t)to->rc : 0;
        } while (to->rc > 0 && to->len < OUT_BYTES_MAX);
        free(copy);
    }
    to->is_done = lario_decoder_is_done(decoder);
    lario_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum lario_coding codings[] = {LARIO_CODING_GZIP, LARIO_CODING_DEFLATE,
                                                LARIO_CODING_BR};
    static decoded whole, pieces;

    if (size < 3)
        return 0;
    enum lario_coding coding = codings[data[0] % 3];

    decode(&whole, coding, data + 2, size - 2, size, 4096);
    decode(&pieces, coding, data + 2, size - 2, 1u + data[1] % 16, 1u + data[1] / 16 * 100);
    if (whole.len == OUT_BYTES_MAX || pieces.len == OUT_BYTES_MAX)
        return 0; /* cut short by the room here */
    if (whole.rc == 0 || pieces.rc == 0)
        FUZZ_CHECK(whole.rc == pieces.rc && whole.is_done == pieces.is_done);
    size_t common = whole.len < pieces.len ? whole.len : pieces.len;

    FUZZ_CHECK(memcmp(whole.bytes, pieces.bytes, common) == 0);
    return 0;
}
