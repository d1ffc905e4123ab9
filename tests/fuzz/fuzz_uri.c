/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/uri.h"

#include <string.h>

#include "codec/utf8.h"
#include "fuzz_target.h"
#include "lario/error.h"

/*
 * The input is decoded as a path, in both ways and in place, and as a query; and parted into the
 * pairs of a query. What comes out keeps the promises of codec/uri.h.
 */

static char *copy_of(const uint8_t *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);

    FUZZ_CHECK(copy);
    memcpy(copy, data, size);
    return copy;
}

static void decode_path(const uint8_t *data, size_t size)
{
    char *raw = copy_of(data, size), *out = copy_of(data, size), *kept = copy_of(data, size);
    int rc = lario_uri_decode_path(raw, size, out, '/');
    int apart = lario_uri_decode_path(kept, size, kept, LARIO_URI_ENCODED_SLASH);

    FUZZ_CHECK(rc == apart && rc <= (int)size);
    if (rc < 0) {
        FUZZ_CHECK(rc == LARIO_EPROTO);
    } else {
        FUZZ_CHECK(lario_utf8_is_valid(out, (size_t)rc));
        /* NUL, CR and LF come from no escape; here they may stand there themselves. */
        if (!memchr(data, '\0', size))
            FUZZ_CHECK(!memchr(out, '\0', (size_t)rc));
        for (int i = 0; i < rc; i++)
            FUZZ_CHECK(out[i] == kept[i] || (out[i] == '/' && kept[i] == LARIO_URI_ENCODED_SLASH));
        if (!memchr(data, '%', size))
            FUZZ_CHECK(rc == (int)size && memcmp(out, data, size) == 0);
    }
    free(kept);
    free(out);
    free(raw);
}

static void decode_form(const uint8_t *data, size_t size)
{
    char *raw = copy_of(data, size), *out = copy_of(data, size);
    int rc = lario_uri_decode_form(raw, size, out);

    FUZZ_CHECK(rc <= (int)size && (rc >= 0 || rc == LARIO_EPROTO));
    FUZZ_CHECK(lario_uri_decode_form(raw, size, raw) == rc);
    if (rc >= 0)
        FUZZ_CHECK(memcmp(raw, out, (size_t)rc) == 0);
    free(out);
    free(raw);
}

static void part_query(const uint8_t *data, size_t size)
{
    char *raw = copy_of(data, size);
    const char *at = raw, *end = raw + size, *name, *value, *before = raw;
    size_t name_len, value_len;

    while (lario_uri_query_next(&at, end, &name, &name_len, &value, &value_len)) {
        FUZZ_CHECK(name >= before && name + name_len <= value && value + value_len <= at);
        FUZZ_CHECK(!memchr(name, '&', name_len) && !memchr(name, '=', name_len));
        FUZZ_CHECK(!memchr(value, '&', value_len));
        FUZZ_CHECK(at > before && at <= end);
        before = at;
    }
    FUZZ_CHECK(at == end);
    free(raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode_path(data, size);
    decode_form(data, size);
    part_query(data, size);
    return 0;
}
