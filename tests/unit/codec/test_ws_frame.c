/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/*
 * A stream of frames is built, then given to the parser whole, byte by byte and split at every
 * offset. Each time its events, with the pieces of a message joined, must read the same: such as
 * "text:hello;ping:;fail 1002". A message appears when it ends, so that a failure hides its start.
 */

#define FIN 0x80
#define STREAM_BYTES_MAX 200000

typedef struct stream {
    char bytes[STREAM_BYTES_MAX];
    size_t len;
    uint64_t limit;
} stream;

typedef struct transcript {
    char text[2 * STREAM_BYTES_MAX];
    size_t text_len;
    char message[STREAM_BYTES_MAX];
    size_t message_len;
    bool in_message;
    bool failed;
} transcript;

static stream input;
static transcript expected, seen;

static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};

static void start(uint64_t limit)
{
    input.len = 0;
    input.limit = limit;
}

static void add_bytes(const void *bytes, size_t len)
{
    assert_true(input.len + len <= sizeof(input.bytes));
    memcpy(input.bytes + input.len, bytes, len);
    input.len += len;
}

#define ADD(...) add_bytes((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* A masked frame with the shortest length, masked by the definition of RFC 6455 5.3. */
static void add_frame(uint8_t first, const char *payload, size_t len)
{
    uint8_t header[LARIO_WS_HEADER_BYTES_MAX];
    size_t header_len = lario_ws_header_write(header, 0, len);

    header[0] = first;
    header[1] |= 0x80;
    add_bytes(header, header_len);
    add_bytes(mask, 4);
    for (size_t i = 0; i < len; i++)
        ADD((uint8_t)((uint8_t)payload[i] ^ mask[i % 4]));
}

static void add(uint8_t first, const char *payload)
{
    add_frame(first, payload, strlen(payload));
}

static void write_down(transcript *to, const char *text, size_t len)
{
    assert_true(to->text_len + len < sizeof(to->text));
    memcpy(to->text + to->text_len, text, len);
    to->text_len += len;
    to->text[to->text_len] = '\0';
}

static void write_named(transcript *to, uint8_t opcode, const char *data, size_t len)
{
    const char *name = opcode == LARIO_WS_OP_TEXT     ? "text:"
                       : opcode == LARIO_WS_OP_BINARY ? "binary:"
                       : opcode == LARIO_WS_OP_CLOSE  ? "close:"
                       : opcode == LARIO_WS_OP_PING   ? "ping:"
                                                      : "pong:";

    write_down(to, name, strlen(name));
    write_down(to, data, len);
    write_down(to, ";", 1);
}

static void on_event(transcript *to, const lario_ws_event *event)
{
    if (event->opcode & 8) {
        assert_true(event->first && event->last);
        write_named(to, event->opcode, event->data, event->len);
        return;
    }
    assert_true(event->len > 0 || event->first || event->last);
    assert_int_equal(event->first, !to->in_message);
    assert_true(to->message_len + event->len <= sizeof(to->message));
    memcpy(to->message + to->message_len, event->data, event->len);
    to->message_len += event->len;
    to->in_message = !event->last;
    if (event->last) {
        write_named(to, event->opcode, to->message, to->message_len);
        to->message_len = 0;
    }
}

/* Gives a copy of exactly these bytes, so that a sanitizer sees every step beyond them. */
static void give(lario_ws_parser *parser, transcript *to, const char *bytes, size_t len)
{
    char *copy = malloc(len + 1);
    size_t at = 0, used;
    lario_ws_event event;
    int rc = 0;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    while (!to->failed) {
        used = SIZE_MAX;
        rc = lario_ws_parser_next(parser, copy + at, len - at, &used, &event);
        if (rc < 0) {
            char line[32];

            assert_int_equal(rc, LARIO_EPROTO);
            assert_non_null(parser->reason);
            snprintf(line, sizeof(line), "fail %d", parser->close_code);
            write_down(to, line, strlen(line));
            to->failed = true;
            break;
        }
        assert_true(used <= len - at);
        at += used;
        if (rc == 0)
            break;
        on_event(to, &event);
    }
    assert_true(to->failed || at == len);
    free(copy);
}

static void begin(lario_ws_parser *parser, transcript *to)
{
    lario_ws_parser_init(parser, input.limit);
    to->text_len = 0;
    to->text[0] = '\0';
    to->message_len = 0;
    to->in_message = false;
    to->failed = false;
}

static void compare(void)
{
    assert_int_equal(seen.text_len, expected.text_len);
    assert_memory_equal(seen.text, expected.text, expected.text_len);
}

/* `text` is what the whole stream reads as, or NULL when only the cuts are to agree. */
static void check(const char *text)
{
    lario_ws_parser parser;

    begin(&parser, &expected);
    give(&parser, &expected, input.bytes, input.len);
    if (text)
        assert_string_equal(expected.text, text);

    begin(&parser, &seen);
    for (size_t i = 0; i < input.len; i++)
        give(&parser, &seen, input.bytes + i, 1);
    compare();

    for (size_t i = 0; i <= input.len; i += input.len > 2000 ? 97 : 1) {
        begin(&parser, &seen);
        give(&parser, &seen, input.bytes, i);
        give(&parser, &seen, input.bytes + i, input.len - i);
        compare();
    }
}

/* Asserts that the stream fails at its last byte and not before, byte by byte. */
static void check_fails_at_the_end(void)
{
    lario_ws_parser parser;

    begin(&parser, &seen);
    for (size_t i = 0; i < input.len; i++) {
        assert_false(seen.failed);
        give(&parser, &seen, input.bytes + i, 1);
    }
    assert_true(seen.failed);
}

static void masked_text_of_rfc6455_5_7(void **state)
{
    (void)state;
    start(100);
    ADD(0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58);
    check("text:Hello;");
}

static void fragments_make_one_message(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "Hel");
    add(LARIO_WS_OP_CONTINUATION, "lo, ");
    add(FIN | LARIO_WS_OP_CONTINUATION, "you");
    add(LARIO_WS_OP_BINARY, "a");
    add(FIN | LARIO_WS_OP_CONTINUATION, "b");
    check("text:Hello, you;binary:ab;");
}

static void empty_messages_and_fragments_are_legal(void **state)
{
    (void)state;
    start(100);
    add(FIN | LARIO_WS_OP_TEXT, "");
    add(LARIO_WS_OP_TEXT, "");
    add(LARIO_WS_OP_CONTINUATION, "");
    add(LARIO_WS_OP_CONTINUATION, "x");
    add(LARIO_WS_OP_CONTINUATION, "");
    add(FIN | LARIO_WS_OP_CONTINUATION, "");
    add(FIN | LARIO_WS_OP_BINARY, "");
    check("text:;text:x;binary:;");
}

static void empty_fragment_in_the_middle_gives_no_event(void **state)
{
    lario_ws_parser parser;
    lario_ws_event event;
    size_t used = 99;

    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "x");
    lario_ws_parser_init(&parser, 100);
    assert_int_equal(lario_ws_parser_next(&parser, input.bytes, input.len, &used, &event), 1);
    start(100);
    add(LARIO_WS_OP_CONTINUATION, "");
    add(LARIO_WS_OP_CONTINUATION, "");
    assert_int_equal(lario_ws_parser_next(&parser, input.bytes, input.len, &used, &event), 0);
    assert_int_equal(used, input.len);
}

static void control_frames_may_stand_between_fragments(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "Hel");
    add(FIN | LARIO_WS_OP_PING, "are you there");
    add(LARIO_WS_OP_CONTINUATION, "l");
    add(FIN | LARIO_WS_OP_PONG, "");
    add(FIN | LARIO_WS_OP_CONTINUATION, "o");
    add(FIN | LARIO_WS_OP_CLOSE, "\x03\xe8");
    check("ping:are you there;pong:;text:Hello;close:\x03\xe8;");
}

static void control_frame_between_the_halves_of_a_character(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "\xe2\x82");
    add(FIN | LARIO_WS_OP_PING, "\xff\xff");
    add(FIN | LARIO_WS_OP_CONTINUATION, "\xac");
    check("ping:\xff\xff;text:\xe2\x82\xac;");
}

static void control_frame_of_125_bytes_is_legal(void **state)
{
    char payload[126] = "", text[140];

    (void)state;
    memset(payload, 'p', 125);
    start(10);
    add(FIN | LARIO_WS_OP_PING, payload);
    snprintf(text, sizeof(text), "ping:%s;", payload);
    check(text);
}

static void control_frame_over_125_bytes_fails(void **state)
{
    (void)state;
    for (uint8_t opcode = LARIO_WS_OP_CLOSE; opcode <= LARIO_WS_OP_PONG; opcode++) {
        start(1000);
        ADD((uint8_t)(FIN | opcode), 0x80 | 126);
        check("fail 1002");
        start(1000);
        ADD((uint8_t)(FIN | opcode), 0x80 | 127);
        check("fail 1002");
    }
}

static void fragmented_control_frame_fails(void **state)
{
    (void)state;
    for (uint8_t opcode = LARIO_WS_OP_CLOSE; opcode <= LARIO_WS_OP_PONG; opcode++) {
        start(100);
        ADD(opcode);
        check("fail 1002");
    }
}

static void reserved_bits_fail(void **state)
{
    (void)state;
    for (uint8_t bit = 0x10; bit <= 0x40; bit = (uint8_t)(bit << 1)) {
        start(100);
        add(FIN | LARIO_WS_OP_TEXT, "ok");
        ADD((uint8_t)(FIN | bit | LARIO_WS_OP_TEXT));
        check("text:ok;fail 1002");
        start(100);
        add((uint8_t)(FIN | bit | LARIO_WS_OP_PING), "ping");
        check("fail 1002");
    }
}

static void reserved_opcodes_fail(void **state)
{
    static const uint8_t opcodes[] = {3, 4, 5, 6, 7, 11, 12, 13, 14, 15};

    (void)state;
    for (size_t i = 0; i < sizeof(opcodes); i++) {
        start(100);
        ADD((uint8_t)(FIN | opcodes[i]));
        check("fail 1002");
    }
}

static void frame_without_a_mask_fails(void **state)
{
    (void)state;
    start(100);
    ADD(FIN | LARIO_WS_OP_TEXT, 5);
    check("fail 1002");
    check_fails_at_the_end();
    start(100);
    ADD(FIN | LARIO_WS_OP_PING, 0);
    check("fail 1002");
}

static void continuation_without_a_message_fails(void **state)
{
    (void)state;
    start(100);
    ADD(FIN | LARIO_WS_OP_CONTINUATION);
    check("fail 1002");
    start(100);
    add(FIN | LARIO_WS_OP_TEXT, "done");
    add(FIN | LARIO_WS_OP_CONTINUATION, "more");
    check("text:done;fail 1002");
}

static void new_message_inside_of_a_fragmented_one_fails(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "a");
    add(FIN | LARIO_WS_OP_TEXT, "b");
    check("fail 1002");
    start(100);
    add(LARIO_WS_OP_TEXT, "a");
    add(FIN | LARIO_WS_OP_BINARY, "b");
    check("fail 1002");
}

static void length_that_is_not_minimal_fails(void **state)
{
    (void)state;
    start(100000);
    ADD(FIN | LARIO_WS_OP_BINARY, 0x80 | 126, 0, 125);
    check("fail 1002");
    check_fails_at_the_end();
    start(100000);
    ADD(FIN | LARIO_WS_OP_BINARY, 0x80 | 127, 0, 0, 0, 0, 0, 0);
    check("fail 1002");
    check_fails_at_the_end();
    start(10);
    ADD(FIN | LARIO_WS_OP_BINARY, 0x80 | 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4);
    check("fail 1002");
}

static void top_bit_of_the_length_fails(void **state)
{
    (void)state;
    start(UINT64_MAX);
    ADD(FIN | LARIO_WS_OP_BINARY, 0x80 | 127, 0x80);
    check("fail 1002");
    check_fails_at_the_end();
    start(10);
    ADD(FIN | LARIO_WS_OP_BINARY, 0x80 | 127, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4);
    check("fail 1002");
}

static void message_at_the_limit_is_taken(void **state)
{
    (void)state;
    start(5);
    add(FIN | LARIO_WS_OP_TEXT, "12345");
    add(LARIO_WS_OP_BINARY, "123");
    add(FIN | LARIO_WS_OP_PING, "longer than the limit");
    add(FIN | LARIO_WS_OP_CONTINUATION, "45");
    check("text:12345;ping:longer than the limit;binary:12345;");
}

static void message_over_the_limit_fails_with_1009_before_its_payload(void **state)
{
    (void)state;
    start(5);
    ADD(FIN | LARIO_WS_OP_TEXT, 0x80 | 6);
    check("fail 1009");
    check_fails_at_the_end();
    start(1000);
    ADD(FIN | LARIO_WS_OP_TEXT, 0x80 | 126, 4);
    check("fail 1009");
    check_fails_at_the_end();
    start(1 << 20);
    ADD(FIN | LARIO_WS_OP_TEXT, 0x80 | 127, 0, 0, 1);
    check("fail 1009");
    check_fails_at_the_end();
}

static void limit_counts_all_fragments(void **state)
{
    (void)state;
    start(5);
    add(LARIO_WS_OP_TEXT, "123");
    add(LARIO_WS_OP_CONTINUATION, "45");
    ADD(FIN | LARIO_WS_OP_CONTINUATION, 0x80 | 1);
    check("fail 1009");
    check_fails_at_the_end();
}

static void text_that_is_not_utf8_fails_with_1007(void **state)
{
    static const char *const bad[] = {
        "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "caf\xe9!", "\xf8\x88\x80\x80\x80",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        start(100);
        add(FIN | LARIO_WS_OP_TEXT, bad[i]);
        check("fail 1007");
    }
}

static void text_that_ends_inside_of_a_character_fails(void **state)
{
    (void)state;
    start(100);
    add(FIN | LARIO_WS_OP_TEXT, "long enough for words \xe2\x82");
    check("fail 1007");
    start(100);
    add(LARIO_WS_OP_TEXT, "\xe2\x82");
    add(FIN | LARIO_WS_OP_CONTINUATION, "");
    check("fail 1007");
    start(100);
    add(LARIO_WS_OP_TEXT, "\xe2\x82");
    add(FIN | LARIO_WS_OP_CONTINUATION, "ascii");
    check("fail 1007");
}

static void character_may_be_split_over_fragments(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "\xf0");
    add(LARIO_WS_OP_CONTINUATION, "\x9f");
    add(LARIO_WS_OP_CONTINUATION, "");
    add(LARIO_WS_OP_CONTINUATION, "\x90\x9f");
    add(FIN | LARIO_WS_OP_CONTINUATION, "\xc3\xa9");
    check("text:\xf0\x9f\x90\x9f\xc3\xa9;");
}

static void bad_text_fails_in_the_middle_of_a_fragment(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_TEXT, "ab\xed\xa0\x80 and more of it");
    input.len -= strlen("\x80 and more of it");
    check("fail 1007");
    check_fails_at_the_end();
}

static void binary_is_not_checked_as_text(void **state)
{
    (void)state;
    start(100);
    add(LARIO_WS_OP_BINARY, "\xff\xfe");
    add(FIN | LARIO_WS_OP_CONTINUATION, "\xc0\x80");
    check("binary:\xff\xfe\xc0\x80;");
}

static void lengths_around_each_form_are_read(void **state)
{
    static const size_t lengths[] = {1,   7,   8,   15,  16,   17,    63,    64,   125,
                                     126, 127, 255, 256, 1000, 65535, 65536, 65537};
    static char payload[65537];

    (void)state;
    for (size_t i = 0; i < sizeof(payload); i++)
        payload[i] = (char)('a' + i % 23);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        start(1 << 20);
        add_frame(FIN | LARIO_WS_OP_TEXT, payload, lengths[i]);
        add(FIN | LARIO_WS_OP_PING, "");
        check(NULL);
        assert_int_equal(expected.text_len, lengths[i] + strlen("text:;ping:;"));
        assert_memory_equal(expected.text, "text:", 5);
        assert_memory_equal(expected.text + 5, payload, lengths[i]);
    }
}

static void whole_frame_gives_one_event_in_the_callers_bytes(void **state)
{
    lario_ws_parser parser;
    lario_ws_event event;
    size_t used = 0;

    (void)state;
    start(100);
    add(FIN | LARIO_WS_OP_TEXT, "hello");
    add(FIN | LARIO_WS_OP_PING, "x");
    lario_ws_parser_init(&parser, input.limit);
    assert_int_equal(lario_ws_parser_next(&parser, input.bytes, input.len, &used, &event), 1);
    assert_int_equal(used, 11);
    assert_ptr_equal(event.data, input.bytes + 6);
    assert_int_equal(event.len, 5);
    assert_true(event.first && event.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masked_text_of_rfc6455_5_7),
        cmocka_unit_test(fragments_make_one_message),
        cmocka_unit_test(empty_messages_and_fragments_are_legal),
        cmocka_unit_test(empty_fragment_in_the_middle_gives_no_event),
        cmocka_unit_test(control_frames_may_stand_between_fragments),
        cmocka_unit_test(control_frame_between_the_halves_of_a_character),
        cmocka_unit_test(control_frame_of_125_bytes_is_legal),
        cmocka_unit_test(control_frame_over_125_bytes_fails),
        cmocka_unit_test(fragmented_control_frame_fails),
        cmocka_unit_test(reserved_bits_fail),
        cmocka_unit_test(reserved_opcodes_fail),
        cmocka_unit_test(frame_without_a_mask_fails),
        cmocka_unit_test(continuation_without_a_message_fails),
        cmocka_unit_test(new_message_inside_of_a_fragmented_one_fails),
        cmocka_unit_test(length_that_is_not_minimal_fails),
        cmocka_unit_test(top_bit_of_the_length_fails),
        cmocka_unit_test(message_at_the_limit_is_taken),
        cmocka_unit_test(message_over_the_limit_fails_with_1009_before_its_payload),
        cmocka_unit_test(limit_counts_all_fragments),
        cmocka_unit_test(text_that_is_not_utf8_fails_with_1007),
        cmocka_unit_test(text_that_ends_inside_of_a_character_fails),
        cmocka_unit_test(character_may_be_split_over_fragments),
        cmocka_unit_test(bad_text_fails_in_the_middle_of_a_fragment),
        cmocka_unit_test(binary_is_not_checked_as_text),
        cmocka_unit_test(lengths_around_each_form_are_read),
        cmocka_unit_test(whole_frame_gives_one_event_in_the_callers_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
