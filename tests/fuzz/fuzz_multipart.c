/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/multipart.h"

#include <string.h>

#include "codec/multipart_head.h"
#include "fuzz_target.h"
#include "lario/error.h"

/*
 * The input's first byte gives the limits, the second the sizes of the pieces; then follow the
 * Content-Type up to a LF, and the body. It is parsed whole and in pieces, which must give the same
 * parts and the same end. Each part's head is read.
 */

typedef struct record {
    uint8_t *bytes;
    size_t len;
    size_t room;
    int rc;
    int last; /* the last event but for data */
} record;

static void keep(record *to, const void *data, size_t len)
{
    FUZZ_CHECK(len <= to->room - to->len);
    memcpy(to->bytes + to->len, data, len);
    to->len += len;
}

static void read_part_head(const lario_multipart *parser)
{
    char *copy = malloc(parser->head_len);
    lario_multipart_head head;

    FUZZ_CHECK(copy && parser->head_len >= 2);
    memcpy(copy, parser->head, parser->head_len);
    int rc = lario_multipart_head_read(copy, parser->head_len, &head);

    if (rc < 0) {
        FUZZ_CHECK(rc == LARIO_EPROTO && head.reason);
    } else {
        FUZZ_CHECK(head.name && head.type);
        FUZZ_CHECK(strlen(head.name) + strlen(head.type) < parser->head_len + 11);
        FUZZ_CHECK(!head.file_name || !strpbrk(head.file_name, "/\\"));
    }
    free(copy);
}

static void on_event(record *to, const lario_multipart *parser, int event, const char *data,
                     size_t len)
{
    uint8_t mark = (uint8_t)event;

    if (event == LARIO_MULTIPART_DATA) {
        FUZZ_CHECK(len > 0 && to->last == LARIO_MULTIPART_PART);
        keep(to, data, len);
        return;
    }
    /* PART and PART_END in turn, END in place of a PART. */
    FUZZ_CHECK((to->last == LARIO_MULTIPART_PART) == (event == LARIO_MULTIPART_PART_END));
    FUZZ_CHECK(to->last != LARIO_MULTIPART_END);
    to->last = event;
    keep(to, &mark, 1);
    if (event == LARIO_MULTIPART_PART) {
        keep(to, parser->head, parser->head_len);
        read_part_head(parser);
    }
}

/* Gives a copy of these bytes alone; a sanitizer sees each step beyond them. */
static void give(lario_multipart *parser, const lario_multipart_limits *limits, record *to,
                 const uint8_t *bytes, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    size_t at = 0, used = 0, len = 0;
    const char *data = NULL;

    FUZZ_CHECK(copy);
    memcpy(copy, bytes, size);
    do {
        to->rc = lario_multipart_next(parser, limits, copy + at, size - at, &used, &data, &len);
        if (to->rc < 0) {
            FUZZ_CHECK(parser->reason);
            break;
        }
        FUZZ_CHECK(used <= size - at);
        at += used;
        if (to->rc > 0)
            on_event(to, parser, to->rc, data, len);
    } while (to->rc > 0);
    FUZZ_CHECK(to->rc < 0 || at == size);
    free(copy);
}

/* Parses the body in pieces of `step` and 1 bytes in turn; 0: whole. */
static void parse(record *to, const lario_multipart_limits *limits, const char *type,
                  size_t type_len, const uint8_t *data, size_t size, size_t step)
{
    lario_multipart parser;
    char *head = malloc(limits->part_head_bytes_max + 1);
    size_t at = 0, take = step > 0 ? step : size;

    /* An event has at least a byte of the input, and so has each byte that is told. */
    *to = (record){.bytes = malloc(2 * size + 16), .room = 2 * size + 16};
    FUZZ_CHECK(head && to->bytes);
    to->rc = lario_multipart_init(&parser, type, type_len, head);
    while (at < size && to->rc >= 0) {
        if (take > size - at)
            take = size - at;
        give(&parser, limits, to, data + at, take);
        at += take;
        take = take == 1 ? step : 1;
    }
    if (to->rc >= 0) {
        to->rc = lario_multipart_finish(&parser);
        FUZZ_CHECK((to->rc == 0) == (to->last == LARIO_MULTIPART_END));
    }
    free(head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *feed = size > 2 ? memchr(data + 2, '\n', size - 2) : NULL;

    if (!feed)
        return 0;
    lario_multipart_limits limits = {data[0] & 15u, data[0]};
    char *type = malloc((size_t)(feed - data));
    size_t type_len = (size_t)(feed - data) - 2;
    const uint8_t *body = feed + 1;
    size_t body_len = size - (size_t)(body - data);
    record whole, pieces;

    FUZZ_CHECK(type);
    memcpy(type, data + 2, type_len);
    parse(&whole, &limits, type, type_len, body, body_len, 0);
    parse(&pieces, &limits, type, type_len, body, body_len, 1u + data[1] % 32u);
    FUZZ_CHECK(whole.rc == pieces.rc);
    FUZZ_CHECK(whole.len == pieces.len);
    FUZZ_CHECK(memcmp(whole.bytes, pieces.bytes, whole.len) == 0);
    free(whole.bytes);
    free(pieces.bytes);
    free(type);
    return 0;
}
