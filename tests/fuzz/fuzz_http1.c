/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz_target.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "codec/http1_body.h"
#include "codec/http1_head.h"
#include "codec/token.h"
#include "codec/uri.h"
#include "lario/error.h"

/*
 * An HTTP/1 request, and in it paths and queries. The first byte of the input chooses the limits
 * and how the rest is cut into reads. However it is cut, head and body must come out the same, and
 * a head that is accepted must keep what its interface promises.
 */

static const lario_http1_limits roomy_head = {8000, 100, 64, 8192, 32768};
static const lario_http1_limits tight_head = {40, 6, 20, 30, 250};
static const lario_http1_body_limits roomy_body = {256, 1000, 100, 32768, 64, 8192};
static const lario_http1_body_limits tight_body = {20, 3, 2, 40, 10, 15};

/* A small generator for the lengths of reads; the seed comes from the input. */
static size_t next_read(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return 1 + (*seed >> 24) % 23;
}

/* A copy of the first `len` bytes in a block of that size, so that ASan sees a read beyond. */
static char *copy_of(const char *data, size_t len)
{
    char *copy = malloc(len > 0 ? len : 1);

    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, len);
    return copy;
}

static void check_span(lario_http1_span span, size_t len)
{
    FUZZ_CHECK((size_t)span.at + span.len <= len);
}

static void check_field(const char *data, size_t len, const lario_http1_field *field)
{
    const char *value = data + field->value.at;
    size_t value_len = field->value.len;

    check_span(field->name, len);
    check_span(field->value, len);
    FUZZ_CHECK(lario_token_is_valid(data + field->name.at, field->name.len));
    FUZZ_CHECK(lario_field_value_is_valid(value, value_len));
    FUZZ_CHECK(value_len == 0 || (value[0] != ' ' && value[value_len - 1] != ' '));
    FUZZ_CHECK(value_len == 0 || (value[0] != '\t' && value[value_len - 1] != '\t'));
}

static void check_head(const lario_http1_head *head, const lario_http1_limits *limits,
                       const char *data, size_t len)
{
    FUZZ_CHECK(len <= limits->head_bytes_max && head->fields_count <= limits->fields_max);
    check_span(head->target, len);
    check_span(head->path, len);
    check_span(head->query, len);
    check_span(head->host, len);
    FUZZ_CHECK(lario_token_is_valid(data + head->method.at, head->method.len));
    FUZZ_CHECK(head->target.len > 0);
    FUZZ_CHECK(head->path.len == 0 || data[head->path.at] == '/' || data[head->path.at] == '*');
    FUZZ_CHECK(!(head->chunked && (head->has_length || head->minor == 0)));
    FUZZ_CHECK(head->has_length || head->content_length == 0);
    for (unsigned i = 0; i < head->fields_count; i++)
        check_field(data, len, &head->fields[i]);
    FUZZ_CHECK(head->minor == 0 || head->fields_count > 0);
}

/* Parses the head as it arrives in reads; the bytes move with each. */
static int parse_in_reads(lario_http1_head *head, const lario_http1_limits *limits,
                          const char *data, size_t len, uint32_t seed)
{
    size_t have = 0;
    int rc = 0;

    lario_http1_head_init(head);
    while (rc == 0 && have < len) {
        size_t more = next_read(&seed);
        char *arrived;

        have = more < len - have ? have + more : len;
        arrived = copy_of(data, have);
        rc = lario_http1_head_parse(head, limits, arrived, have);
        free(arrived);
    }
    return rc;
}

/* Returns the length of the head, or 0 without a good one. */
static size_t fuzz_head(lario_http1_head *head, const lario_http1_limits *limits, const char *data,
                        size_t len, uint32_t seed)
{
    static lario_http1_head again;
    const size_t result_at = offsetof(lario_http1_head, status);
    int rc;

    lario_http1_head_init(head);
    rc = lario_http1_head_parse(head, limits, data, len);
    FUZZ_CHECK(parse_in_reads(&again, limits, data, len, seed) == rc);
    if (rc == 0)
        return 0;
    FUZZ_CHECK(memcmp((const char *)head + result_at, (const char *)&again + result_at,
                      offsetof(lario_http1_head, fields) - result_at) == 0);
    FUZZ_CHECK(memcmp(head->fields, again.fields, head->fields_count * sizeof head->fields[0]) ==
               0);
    FUZZ_CHECK(rc > 0 || (rc == LARIO_EPROTO && head->status >= 400 && head->reason));
    if (rc < 0)
        return 0;
    check_head(head, limits, data, (size_t)rc);
    return (size_t)rc;
}

/* What a body gave: its result, how much of the input it took and its data. */
typedef struct body_outcome {
    int result;
    size_t used;
    size_t len;
    char *data;
} body_outcome;

static int decode_read(lario_http1_body *body, const lario_http1_body_limits *limits,
                       const char *read, size_t len, body_outcome *out)
{
    size_t at = 0;
    int rc;

    do {
        const char *piece = NULL;
        size_t piece_len = 0;
        size_t used = 0;

        rc = lario_http1_body_next(body, limits, read + at, len - at, &used, &piece, &piece_len);
        FUZZ_CHECK(used <= len - at);
        at += used;
        if (rc == LARIO_HTTP1_BODY_DATA) {
            FUZZ_CHECK(piece_len > 0 && piece >= read && piece + piece_len <= read + at);
            memcpy(out->data + out->len, piece, piece_len);
            out->len += piece_len;
        }
    } while (rc == LARIO_HTTP1_BODY_DATA);
    FUZZ_CHECK(rc != LARIO_HTTP1_BODY_MORE || at == len);
    out->used += at;
    return rc;
}

static body_outcome decode_body(const lario_http1_head *head, const lario_http1_body_limits *limits,
                                const char *data, size_t len, uint32_t seed, bool in_reads)
{
    body_outcome out = {.data = malloc(len + 1)};
    lario_http1_body body;
    size_t at = 0;

    FUZZ_CHECK(out.data != NULL);
    lario_http1_body_init(&body, head);
    do {
        size_t more = in_reads ? next_read(&seed) : len;
        size_t read_len = more < len - at ? more : len - at;
        char *read = copy_of(data + at, read_len);

        out.result = decode_read(&body, limits, read, read_len, &out);
        free(read);
        at += read_len;
    } while (out.result == LARIO_HTTP1_BODY_MORE && at < len);
    FUZZ_CHECK(out.result >= 0 || (out.result == LARIO_EPROTO && body.reason));
    return out;
}

static void fuzz_body(const lario_http1_head *head, const lario_http1_body_limits *limits,
                      const char *data, size_t len, uint32_t seed)
{
    body_outcome whole = decode_body(head, limits, data, len, seed, false);
    body_outcome reads = decode_body(head, limits, data, len, seed, true);

    FUZZ_CHECK(whole.result == reads.result && whole.len == reads.len);
    FUZZ_CHECK(whole.result < 0 || whole.used == reads.used);
    FUZZ_CHECK(memcmp(whole.data, reads.data, whole.len) == 0);
    free(whole.data);
    free(reads.data);
}

/* Decoding in place gives the same as elsewhere, never more bytes, and no control it must not. */
static void fuzz_path(const char *raw, size_t len)
{
    char *out = malloc(len + 1);
    char *in_place = copy_of(raw, len);
    int rc;

    FUZZ_CHECK(out != NULL);
    rc = lario_uri_decode_path(raw, len, out, LARIO_URI_ENCODED_SLASH);
    FUZZ_CHECK(lario_uri_decode_path(in_place, len, in_place, LARIO_URI_ENCODED_SLASH) == rc);
    if (rc >= 0) {
        FUZZ_CHECK((size_t)rc <= len && memcmp(out, in_place, (size_t)rc) == 0);
        FUZZ_CHECK(lario_uri_decode_path(raw, len, out, '/') == rc);
    }
    free(in_place);
    free(out);
}

static void fuzz_query(const char *query, size_t len)
{
    const char *at = query;
    const char *end = query + len;
    const char *name, *value;
    size_t name_len, value_len;
    char *out = malloc(len + 1);

    FUZZ_CHECK(out != NULL);
    while (lario_uri_query_next(&at, end, &name, &name_len, &value, &value_len)) {
        FUZZ_CHECK(name >= query && name + name_len <= value && value + value_len <= end);
        FUZZ_CHECK(at > name && at <= end);
        FUZZ_CHECK(lario_uri_decode_form(name, name_len, out) <= (int)name_len);
        FUZZ_CHECK(lario_uri_decode_form(value, value_len, out) <= (int)value_len);
    }
    FUZZ_CHECK(at == end);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static lario_http1_head head;
    bool tight;
    uint32_t seed;
    char *data;
    size_t len;
    size_t head_len;

    if (size == 0)
        return 0;
    tight = input[0] & 1;
    seed = input[0];
    len = size - 1;
    data = copy_of((const char *)input + 1, len);
    head_len = fuzz_head(&head, tight ? &tight_head : &roomy_head, data, len, seed);
    if (head_len > 0) {
        fuzz_body(&head, tight ? &tight_body : &roomy_body, data + head_len, len - head_len, seed);
        fuzz_path(data + head.path.at, head.path.len);
        fuzz_query(data + head.query.at, head.query.len);
    }
    /* Bytes that no request target can hold come to the URI functions too, from forms. */
    fuzz_path(data, len);
    fuzz_query(data, len);
    free(data);
    return 0;
}
