/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static void dates_are_imf_fixdates(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {784111777, "Sun, 06 Nov 1994 08:49:37 GMT"}, /* the example of RFC 9110 5.6.7 */
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {1709164799, "Wed, 28 Feb 2024 23:59:59 GMT"},
        {1709164800, "Thu, 29 Feb 2024 00:00:00 GMT"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
    };
    char text[LARIO_DATE_BYTES + 1];
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(lario_date_format(cases[i].seconds, text));
        assert_string_equal(text, cases[i].text);
    }
}

static void times_beyond_the_form_are_refused(void **state)
{
    static const int64_t beyond[] = {-1, INT64_MIN, 253402300800, INT64_MAX};
    char text[LARIO_DATE_BYTES + 1];
    (void)state;

    for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
        assert_false(lario_date_format(beyond[i], text));
        assert_string_equal(text, "");
    }
}

#define NOW INT64_C(1700000000) /* in 2023 */

static void all_three_forms_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } cases[] = {
        /* The examples of RFC 9110 5.6.7. */
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Wed, 31 Dec 1969 23:59:59 GMT", -1},
        {"Thu, 29 Feb 2024 00:00:00 GMT", 1709164800},
        {"Thu Feb 29 00:00:00 2024", 1709164800},
        {"Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
        {"Sat, 01 Jan 0000 00:00:00 GMT", -62167219200},
        {"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},    /* a leap second */
        {"Tuesday, 14-Nov-73 00:00:00 GMT", 3277843200},  /* 50 years ahead: 2073 */
        {"Wednesday, 14-Nov-74 00:00:00 GMT", 153619200}, /* 51: 1974 */
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t seconds = 1;

        assert_true(lario_date_parse(cases[i].text, strlen(cases[i].text), NOW, &seconds));
        assert_int_equal(seconds, cases[i].seconds);
    }
}

static void what_is_no_date_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "0",
        "now",
        "Sun",
        "Sun,",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 2023 08:49:37 GMT",
        "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sund, 06-Nov-94 08:49:37 GMT",
        "Monday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  66 08:49:37 1994",
        "Sun Nov  6 08:49:37 94",
        "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov +994 08:49:37 GMT",
    };
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int64_t seconds = 4711;

        assert_false(lario_date_parse(texts[i], strlen(texts[i]), NOW, &seconds));
        assert_int_equal(seconds, 4711);
    }
}

static void every_part_of_a_date_is_needed(void **state)
{
    static const char *const texts[] = {"Sun, 06 Nov 1994 08:49:37 GMT",
                                        "Sunday, 06-Nov-94 08:49:37 GMT",
                                        "Sun Nov  6 08:49:37 1994"};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        for (size_t len = 0; len < strlen(texts[i]); len++) {
            int64_t seconds;

            assert_false(lario_date_parse(texts[i], len, NOW, &seconds));
        }
    }
}

static void each_day_is_read_as_written(void **state)
{
    (void)state;
    for (int64_t day = 0; day < 2932896; day += 13) { /* up to the end of 9999 */
        char text[LARIO_DATE_BYTES + 1];
        int64_t seconds = -1;

        assert_true(lario_date_format(day * 86400 + 45296, text));
        assert_true(lario_date_parse(text, LARIO_DATE_BYTES, NOW, &seconds));
        assert_int_equal(seconds, day * 86400 + 45296);
    }
}

static void days_are_those_of_the_c_library(void **state)
{
    (void)state;
    for (int64_t at = 86399; at < INT64_C(253402300800); at += 86400 * 37 + 1234) {
        char text[LARIO_DATE_BYTES + 1], expected[LARIO_DATE_BYTES + 1];
        time_t time = (time_t)at;
        struct tm utc;

        assert_true(lario_date_format(at, text));
        assert_non_null(gmtime_r(&time, &utc));
        assert_int_equal(strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &utc),
                         LARIO_DATE_BYTES);
        assert_string_equal(text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_imf_fixdates),
        cmocka_unit_test(times_beyond_the_form_are_refused),
        cmocka_unit_test(all_three_forms_are_read),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(every_part_of_a_date_is_needed),
        cmocka_unit_test(each_day_is_read_as_written),
        cmocka_unit_test(days_are_those_of_the_c_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
