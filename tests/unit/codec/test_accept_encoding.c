/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/accept_encoding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BOTH (1u << LARIO_CODING_GZIP | 1u << LARIO_CODING_BR)

static void best_coding_is_chosen(void **state)
{
    static const struct {
        const char *value;
        enum lario_coding coding;
    } cases[] = {
        {"gzip", LARIO_CODING_GZIP},
        {"x-gzip", LARIO_CODING_GZIP},
        {"GZip", LARIO_CODING_GZIP},
        {"gzip, deflate, br", LARIO_CODING_BR},
        {"br;q=0.5, gzip;q=0.8", LARIO_CODING_GZIP},
        {"br;q=0.5 , gzip ; q=0.5", LARIO_CODING_BR},
        {"br ; q=0.001, gzip;q=0", LARIO_CODING_BR},
        {"*", LARIO_CODING_BR},
        {"*;q=0.5, br;q=0", LARIO_CODING_GZIP},
        {"gzip;q=1.000", LARIO_CODING_GZIP},
        {"gzip;q=0.5, gzip;q=0", LARIO_CODING_GZIP},
        {"identity, gzip", LARIO_CODING_GZIP},
        {"identity;q=1, gzip;q=0.9", LARIO_CODING_IDENTITY},
        {"identity;q=0.5, gzip;q=0.9", LARIO_CODING_GZIP},
        {"gzip;q=0", LARIO_CODING_IDENTITY},
        {"*;q=0", LARIO_CODING_IDENTITY},
        {"deflate", LARIO_CODING_IDENTITY},
        {"compress, zstd", LARIO_CODING_IDENTITY},
        {"", LARIO_CODING_IDENTITY},
        {", ,", LARIO_CODING_IDENTITY},
        {"gzip2, brr", LARIO_CODING_IDENTITY},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(lario_accept_encoding_choose(cases[i].value, strlen(cases[i].value), BOTH),
                         cases[i].coding);
    assert_int_equal(lario_accept_encoding_choose(NULL, 0, BOTH), LARIO_CODING_IDENTITY);
}

static void malformed_members_are_passed_over(void **state)
{
    static const char *const values[] = {
        "gzip;q=2", "gzip;q=1.001", "gzip;q=0.1234", "gzip;q=.5", "gzip;q=",
        "gzip;q",   "gzip;x=1",     "gzip;q=0.5;a",  "gzip;q=-1", "gzip;q=0,5x",
        "gz ip",    "gzip;q =1",    "gzip;q=0.a",
    };
    (void)state;

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(
            lario_accept_encoding_choose(values[i], strlen(values[i]), 1u << LARIO_CODING_GZIP),
            LARIO_CODING_IDENTITY);
    }
    assert_int_equal(lario_accept_encoding_choose("br;q=9, gzip", 12, BOTH), LARIO_CODING_GZIP);
}

static void only_what_is_offered_is_chosen(void **state)
{
    (void)state;
    assert_int_equal(lario_accept_encoding_choose("gzip, br", 8, 1u << LARIO_CODING_GZIP),
                     LARIO_CODING_GZIP);
    assert_int_equal(lario_accept_encoding_choose("gzip, br", 8, 0), LARIO_CODING_IDENTITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_coding_is_chosen),
        cmocka_unit_test(malformed_members_are_passed_over),
        cmocka_unit_test(only_what_is_offered_is_chosen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
