/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/uri.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/* Each vector is decoded to memory of its own and in place, which must give the same. */
static int decode_path(const char *raw, size_t len, char *out, char slash)
{
    char in_place[256];
    int rc = lario_uri_decode_path(raw, len, out, slash);

    assert_true(len <= sizeof in_place);
    memcpy(in_place, raw, len);
    assert_int_equal(lario_uri_decode_path(in_place, len, in_place, slash), rc);
    if (rc > 0)
        assert_memory_equal(in_place, out, (size_t)rc);
    return rc;
}

static void assert_path(const char *raw, const char *decoded)
{
    char out[256];
    int len = decode_path(raw, strlen(raw), out, '/');

    assert_int_equal(len, strlen(decoded));
    assert_memory_equal(out, decoded, (size_t)len);
}

static void path_escapes_are_decoded_once(void **state)
{
    (void)state;
    assert_path("", "");
    assert_path("/a/b", "/a/b");
    assert_path("/%61%20b", "/a b");
    assert_path("/%2e%2E/%2525", "/../%25");
    assert_path("%41", "A");
    assert_path("/%c3%A4\xc3\xb6", "/\xc3\xa4\xc3\xb6");
    assert_path("/\xc3%b6", "/\xc3\xb6");
}

static void plus_in_a_path_is_a_plus(void **state)
{
    (void)state;
    assert_path("/a+b%2B", "/a+b+");
}

static void encoded_slash_can_be_told_apart(void **state)
{
    char out[16];

    (void)state;
    assert_path("/a%2Fb", "/a/b");
    assert_int_equal(decode_path("/a%2fb/", 7, out, LARIO_URI_ENCODED_SLASH), 5);
    assert_memory_equal(out, "/a\377b/", 5);
}

static void bad_paths_are_refused(void **state)
{
    static const char *const bad[] = {
        "/%",         "/%2",        "/%g0",          "/%0g",      "/% 2",
        "/%%41",      "/%00",       "/%0d",          "/%0A",      "/%+1",
        "/%-1",       "/a%0D%0Ab",  "/%ff",          "/\xff",     "/%80",
        "/%c3",       "/%c3/",      "/%c3%2f",       "/%c0%af",   "/%c0%ae",
        "/%e0%80%af", "/%ed%a0%80", "/%f4%90%80%80", "/\xc0\xaf", "/%f0%80%80%af",
        "/%c3%28",
    };
    char out[64];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (decode_path(bad[i], strlen(bad[i]), out, '/') != LARIO_EPROTO)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(decode_path(bad[i], strlen(bad[i]), out, LARIO_URI_ENCODED_SLASH),
                         LARIO_EPROTO);
    }
}

static void escape_cut_short_by_the_length_is_refused(void **state)
{
    char out[8];

    (void)state;
    assert_int_equal(decode_path("/%41", 3, out, '/'), LARIO_EPROTO);
    assert_int_equal(lario_uri_decode_form("%41", 2, out), LARIO_EPROTO);
}

static void assert_form(const char *raw, const char *decoded)
{
    char out[64];
    char in_place[64];
    int len = lario_uri_decode_form(raw, strlen(raw), out);

    assert_int_equal(len, strlen(decoded));
    assert_memory_equal(out, decoded, (size_t)len);
    memcpy(in_place, raw, strlen(raw));
    assert_int_equal(lario_uri_decode_form(in_place, strlen(raw), in_place), len);
    assert_memory_equal(in_place, decoded, (size_t)len);
}

static void plus_in_a_form_is_a_space(void **state)
{
    (void)state;
    assert_form("", "");
    assert_form("a+b%2Bc", "a b+c");
    assert_form("%0d%0A%2f", "\r\n/");
    assert_form("\xff%ff", "\xff\xff");
}

static void bad_form_escapes_are_refused(void **state)
{
    static const char *const bad[] = {"%", "a%2", "%zz", "%00", "a%0", "%u0041", "%%"};
    char out[16];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (lario_uri_decode_form(bad[i], strlen(bad[i]), out) != LARIO_EPROTO)
            fail_msg("accepted: %s", bad[i]);
    }
}

static void more_than_int_max_is_too_big(void **state)
{
    char out[1];

    (void)state;
    assert_int_equal(lario_uri_decode_path("", (size_t)INT_MAX + 1, out, '/'), LARIO_ETOOBIG);
    assert_int_equal(lario_uri_decode_form("", (size_t)INT_MAX + 1, out), LARIO_ETOOBIG);
}

/* The pairs of `query`, written "name>value|". */
static void assert_pairs(const char *query, const char *expected)
{
    char out[128] = "";
    const char *at = query;
    const char *end = query + strlen(query);
    const char *name, *value;
    size_t name_len, value_len;

    while (lario_uri_query_next(&at, end, &name, &name_len, &value, &value_len)) {
        assert_true(value + value_len <= end);
        strncat(out, name, name_len);
        strcat(out, ">");
        strncat(out, value, value_len);
        strcat(out, "|");
    }
    assert_ptr_equal(at, end);
    assert_string_equal(out, expected);
}

static void query_is_parted_at_ampersands(void **state)
{
    (void)state;
    assert_pairs("", "");
    assert_pairs("a=b", "a>b|");
    assert_pairs("a=b&c=d", "a>b|c>d|");
    assert_pairs("a=b=c", "a>b=c|");
    assert_pairs("a;b=c", "a;b>c|");
    assert_pairs("a=1&a=2", "a>1|a>2|");
}

static void piece_without_equals_has_an_empty_value(void **state)
{
    (void)state;
    assert_pairs("foo&bar&x=", "foo>|bar>|x>|");
    assert_pairs("=v&=", ">v|>|");
}

static void empty_pieces_are_skipped(void **state)
{
    (void)state;
    assert_pairs("&", "");
    assert_pairs("&bar&", "bar>|");
    assert_pairs("&&a=b&&&c&&", "a>b|c>|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_escapes_are_decoded_once),
        cmocka_unit_test(plus_in_a_path_is_a_plus),
        cmocka_unit_test(encoded_slash_can_be_told_apart),
        cmocka_unit_test(bad_paths_are_refused),
        cmocka_unit_test(escape_cut_short_by_the_length_is_refused),
        cmocka_unit_test(plus_in_a_form_is_a_space),
        cmocka_unit_test(bad_form_escapes_are_refused),
        cmocka_unit_test(more_than_int_max_is_too_big),
        cmocka_unit_test(query_is_parted_at_ampersands),
        cmocka_unit_test(piece_without_equals_has_an_empty_value),
        cmocka_unit_test(empty_pieces_are_skipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
