/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/* What of frames needs no stream: masks, headers that are sent, and the payload of a close. */

static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};

static void mask_is_applied_from_any_offset(void **state)
{
    char data[100], wanted[100];

    (void)state;
    for (unsigned mask_at = 0; mask_at < 4; mask_at++) {
        for (size_t at = 0; at < 17; at++) {
            for (size_t len = 0; at + len <= sizeof(data); len++) {
                for (size_t i = 0; i < sizeof(data); i++)
                    wanted[i] = data[i] = (char)(7 * i);
                for (size_t i = 0; i < len; i++)
                    wanted[at + i] = (char)((uint8_t)wanted[at + i] ^ mask[(i + mask_at) % 4]);
                lario_ws_mask(data + at, len, mask, mask_at);
                assert_memory_equal(data, wanted, sizeof(data));
            }
        }
    }
}

static void header_is_written_in_its_shortest_form(void **state)
{
    static const uint8_t wide[] = {0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0};
    uint8_t header[LARIO_WS_HEADER_BYTES_MAX];

    (void)state;
    assert_int_equal(lario_ws_header_write(header, LARIO_WS_OP_TEXT, 0), 2);
    assert_memory_equal(header, "\x81\x00", 2);
    assert_int_equal(lario_ws_header_write(header, LARIO_WS_OP_TEXT, 125), 2);
    assert_memory_equal(header, "\x81\x7d", 2);
    assert_int_equal(lario_ws_header_write(header, LARIO_WS_OP_PONG, 126), 4);
    assert_memory_equal(header, "\x8a\x7e\x00\x7e", 4);
    assert_int_equal(lario_ws_header_write(header, LARIO_WS_OP_BINARY, 65535), 4);
    assert_memory_equal(header, "\x82\x7e\xff\xff", 4);
    assert_int_equal(lario_ws_header_write(header, LARIO_WS_OP_BINARY, 65536), 10);
    assert_memory_equal(header, wide, 10);
}

static void close_code_ranges_of_rfc6455_7_4(void **state)
{
    static const unsigned good[] = {1000, 1001, 1002, 1003, 1007, 1008, 1009,
                                    1010, 1011, 3000, 3999, 4000, 4999};
    static const unsigned bad[] = {0,    999,  1004, 1005, 1006, 1012, 1013,
                                   1014, 1015, 1016, 2000, 2999, 5000, 65535};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(lario_ws_close_code_is_valid(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(lario_ws_close_code_is_valid(bad[i]));
}

static void close_payload_is_code_and_text(void **state)
{
    uint16_t code = 7;

    (void)state;
    assert_int_equal(lario_ws_close_parse("\x03\xe8 bye \xe2\x82\xac", 10, &code), 0);
    assert_int_equal(code, 1000);
    assert_int_equal(lario_ws_close_parse("\x0f\xa0", 2, &code), 0);
    assert_int_equal(code, 4000);
}

static void empty_close_payload_reads_1005(void **state)
{
    uint16_t code = 7;

    (void)state;
    assert_int_equal(lario_ws_close_parse("", 0, &code), 0);
    assert_int_equal(code, 1005);
}

static void bad_close_payload_fails(void **state)
{
    uint16_t code = 7;

    (void)state;
    assert_int_equal(lario_ws_close_parse("\x03", 1, &code), LARIO_EPROTO);
    assert_int_equal(lario_ws_close_parse("\x03\xed", 2, &code), LARIO_EPROTO);
    assert_int_equal(lario_ws_close_parse("\x03\xe8\xff", 3, &code), LARIO_EUTF8);
    assert_int_equal(lario_ws_close_parse("\x03\xe8\xe2\x82", 4, &code), LARIO_EUTF8);
    assert_int_equal(code, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mask_is_applied_from_any_offset),
        cmocka_unit_test(header_is_written_in_its_shortest_form),
        cmocka_unit_test(close_code_ranges_of_rfc6455_7_4),
        cmocka_unit_test(close_payload_is_code_and_text),
        cmocka_unit_test(empty_close_payload_reads_1005),
        cmocka_unit_test(bad_close_payload_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
