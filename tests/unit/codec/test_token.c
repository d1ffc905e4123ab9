/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "codec/char_class.h"

static bool is_letter(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void token_is_one_tchar_or_more(void **state)
{
    (void)state;
    assert_true(lario_token_is_valid("a", 1));
    assert_true(lario_token_is_valid("X-Foo_bar", 9));
    assert_false(lario_token_is_valid("", 0));
    assert_false(lario_token_is_valid("a b", 3));
    assert_false(lario_token_is_valid("a\0b", 3));
    for (int byte = 0; byte < 256; byte++) {
        char text[2] = {'a', (char)byte};
        bool good = is_letter(byte) || (byte >= '0' && byte <= '9') ||
                    (byte != 0 && strchr("!#$%&'*+-.^_`|~", byte));

        assert_int_equal(lario_token_is_valid(text, 2), good);
    }
}

static void scan_finds_each_bad_byte_at_each_place(void **state)
{
    char text[70];

    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        bool good = (byte >= 0x20 && byte != 0x7f) || byte == '\t';

        for (size_t at = 0; at < sizeof text; at++) {
            memset(text, at % 2 ? 'v' : '\xff', sizeof text);
            text[at] = (char)byte;
            assert_ptr_equal(lario_field_value_scan(text, text + sizeof text),
                             good ? text + sizeof text : text + at);
            assert_int_equal(lario_field_value_is_valid(text, sizeof text), good);
        }
    }
}

static void scan_stops_at_the_first_bad_byte_and_the_end(void **state)
{
    char text[70];

    (void)state;
    memset(text, '\n', sizeof text);
    for (size_t from = 0; from < 20; from++) {
        for (size_t len = 0; len <= 40; len++) {
            memset(text + from, 'v', len);
            /* The bad byte at `from + len` is beyond the end: it must not count. */
            assert_ptr_equal(lario_field_value_scan(text + from, text + from + len),
                             text + from + len);
            assert_ptr_equal(lario_field_value_scan(text + from, text + sizeof text),
                             text + from + len);
            memset(text, '\n', sizeof text);
        }
    }
    assert_true(lario_field_value_is_valid("", 0));
}

static void list_members_are_compared_whole_and_without_case(void **state)
{
    static const struct {
        const char *value;
        bool has;
    } vectors[] = {
        {"close", true},           {"Close", true},      {"a, close", true}, {"close,a", true},
        {"a,\t close \t,b", true}, {",,close,,", true},  {"", false},        {",", false},
        {"closed", false},         {"clos", false},      {"a close", false}, {"close;q=1", false},
        {"x-close", false},        {"\"close\"", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const char *value = vectors[i].value;

        assert_int_equal(lario_token_list_has(value, strlen(value), "close"), vectors[i].has);
    }
}

static void list_members_come_one_by_one_without_blanks(void **state)
{
    static const char list[] = " a ,, b c\t,d";
    const char *at = list;
    const char *end = list + strlen(list);
    const char *member;
    size_t len;

    (void)state;
    assert_true(lario_token_list_next(&at, end, &member, &len));
    assert_int_equal(len, 1);
    assert_memory_equal(member, "a", 1);
    assert_true(lario_token_list_next(&at, end, &member, &len));
    assert_int_equal(len, 3);
    assert_memory_equal(member, "b c", 3);
    assert_true(lario_token_list_next(&at, end, &member, &len));
    assert_int_equal(len, 1);
    assert_memory_equal(member, "d", 1);
    assert_false(lario_token_list_next(&at, end, &member, &len));
}

static void case_counts_for_letters_only(void **state)
{
    (void)state;
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            char x = (char)a;
            char y = (char)b;
            bool equal = a == b || (is_letter(a) && is_letter(b) && (a & 0xdf) == (b & 0xdf));

            assert_int_equal(lario_ascii_equal_nocase(&x, &y, 1), equal);
        }
    }
    assert_true(lario_ascii_equal_nocase("", "", 0));
    assert_true(lario_ascii_equal_nocase("Content-Length", "content-LENGTH", 14));
    assert_false(lario_ascii_equal_nocase("abc", "abd", 3));
}

static void hex_digits_have_their_values(void **state)
{
    static const char digits[] = "0123456789abcdef";

    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        int lower = byte >= 'A' && byte <= 'Z' ? byte + 32 : byte;
        const char *found = lower ? strchr(digits, lower) : NULL;

        assert_int_equal(lario_char_hex((char)byte), found ? (int)(found - digits) : -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(token_is_one_tchar_or_more),
        cmocka_unit_test(scan_finds_each_bad_byte_at_each_place),
        cmocka_unit_test(scan_stops_at_the_first_bad_byte_and_the_end),
        cmocka_unit_test(list_members_are_compared_whole_and_without_case),
        cmocka_unit_test(list_members_come_one_by_one_without_blanks),
        cmocka_unit_test(case_counts_for_letters_only),
        cmocka_unit_test(hex_digits_have_their_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
