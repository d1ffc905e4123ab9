/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Checks the text whole, split at every offset and byte by byte; all must agree. */
static bool check(const char *text, size_t len)
{
    bool whole = lario_utf8_is_valid(text, len);
    lario_utf8_state state;
    bool pieces;

    for (size_t cut = 0; cut <= len; cut++) {
        state = 0;
        pieces = lario_utf8_next(&state, text, cut) &&
                 lario_utf8_next(&state, text + cut, len - cut) && state == 0;
        assert_int_equal(pieces, whole);
    }
    state = 0;
    pieces = true;
    for (size_t i = 0; i < len && pieces; i++)
        pieces = lario_utf8_next(&state, text + i, 1);
    assert_int_equal(pieces && state == 0, whole);
    return whole;
}

/* The form of RFC 3629 3, also for values that have none. */
static size_t encode(uint32_t value, char out[4])
{
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t len = value < 0x80 ? 1 : value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;

    for (size_t i = len; i-- > 1; value >>= 6)
        out[i] = (char)(0x80 | (value & 0x3f));
    out[0] = (char)(lead[len] | value);
    if (len == 1)
        out[0] = (char)value;
    return len;
}

static void every_code_point_but_surrogates_is_valid(void **state)
{
    char text[4];

    (void)state;
    for (uint32_t value = 0; value <= 0x1fffff; value++) {
        bool good = value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
        size_t len = encode(value, text);

        if (lario_utf8_is_valid(text, len) != good)
            fail_msg("U+%04X", value);
    }
}

static void every_pair_of_bytes_is_judged(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = 0; b < 256; b++) {
            char text[2] = {(char)a, (char)b};
            bool ascii = a < 0x80 && b < 0x80;
            bool two = a >= 0xc2 && a <= 0xdf && b >= 0x80 && b <= 0xbf;

            assert_int_equal(check(text, 2), ascii || two);
        }
    }
}

static void overlong_forms_are_refused(void **state)
{
    (void)state;
    assert_false(check("\xc0\xaf", 2));
    assert_false(check("\xc1\xbf", 2));
    assert_false(check("\xe0\x80\xaf", 3));
    assert_false(check("\xe0\x9f\xbf", 3));
    assert_false(check("\xf0\x80\x80\xaf", 4));
    assert_false(check("\xf0\x8f\xbf\xbf", 4));
    assert_false(check("\xf8\x88\x80\x80\x80", 5));
}

static void text_of_all_lengths_is_valid(void **state)
{
    static const char text[] = "ascii and \xc3\xa4, \xe2\x82\xac, \xf0\x9f\x98\x80 "
                               "then a long run of ascii to pass by \xc3\xa4 at odd places";

    (void)state;
    assert_true(check(text, sizeof text - 1));
    assert_true(check("", 0));
}

static void bad_byte_is_found_at_each_place(void **state)
{
    char text[80];

    (void)state;
    for (size_t at = 0; at < sizeof text; at++) {
        memset(text, 'a', sizeof text);
        assert_true(check(text, sizeof text));
        text[at] = (char)0x80;
        assert_false(check(text, sizeof text));
        text[at] = (char)0xff;
        assert_false(check(text, sizeof text));
    }
}

static void unfinished_character_is_no_failure_yet(void **state)
{
    lario_utf8_state utf8 = 0;

    (void)state;
    assert_true(lario_utf8_next(&utf8, "\xf0\x9f", 2));
    assert_int_not_equal(utf8, 0);
    assert_true(lario_utf8_next(&utf8, "", 0));
    assert_true(lario_utf8_next(&utf8, "\x98\x80", 2));
    assert_int_equal(utf8, 0);
    assert_false(lario_utf8_is_valid("\xe2\x82", 2));
}

static void failure_comes_with_the_byte_that_proves_it(void **state)
{
    lario_utf8_state utf8 = 0;

    (void)state;
    assert_true(lario_utf8_next(&utf8, "\xed", 1));
    assert_false(lario_utf8_next(&utf8, "\xa0", 1));
    utf8 = 0;
    assert_true(lario_utf8_next(&utf8, "\xf4", 1));
    assert_false(lario_utf8_next(&utf8, "\x90", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_but_surrogates_is_valid),
        cmocka_unit_test(every_pair_of_bytes_is_judged),
        cmocka_unit_test(overlong_forms_are_refused),
        cmocka_unit_test(text_of_all_lengths_is_valid),
        cmocka_unit_test(bad_byte_is_found_at_each_place),
        cmocka_unit_test(unfinished_character_is_no_failure_yet),
        cmocka_unit_test(failure_comes_with_the_byte_that_proves_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
