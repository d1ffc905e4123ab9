/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/ws_handshake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_valid(const char *key)
{
    return lario_ws_key_is_valid(key, strlen(key));
}

static void accept_value_is_the_one_of_rfc6455_1_3(void **state)
{
    char accept[LARIO_WS_ACCEPT_BYTES + 1] = "";

    (void)state;
    lario_ws_accept_key("dGhlIHNhbXBsZSBub25jZQ==", accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void accept_value_of_sixteen_zero_bytes(void **state)
{
    char accept[LARIO_WS_ACCEPT_BYTES + 1] = "";

    (void)state;
    lario_ws_accept_key("AAAAAAAAAAAAAAAAAAAAAA==", accept);
    assert_string_equal(accept, "ICX+Yqv66kxgM0FcWaLWlFLwTAI=");
}

static void key_of_sixteen_bytes_is_valid(void **state)
{
    (void)state;
    assert_true(is_valid("dGhlIHNhbXBsZSBub25jZQ=="));
    assert_true(is_valid("AAAAAAAAAAAAAAAAAAAAAA=="));
    assert_true(is_valid("/////////////////////w=="));
    assert_true(is_valid("+++++++++++++++++++++g=="));
}

static void key_of_another_length_is_refused(void **state)
{
    (void)state;
    assert_false(is_valid(""));
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZQ="));
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZQ==="));
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZQ== "));
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZTEyMzQ="));
}

static void key_without_its_padding_is_refused(void **state)
{
    (void)state;
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZQAA"));
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZQA="));
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZQ=A"));
}

static void key_with_another_character_is_refused(void **state)
{
    (void)state;
    assert_false(is_valid("dGhl-HNhbXBsZSBub25jZQ=="));
    assert_false(is_valid("dGhl_HNhbXBsZSBub25jZQ=="));
    assert_false(is_valid("dGhl HNhbXBsZSBub25jZQ=="));
    assert_false(is_valid("dGhl=HNhbXBsZSBub25jZQ=="));
    assert_false(is_valid("dGhl\xc3\xa9HNhbXBsZSBub25jZ=="));
    assert_false(lario_ws_key_is_valid("dGhl\0HNhbXBsZSBub25jZQ==", 24));
}

static void key_that_is_not_canonical_is_refused(void **state)
{
    (void)state;
    assert_false(is_valid("dGhlIHNhbXBsZSBub25jZR=="));
    assert_false(is_valid("AAAAAAAAAAAAAAAAAAAAAB=="));
    assert_false(is_valid("//////////////////////=="));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accept_value_is_the_one_of_rfc6455_1_3),
        cmocka_unit_test(accept_value_of_sixteen_zero_bytes),
        cmocka_unit_test(key_of_sixteen_bytes_is_valid),
        cmocka_unit_test(key_of_another_length_is_refused),
        cmocka_unit_test(key_without_its_padding_is_refused),
        cmocka_unit_test(key_with_another_character_is_refused),
        cmocka_unit_test(key_that_is_not_canonical_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
