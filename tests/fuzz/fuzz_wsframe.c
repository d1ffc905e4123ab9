/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_frame.h"

#include <string.h>

#include "fuzz_target.h"
#include "lario/error.h"

/*
 * The input's first byte gives the limit of a message, the second the sizes of the pieces and
 * whether permessage-deflate was agreed on; the rest is the stream. It is parsed whole and in
 * pieces, which must give the same messages, control frames and failure. A record is an opcode, its
 * length and the bytes.
 */

typedef struct record {
    uint8_t *bytes; /* complete messages and control frames */
    size_t len;
    uint8_t *message; /* the unfinished message */
    size_t message_len;
    uint64_t limit;
    bool deflates;
    bool in_message;
    uint16_t close_code; /* once it failed */
} record;

static void keep(record *to, uint8_t opcode, const void *data, size_t len)
{
    to->bytes[to->len++] = opcode;
    memcpy(to->bytes + to->len, &len, sizeof(len));
    to->len += sizeof(len);
    memcpy(to->bytes + to->len, data, len);
    to->len += len;
}

static void on_control(record *to, const lario_ws_event *event)
{
    uint16_t code = 0;

    FUZZ_CHECK(event->first && event->last);
    FUZZ_CHECK(event->len <= LARIO_WS_CONTROL_BYTES_MAX);
    if (event->opcode == LARIO_WS_OP_CLOSE &&
        lario_ws_close_parse(event->data, event->len, &code) >= 0)
        FUZZ_CHECK(code == 1005 || lario_ws_close_code_is_valid(code));
    keep(to, event->opcode, event->data, event->len);
}

static void on_piece(record *to, const lario_ws_event *event)
{
    FUZZ_CHECK(event->opcode == LARIO_WS_OP_TEXT || event->opcode == LARIO_WS_OP_BINARY);
    FUZZ_CHECK(event->first == !to->in_message);
    FUZZ_CHECK(event->len > 0 || event->first || event->last);
    FUZZ_CHECK(to->deflates || !event->compressed);
    FUZZ_CHECK(event->compressed || event->len <= to->limit - to->message_len);
    FUZZ_CHECK(event->len <= 2 * to->limit + 1024 - to->message_len);
    memcpy(to->message + to->message_len, event->data, event->len);
    to->message_len += event->len;
    to->in_message = !event->last;
    if (!event->last)
        return;
    FUZZ_CHECK(event->opcode == LARIO_WS_OP_BINARY || event->compressed ||
               lario_utf8_is_valid((const char *)to->message, to->message_len));
    keep(to, event->opcode, to->message, to->message_len);
    to->message_len = 0;
}

/* Gives a copy of these bytes alone; a sanitizer sees each step beyond them. */
static void give(lario_ws_parser *parser, record *to, const uint8_t *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    size_t at = 0, used = 0;
    lario_ws_event event;
    int rc = 1;

    FUZZ_CHECK(copy);
    memcpy(copy, data, size);
    while (rc == 1) {
        rc = lario_ws_parser_next(parser, copy + at, size - at, &used, &event);
        if (rc < 0) {
            FUZZ_CHECK(rc == LARIO_EPROTO && parser->reason);
            to->close_code = parser->close_code;
            break;
        }
        FUZZ_CHECK(used <= size - at);
        at += used;
        if (rc == 0)
            FUZZ_CHECK(at == size);
        else if (event.opcode & 8)
            on_control(to, &event);
        else
            on_piece(to, &event);
    }
    free(copy);
}

/* Parses the stream in pieces of `step` and 1 bytes in turn; 0: whole. */
static void parse(record *to, const uint8_t *data, size_t size, size_t step)
{
    lario_ws_parser parser;
    size_t at = 0, take = step > 0 ? step : size;

    lario_ws_parser_init(&parser, to->limit);
    parser.deflates = to->deflates;
    while (at < size && !to->close_code) {
        if (take > size - at)
            take = size - at;
        give(&parser, to, data + at, take);
        at += take;
        take = take == 1 ? step : 1;
    }
}

static void open_record(record *to, uint64_t limit, size_t size)
{
    /* A frame has at least 6 bytes, a record 9 beside its payload; twice that is ample. */
    *to = (record){.bytes = malloc(4 * size + 64), .message = malloc(size + 1), .limit = limit};
    FUZZ_CHECK(to->bytes && to->message);
}

static void close_record(record *of)
{
    free(of->bytes);
    free(of->message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    record whole, pieces;
    uint64_t limit;

    if (size < 2)
        return 0;
    limit = (uint64_t)data[0] * data[0];
    open_record(&whole, limit, size);
    open_record(&pieces, limit, size);
    whole.deflates = pieces.deflates = data[1] & 0x80;
    parse(&whole, data + 2, size - 2, 0);
    parse(&pieces, data + 2, size - 2, 1u + data[1] % 32u);
    FUZZ_CHECK(whole.close_code == pieces.close_code);
    FUZZ_CHECK(whole.len == pieces.len);
    FUZZ_CHECK(memcmp(whole.bytes, pieces.bytes, whole.len) == 0);
    close_record(&whole);
    close_record(&pieces);
    return 0;
}
