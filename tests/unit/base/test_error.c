/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void our_codes_have_name_and_text(void **state)
{
    (void)state;
    assert_string_equal(lario_errname(LARIO_ECLOSED), "LARIO_ECLOSED");
    assert_string_equal(lario_strerror(LARIO_ECLOSED), "the connection is closed");
    assert_string_equal(lario_errname(LARIO_ETIMEDOUT), "LARIO_ETIMEDOUT");
}

static void system_codes_have_name_and_text(void **state)
{
    (void)state;
    assert_string_equal(lario_errname(-EADDRINUSE), "EADDRINUSE");
    assert_string_equal(lario_strerror(-EADDRINUSE), "Address already in use");
}

static void unknown_codes_are_never_null(void **state)
{
    (void)state;
    assert_string_equal(lario_errname(-123456), "UNKNOWN");
    assert_string_equal(lario_strerror(-123456), "unknown error");
    assert_string_equal(lario_strerror(0), "success");
}

static void fatal_line_parts_request_and_connection_errors(void **state)
{
    (void)state;
    assert_true(LARIO_ECLOSED <= LARIO_EFATAL);
    assert_true(LARIO_EPROTO <= LARIO_EFATAL);
    assert_true(LARIO_ETOOBIG > LARIO_EFATAL);
    assert_true(LARIO_ECANCELED > LARIO_EFATAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(our_codes_have_name_and_text),
        cmocka_unit_test(system_codes_have_name_and_text),
        cmocka_unit_test(unknown_codes_are_never_null),
        cmocka_unit_test(fatal_line_parts_request_and_connection_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
