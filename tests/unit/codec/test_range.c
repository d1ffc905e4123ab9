/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define RANGES_MAX 4

/* The ranges as "first-last first-last", "416" or "ignored". */
static const char *parse(const char *value, uint64_t total)
{
    static char text[200];
    lario_range ranges[RANGES_MAX];
    int count = lario_range_parse(value, strlen(value), total, ranges, RANGES_MAX), len = 0;

    if (count <= 0)
        return count == 0 ? "ignored" : "416";
    for (int i = 0; i < count; i++)
        len += sprintf(text + len, "%s%llu-%llu", i > 0 ? " " : "",
                       (unsigned long long)ranges[i].first, (unsigned long long)ranges[i].last);
    return text;
}

static void single_ranges(void **state)
{
    (void)state;
    assert_string_equal(parse("bytes=0-0", 10), "0-0");
    assert_string_equal(parse("bytes=2-5", 10), "2-5");
    assert_string_equal(parse("bytes=2-", 10), "2-9");
    assert_string_equal(parse("bytes=9-", 10), "9-9");
    assert_string_equal(parse("bytes=2-9", 10), "2-9");
    assert_string_equal(parse("bytes=2-10", 10), "2-9");
    assert_string_equal(parse("bytes=0-999999", 10), "0-9");
    assert_string_equal(parse("bytes=-3", 10), "7-9");
    assert_string_equal(parse("bytes=-10", 10), "0-9");
    assert_string_equal(parse("bytes=-11", 10), "0-9");
    assert_string_equal(parse("BYTES=1-2", 10), "1-2");
    assert_string_equal(parse("bytes= 1-2 ", 10), "1-2");
    assert_string_equal(parse("bytes=,1-2,", 10), "1-2");
    assert_string_equal(parse("bytes=001-0002", 10), "1-2");
}

static void numbers_beyond_64_bits_are_beyond_the_end(void **state)
{
    (void)state;
    assert_string_equal(parse("bytes=3-99999999999999999999999", 10), "3-9");
    assert_string_equal(parse("bytes=3-18446744073709551616", 10), "3-9");
    assert_string_equal(parse("bytes=-99999999999999999999999", 10), "0-9");
    assert_string_equal(parse("bytes=99999999999999999999999-", 10), "416");
    assert_string_equal(parse("bytes=99999999999999999999998-99999999999999999999999", 10), "416");
    assert_string_equal(parse("bytes=18446744073709551614-", UINT64_MAX),
                        "18446744073709551614-18446744073709551614");
}

static void ranges_beyond_the_end_are_unsatisfiable(void **state)
{
    (void)state;
    assert_string_equal(parse("bytes=10-", 10), "416");
    assert_string_equal(parse("bytes=10-20", 10), "416");
    assert_string_equal(parse("bytes=-0", 10), "416");
    assert_string_equal(parse("bytes=-0,10-,11-12", 10), "416");
    assert_string_equal(parse("bytes=0-0", 0), "416");
    assert_string_equal(parse("bytes=0-", 0), "416");
    /* The end of nothing is nothing, and satisfiable, but no 206 can say it. */
    assert_string_equal(parse("bytes=-5", 0), "ignored");
}

static void what_is_no_list_of_byte_ranges_is_ignored(void **state)
{
    static const char *const values[] = {
        "",           "bytes",       "bytes=",        "bytes=,",       "bytes=-",
        "bytes=x",    "bytes=1",     "bytes=1-x",     "bytes=x-1",     "bytes=5-4",
        "bytes=1--2", "bytes=-1-2",  "bytes=--1",     "bytes=1- 2",    "bytes=1 -2",
        "bytes=+1-2", "bytes=0x1-2", "bytes=1-2;3-4", "bytes =1-2",    " bytes=1-2",
        "items=1-2",  "bytes=1-2,x", "bytes=1-2,5-4", "bytes=1-2 3-4", "bytes=1-2,3",
        "byte=1-2",   "bytess=1-2",  "bytes=1.0-2",   "bytes:1-2",     "bytes=*",
    };
    (void)state;

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_string_equal(parse(values[i], 10), "ignored");
}

static void several_ranges_keep_their_order(void **state)
{
    (void)state;
    assert_string_equal(parse("bytes=0-0,2-2", 10), "0-0 2-2");
    assert_string_equal(parse("bytes=5-6 , 1-2", 10), "5-6 1-2");
    assert_string_equal(parse("bytes=0-1,-1", 10), "0-1 9-9");
    assert_string_equal(parse("bytes=0-1,20-30,-1", 10), "0-1 9-9");
    assert_string_equal(parse("bytes=90-,0-0,50-50,10-10", 100), "90-99 0-0 50-50 10-10");
}

static void overlapping_ranges_are_joined(void **state)
{
    (void)state;
    assert_string_equal(parse("bytes=0-4,3-8", 10), "0-8");
    assert_string_equal(parse("bytes=0-4,5-8", 10), "0-8");
    assert_string_equal(parse("bytes=5-8,0-4", 10), "0-8");
    assert_string_equal(parse("bytes=0-9,2-3", 10), "0-9");
    assert_string_equal(parse("bytes=2-3,0-9", 10), "0-9");
    assert_string_equal(parse("bytes=0-,0-,0-,0-", 10), "0-9");
    /* One that bridges two takes the place of the first. */
    assert_string_equal(parse("bytes=8-9,0-1,4-5,2-3", 10), "8-9 0-5");
    assert_string_equal(parse("bytes=0-1,8-9,4-5,2-7", 10), "0-9");
    assert_string_equal(parse("bytes=4-5,0-0,8-8,6-7", 10), "4-8 0-0");
    assert_string_equal(parse("bytes=0-0,6-6,4-4,5-5", 10), "0-0 4-6");
}

static void too_many_ranges_are_ignored(void **state)
{
    (void)state;
    assert_string_equal(parse("bytes=0-0,2-2,4-4,6-6", 10), "0-0 2-2 4-4 6-6");
    assert_string_equal(parse("bytes=0-0,2-2,4-4,6-6,8-8", 10), "ignored");
    assert_string_equal(parse("bytes=0-0,0-0,0-0,0-0,0-0", 10), "ignored");
    assert_string_equal(parse("bytes=11-,11-,11-,11-,11-", 10), "ignored");
}

static void a_value_may_end_anywhere(void **state)
{
    static const char value[] = "bytes=0-1,4-5,-2";
    lario_range ranges[RANGES_MAX];
    (void)state;

    for (size_t len = 0; len < sizeof value; len++) {
        int count = lario_range_parse(value, len, 10, ranges, RANGES_MAX);

        /* Behind "0-", "0-1", "0-1," and so on; not in the middle of one. */
        assert_int_equal(count > 0, len >= 8 && len != 11 && len != 15 && len != 17);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_ranges),
        cmocka_unit_test(numbers_beyond_64_bits_are_beyond_the_end),
        cmocka_unit_test(ranges_beyond_the_end_are_unsatisfiable),
        cmocka_unit_test(what_is_no_list_of_byte_ranges_is_ignored),
        cmocka_unit_test(several_ranges_keep_their_order),
        cmocka_unit_test(overlapping_ranges_are_joined),
        cmocka_unit_test(too_many_ranges_are_ignored),
        cmocka_unit_test(a_value_may_end_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
