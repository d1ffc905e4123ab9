/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/cookie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/* ---- Cookie ---- */

/* The cookies of the field's value, written "name>value|"; it lies in memory of just its size. */
static void assert_cookies(const char *field, const char *expected)
{
    size_t len = strlen(field), name_len, value_len;
    char *copy = malloc(len + 1), out[512] = "";
    const char *at = copy, *name, *value;

    assert_non_null(copy);
    memcpy(copy, field, len);
    while (lario_cookie_next(&at, copy + len, &name, &name_len, &value, &value_len)) {
        strncat(out, name, name_len);
        strcat(out, ">");
        strncat(out, value, value_len);
        strcat(out, "|");
    }
    assert_ptr_equal(at, copy + len);
    assert_string_equal(out, expected);
    free(copy);
}

static void cookies_are_parted_at_semicolons(void **state)
{
    (void)state;
    assert_cookies("", "");
    assert_cookies("a=b", "a>b|");
    assert_cookies("a=b; c=d", "a>b|c>d|");
    assert_cookies("a=b;c=d;", "a>b|c>d|");
    assert_cookies(" a = b \t;\tc=d ", "a>b|c>d|");
    assert_cookies("a=1; a=2", "a>1|a>2|");
}

static void value_is_as_sent(void **state)
{
    (void)state;
    assert_cookies("a=", "a>|");
    assert_cookies("a=b=c==", "a>b=c==|");
    assert_cookies("a=\"b c\"", "a>\"b c\"|");
    assert_cookies("a=%20+x", "a>%20+x|");
    assert_cookies("a=b,c=d", "a>b,c=d|");
}

static void what_is_no_cookie_is_passed_over(void **state)
{
    (void)state;
    assert_cookies("a; b=c", "b>c|");
    assert_cookies("=x; b=c", "b>c|");
    assert_cookies(";;; ; b=c", "b>c|");
    assert_cookies("a b=x; b=c", "b>c|");
    assert_cookies("a[]=x; \xc3\xa4=y", "");
}

/* ---- Set-Cookie ---- */

#define COOKIE(...) ((lario_set_cookie_text){__VA_ARGS__})

/* A cookie without a name or a value gets one. */
static lario_set_cookie_text complete(lario_set_cookie_text cookie)
{
    if (!cookie.name)
        cookie.name = "n";
    if (!cookie.value)
        cookie.value = "v";
    return cookie;
}

static void assert_set(lario_set_cookie_text given, const char *expected)
{
    lario_set_cookie_text cookie = complete(given);
    size_t room = lario_set_cookie_room(&cookie);
    char *text = malloc(room);

    assert_non_null(text);
    assert_int_equal(lario_set_cookie_check(&cookie), 0);
    size_t len = lario_set_cookie_write(&cookie, text);

    assert_true(len < room);
    assert_int_equal(len, strlen(text));
    assert_string_equal(text, expected);
    free(text);
}

static void every_attribute_is_written(void **state)
{
    (void)state;
    assert_set(COOKIE(.name = "n"), "n=v");
    assert_set(COOKIE(.value = ""), "n=");
    assert_set(COOKIE(.value = "\"v\""), "n=\"v\"");
    assert_set(COOKIE(.path = "/a b"), "n=v; Path=/a b");
    assert_set(COOKIE(.domain = "a.example"), "n=v; Domain=a.example");
    assert_set(COOKIE(.has_max_age = true, .max_age_s = 3600), "n=v; Max-Age=3600");
    assert_set(COOKIE(.has_max_age = true, .max_age_s = INT64_MAX),
               "n=v; Max-Age=9223372036854775807");
    assert_set(COOKIE(.has_expires = true, .expires_s = 784111777),
               "n=v; Expires=Sun, 06 Nov 1994 08:49:37 GMT");
    assert_set(COOKIE(.secure = true), "n=v; Secure");
    assert_set(COOKIE(.http_only = true), "n=v; HttpOnly");
    assert_set(COOKIE(.site = LARIO_SET_COOKIE_LAX), "n=v; SameSite=Lax");
    assert_set(COOKIE(.site = LARIO_SET_COOKIE_STRICT), "n=v; SameSite=Strict");
    assert_set(COOKIE(.site = LARIO_SET_COOKIE_NONE, .secure = true), "n=v; Secure; SameSite=None");
    assert_set(COOKIE(.path = "/", .domain = "b", .has_max_age = true, .max_age_s = 1,
                      .has_expires = true, .expires_s = 0, .secure = true, .http_only = true,
                      .site = LARIO_SET_COOKIE_STRICT),
               "n=v; Path=/; Domain=b; Max-Age=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; "
               "HttpOnly; SameSite=Strict");
}

static void an_age_that_has_passed_is_zero(void **state)
{
    (void)state;
    assert_set(COOKIE(.has_max_age = true, .max_age_s = 0), "n=v; Max-Age=0");
    assert_set(COOKIE(.has_max_age = true, .max_age_s = -5), "n=v; Max-Age=0");
}

static void assert_refused(lario_set_cookie_text given)
{
    lario_set_cookie_text cookie = complete(given);

    assert_int_equal(lario_set_cookie_check(&cookie), LARIO_EHEADER);
}

static void name_is_a_token(void **state)
{
    static const char *const bad[] = {"", "a b", "a=b", "a;b", "a\r\nb", "a\"", "\xc3\xa4", "a,b"};
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(COOKIE(.name = bad[i]));
}

static void value_has_cookie_octets_only(void **state)
{
    static const char *const bad[] = {"a b", "a;b", "a,b",  "a\\b",  "a\"b",     "\"",
                                      "\"a", "a\"", "\x7f", "a\r\n", "\xc3\xa4", "\t"};
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(COOKIE(.value = bad[i]));
}

static void path_and_domain_cannot_add_attributes(void **state)
{
    (void)state;
    assert_refused(COOKIE(.path = ""));
    assert_refused(COOKIE(.path = "a"));
    assert_refused(COOKIE(.path = "/; Secure"));
    assert_refused(COOKIE(.path = "/\r\nX: y"));
    assert_refused(COOKIE(.path = "/\xc3\xa4"));
    assert_refused(COOKIE(.domain = ""));
    assert_refused(COOKIE(.domain = "a;b"));
    assert_refused(COOKIE(.domain = "a b"));
    assert_refused(COOKIE(.domain = "a/b"));
    assert_refused(COOKIE(.domain = "[::1]"));
}

static void none_goes_with_secure_only(void **state)
{
    (void)state;
    assert_refused(COOKIE(.site = LARIO_SET_COOKIE_NONE));
}

static void date_must_be_one_that_can_be_written(void **state)
{
    (void)state;
    assert_refused(COOKIE(.has_expires = true, .expires_s = -1));
    assert_refused(COOKIE(.has_expires = true, .expires_s = INT64_MAX));
}

static void secure_prefix_is_kept(void **state)
{
    (void)state;
    assert_set(COOKIE(.name = "__Secure-n", .secure = true), "__Secure-n=v; Secure");
    assert_set(COOKIE(.name = "__Secure-n", .secure = true, .domain = "a", .path = "/b"),
               "__Secure-n=v; Path=/b; Domain=a; Secure");
    assert_refused(COOKIE(.name = "__Secure-n"));
    assert_refused(COOKIE(.name = "__SECURE-n"));
}

static void host_prefix_is_kept(void **state)
{
    (void)state;
    assert_set(COOKIE(.name = "__Host-n", .secure = true, .path = "/"),
               "__Host-n=v; Path=/; Secure");
    assert_refused(COOKIE(.name = "__Host-n", .path = "/"));
    assert_refused(COOKIE(.name = "__Host-n", .secure = true));
    assert_refused(COOKIE(.name = "__host-n", .secure = true, .path = "/a"));
    assert_refused(COOKIE(.name = "__Host-n", .secure = true, .path = "/", .domain = "a"));
}

static void assert_checked(lario_set_cookie_text given, int expected)
{
    lario_set_cookie_text cookie = complete(given);

    assert_int_equal(lario_set_cookie_check(&cookie), expected);
}

static void too_long_is_told(void **state)
{
    static char long_text[LARIO_SET_COOKIE_BYTES_MAX + 1], path[1100] = "/";
    (void)state;

    memset(long_text, 'x', sizeof long_text - 1);
    memset(path + 1, 'p', LARIO_SET_COOKIE_ATTRIBUTE_BYTES_MAX);
    assert_checked(COOKIE(.value = long_text), LARIO_ETOOBIG);
    assert_checked(COOKIE(.value = long_text + 1), 0);
    assert_checked(COOKIE(.name = long_text), LARIO_ETOOBIG);
    assert_checked(COOKIE(.path = path), LARIO_ETOOBIG);
    assert_checked(COOKIE(.domain = long_text), LARIO_ETOOBIG);
    path[LARIO_SET_COOKIE_ATTRIBUTE_BYTES_MAX] = '\0';
    assert_checked(COOKIE(.path = path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cookies_are_parted_at_semicolons),
        cmocka_unit_test(value_is_as_sent),
        cmocka_unit_test(what_is_no_cookie_is_passed_over),
        cmocka_unit_test(every_attribute_is_written),
        cmocka_unit_test(an_age_that_has_passed_is_zero),
        cmocka_unit_test(name_is_a_token),
        cmocka_unit_test(value_has_cookie_octets_only),
        cmocka_unit_test(path_and_domain_cannot_add_attributes),
        cmocka_unit_test(none_goes_with_secure_only),
        cmocka_unit_test(date_must_be_one_that_can_be_written),
        cmocka_unit_test(secure_prefix_is_kept),
        cmocka_unit_test(host_prefix_is_kept),
        cmocka_unit_test(too_long_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
