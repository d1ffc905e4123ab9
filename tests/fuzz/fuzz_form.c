/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/form.h"

#include <string.h>

#include "fuzz_target.h"
#include "lario/error.h"

/*
 * The input is a whole form. What is decoded is encoded again in full and decoded once more, which
 * must give the same fields.
 */

#define FIELDS_MAX 1000

static char *encode(char *at, const char *text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (; *text; text++) {
        *at++ = '%';
        *at++ = hex[(unsigned char)*text >> 4];
        *at++ = hex[(unsigned char)*text & 15];
    }
    return at;
}

static size_t encode_all(char *out, const lario_form_pair *pairs, int count)
{
    char *at = out;

    for (int i = 0; i < count; i++) {
        at = encode(at, pairs[i].name);
        *at++ = '=';
        at = encode(at, pairs[i].value);
        *at++ = '&';
    }
    return (size_t)(at - out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *body = malloc(size + 1), *text = malloc(size + 1);
    size_t count = body ? lario_form_count(memcpy(body, data, size), size, FIELDS_MAX) : 0;
    lario_form_pair *pairs = calloc(count + 1, sizeof *pairs);
    lario_form_pair *again = calloc(count + 1, sizeof *again);
    char *encoded = malloc(3 * size + 2 * count + 1);

    FUZZ_CHECK(body && text && pairs && again && encoded);
    int rc = count <= FIELDS_MAX ? lario_form_decode(body, size, pairs, text) : 0;

    FUZZ_CHECK(rc == LARIO_EPROTO || rc == (int)count || count > FIELDS_MAX);
    if (rc > 0) {
        size_t len = encode_all(encoded, pairs, rc);
        char *exact = malloc(len + 1);

        FUZZ_CHECK(exact);
        FUZZ_CHECK(lario_form_count(encoded, len, FIELDS_MAX) == (size_t)rc);
        FUZZ_CHECK(lario_form_decode(encoded, len, again, exact) == rc);
        for (int i = 0; i < rc; i++) {
            FUZZ_CHECK(strcmp(pairs[i].name, again[i].name) == 0);
            FUZZ_CHECK(strcmp(pairs[i].value, again[i].value) == 0);
        }
        free(exact);
    }
    free(encoded);
    free(again);
    free(pairs);
    free(text);
    free(body);
    return 0;
}
