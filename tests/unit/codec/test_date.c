/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_imf_fixdates),
        cmocka_unit_test(times_beyond_the_form_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
