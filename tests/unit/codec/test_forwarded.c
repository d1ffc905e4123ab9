/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/forwarded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * The whole list from its end, as text: each element is its address ("-" when it tells none, "!"
 * when it is malformed) with "+http" or "+https" behind it.
 */
static void check(bool (*last)(const char *, size_t *, lario_forwarded_hop *), const char *value,
                  const char *expected)
{
    static const char *const protos[] = {"", "+http", "+https"};
    char out[512] = "", ip[LARIO_IP_TEXT_BYTES];
    size_t len = strlen(value);
    /* In a block of its size, so that a sanitizer sees a read beyond. */
    char *copy = malloc(len + 1);
    lario_forwarded_hop hop;

    assert_non_null(copy);
    memcpy(copy, value, len);
    while (last(copy, &len, &hop)) {
        const char *text = hop.is_malformed                 ? "!"
                           : hop.ip.family == LARIO_IP_NONE ? "-"
                                                            : lario_ip_format(&hop.ip, ip);
        size_t at = strlen(out);

        snprintf(out + at, sizeof out - at, "%s%s%s", at ? " " : "", text, protos[hop.proto]);
    }
    assert_int_equal(len, 0);
    assert_string_equal(out, expected);
    free(copy);
}

static void check_f(const char *value, const char *expected)
{
    check(lario_forwarded_last, value, expected);
}

static void check_x(const char *value, const char *expected)
{
    check(lario_x_forwarded_for_last, value, expected);
}

static void examples_of_rfc7239_4(void **state)
{
    (void)state;
    check_f("for=\"_gazonk\"", "-");
    check_f("For=\"[2001:db8:cafe::17]:4711\"", "2001:db8:cafe::17");
    check_f("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60+http");
    check_f("for=192.0.2.43, for=198.51.100.17", "198.51.100.17 192.0.2.43");
    check_f("for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown",
            "- 2001:db8:cafe::17 192.0.2.43");
    check_f("for=_hidden, for=_SEVKISEK", "- -");
}

static void elements_come_from_the_end_and_empty_ones_are_skipped(void **state)
{
    (void)state;
    check_f("", "");
    check_f(" , ,, ", "");
    check_f(", for=1.1.1.1 ,,\tfor=2.2.2.2;proto=HTTPS ,", "2.2.2.2+https 1.1.1.1");
    check_f("proto=https", "-+https");
    check_f("for=1.1.1.1;;proto=https;", "1.1.1.1+https");
    check_f("for=1.1.1.1 ; proto=http", "1.1.1.1+http");
}

static void quoted_text_may_hold_anything(void **state)
{
    (void)state;
    check_f("for=\"1.1.1.1\";host=\"a,b;c=\\\"d\\\\\"", "1.1.1.1");
    check_f("host=\"x\\\",for=9.9.9.9,\\\"y\";for=1.1.1.1", "1.1.1.1");
    check_f("for=\"1\\.1.1.1\"", "1.1.1.1");
}

/* What a client put in front must not change how the proxy's own element is read. */
static void open_quote_does_not_swallow_what_follows(void **state)
{
    (void)state;
    check_f("for=\"6.6.6.6, for=1.1.1.1", "1.1.1.1 !");
    check_f("for=6.6.6.6\\, for=\"1.1.1.1:80\"", "1.1.1.1 !");
    check_f("\", for=1.1.1.1", "1.1.1.1 !");
}

static void malformed_elements_tell_nothing(void **state)
{
    static const char *const bad[] = {"for",
                                      "for=",
                                      "=1.1.1.1",
                                      "for=1.1.1.1;for=2.2.2.2",
                                      "for =1.1.1.1",
                                      "for= 1.1.1.1",
                                      "for=1.1.1.1 x",
                                      "for=\"1.1.1.1\"x",
                                      "for=[::1]",
                                      "for=\"::1\"",
                                      "for=1.1.1",
                                      "for=\"[1.1.1.1]\"",
                                      "for=\"[::1\"",
                                      "for=\"[::1]x\"",
                                      "for=\"1.1.1.1:\"",
                                      "for=\"1.1.1.1:70000\"",
                                      "for=_",
                                      "for=_a/b",
                                      "for=\"\"",
                                      "for=name.example",
                                      "proto=http;proto=https;for=1.1.1.1",
                                      "for=\"unknown:x\"",
                                      "for=\"1.1.1.1",
                                      "for=\"1.1.1.1\\"};
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_f(bad[i], "!");
}

static void hidden_nodes_may_have_a_port(void **state)
{
    (void)state;
    check_f("for=\"unknown:80\"", "-");
    check_f("for=\"_a.b-c:_port\"", "-");
    check_f("for=\"192.0.2.7:_port\"", "192.0.2.7");
}

static void other_protocols_are_not_told(void **state)
{
    (void)state;
    check_f("for=1.1.1.1;proto=gopher", "1.1.1.1");
}

static void long_values_are_malformed(void **state)
{
    char value[256] = "for=\"";
    (void)state;

    memset(value + 5, '1', 100);
    strcpy(value + 105, "\"");
    check_f(value, "!");
}

static void x_forwarded_for_is_read_from_its_end(void **state)
{
    (void)state;
    check_x("203.0.113.7", "203.0.113.7");
    check_x("203.0.113.7, 10.0.0.1 ,10.0.0.2", "10.0.0.2 10.0.0.1 203.0.113.7");
    check_x("2001:db8::1, [2001:db8::2], [2001:db8::3]:443, 192.0.2.7:80",
            "192.0.2.7 2001:db8::3 2001:db8::2 2001:db8::1");
    check_x("unknown, ::ffff:1.2.3.4", "1.2.3.4 -");
    check_x(",, ,", "");
}

static void malformed_x_forwarded_for_tells_nothing(void **state)
{
    static const char *const bad[] = {
        "name",        "1.2.3",     "1.2.3.4:x", "[::1", "::1]", "1.2.3.4 5.6.7.8",
        "\"1.2.3.4\"", "[1.2.3.4]", "1:2:3",     "[]"};
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_x(bad[i], "!");
    check_x("\"6.6.6.6, 1.1.1.1", "1.1.1.1 !");
}

static enum lario_forwarded_proto proto(const char *value)
{
    return lario_x_forwarded_proto(value, strlen(value));
}

static void x_forwarded_proto_is_its_last_member(void **state)
{
    (void)state;
    assert_int_equal(proto("https"), LARIO_FORWARDED_PROTO_HTTPS);
    assert_int_equal(proto("HTTP"), LARIO_FORWARDED_PROTO_HTTP);
    assert_int_equal(proto("http, https "), LARIO_FORWARDED_PROTO_HTTPS);
    assert_int_equal(proto("https, http"), LARIO_FORWARDED_PROTO_HTTP);
    assert_int_equal(proto("https, x"), LARIO_FORWARDED_PROTO_NONE);
    assert_int_equal(proto(""), LARIO_FORWARDED_PROTO_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_rfc7239_4),
        cmocka_unit_test(elements_come_from_the_end_and_empty_ones_are_skipped),
        cmocka_unit_test(quoted_text_may_hold_anything),
        cmocka_unit_test(open_quote_does_not_swallow_what_follows),
        cmocka_unit_test(malformed_elements_tell_nothing),
        cmocka_unit_test(hidden_nodes_may_have_a_port),
        cmocka_unit_test(other_protocols_are_not_told),
        cmocka_unit_test(long_values_are_malformed),
        cmocka_unit_test(x_forwarded_for_is_read_from_its_end),
        cmocka_unit_test(malformed_x_forwarded_for_tells_nothing),
        cmocka_unit_test(x_forwarded_proto_is_its_last_member),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
