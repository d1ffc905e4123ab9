/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/* The fields of `body`, written "name>value|", or the failure; memory is exactly what is asked. */
static void assert_form(const char *body, size_t len, const char *expected)
{
    char *raw = malloc(len + 1), *text = malloc(len + 1);
    size_t count = lario_form_count(body, len, 100);
    lario_form_pair *pairs = calloc(count + 1, sizeof *pairs);
    char out[256] = "";
    size_t at = 0;

    assert_true(raw && text && pairs);
    memcpy(raw, body, len);
    int rc = lario_form_decode(raw, len, pairs, text);

    if (rc < 0)
        snprintf(out, sizeof out, "%s", lario_errname(rc));
    else
        assert_int_equal(rc, count);
    for (int i = 0; i < rc; i++)
        at += (size_t)snprintf(out + at, sizeof out - at, "%s>%s|", pairs[i].name, pairs[i].value);
    assert_string_equal(out, expected);
    free(pairs);
    free(text);
    free(raw);
}

#define ASSERT_FORM(body, expected) assert_form(body, sizeof(body) - 1, expected)

static void fields_keep_their_order(void **state)
{
    (void)state;
    ASSERT_FORM("", "");
    ASSERT_FORM("a=b", "a>b|");
    ASSERT_FORM("b=1&a=2&b=3", "b>1|a>2|b>3|");
    ASSERT_FORM("&&a=b&&", "a>b|");
}

static void names_and_values_may_be_empty(void **state)
{
    (void)state;
    ASSERT_FORM("a", "a>|");
    ASSERT_FORM("a&b", "a>|b>|");
    ASSERT_FORM("a=&=b&=", "a>|>b|>|");
    ASSERT_FORM("a=b=c", "a>b=c|");
}

static void text_is_decoded(void **state)
{
    (void)state;
    ASSERT_FORM("a+b=c%20d%2Be", "a b>c d+e|");
    ASSERT_FORM("%e2%82%ac=%F0%9F%98%80", "\xe2\x82\xac>\xf0\x9f\x98\x80|");
    ASSERT_FORM("a%26b=%3D%0D%0A", "a&b>=\r\n|");
    ASSERT_FORM("\xc3\xa4=\xff", "\xc3\xa4>\xff|");
}

static void bad_escapes_and_nuls_are_refused(void **state)
{
    (void)state;
    ASSERT_FORM("a=%", "LARIO_EPROTO");
    ASSERT_FORM("%4=b", "LARIO_EPROTO");
    ASSERT_FORM("a=%zz", "LARIO_EPROTO");
    ASSERT_FORM("a=%00", "LARIO_EPROTO");
    ASSERT_FORM("a\0b=c", "LARIO_EPROTO");
    ASSERT_FORM("a=b\0", "LARIO_EPROTO");
}

static void counting_ends_beyond_the_limit(void **state)
{
    (void)state;
    assert_int_equal(lario_form_count("a&b&c", 5, 3), 3);
    assert_int_equal(lario_form_count("a&b&c", 5, 2), 3);
    assert_int_equal(lario_form_count("a&b&c&d&e", 9, 2), 3);
    assert_int_equal(lario_form_count("a&b", 3, 0), 1);
    assert_int_equal(lario_form_count("", 0, 0), 0);
}

/* Every body cut at every length is decoded, or refused, within the room that is promised. */
static void every_prefix_fits_its_room(void **state)
{
    static const char body[] = "a=b&c&=d&&%41=+%20&e=";
    (void)state;

    for (size_t len = 0; len < sizeof body; len++) {
        size_t count = lario_form_count(body, len, 100);
        char *text = malloc(len + 1);
        lario_form_pair *pairs = calloc(count + 1, sizeof *pairs);

        assert_true(text && pairs);
        int rc = lario_form_decode(body, len, pairs, text);

        assert_true(rc == (int)count || rc == LARIO_EPROTO);
        for (int i = 0; i < rc; i++)
            assert_true(strlen(pairs[i].name) + strlen(pairs[i].value) <= len);
        free(pairs);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_keep_their_order),
        cmocka_unit_test(names_and_values_may_be_empty),
        cmocka_unit_test(text_is_decoded),
        cmocka_unit_test(bad_escapes_and_nuls_are_refused),
        cmocka_unit_test(counting_ends_beyond_the_limit),
        cmocka_unit_test(every_prefix_fits_its_room),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
