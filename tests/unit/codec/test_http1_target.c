/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_target.h"

#include "head_driver.h"

#include <stdio.h>
#include <string.h>

/* Request targets and the Host field (RFC 9112 3.2, RFC 9110 4.2 and 7.2). */

#define HOST "Host: a\r\n"
#define GET(target) "GET " target " HTTP/1.1\r\n" HOST "\r\n"

static void origin_form_is_path_and_query(void **state)
{
    static const struct {
        const char *text, *path, *query;
    } vectors[] = {
        {GET("/"), "/", ""},          {GET("/?"), "/", ""},
        {GET("/a?b?c"), "/a", "b?c"}, {GET("//x/%20y"), "//x/%20y", ""},
        {GET("/*"), "/*", ""},        {GET("/a:b@c|\"<>\\^`{}[]"), "/a:b@c|\"<>\\^`{}[]", ""},
    };
    lario_http1_head head;

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        head_parse_good(vectors[i].text, &head);
        head_assert_span(vectors[i].text, head.path, vectors[i].path);
        head_assert_span(vectors[i].text, head.query, vectors[i].query);
        head_assert_span(vectors[i].text, head.host, "a");
    }
}

static void absolute_form_wins_over_host(void **state)
{
    static const struct {
        const char *text, *host, *path, *query;
    } vectors[] = {
        {GET("http://b/c?d"), "b", "/c", "d"},
        {GET("https://b:443/"), "b:443", "/", ""},
        {GET("HTTP://b"), "b", "/", ""},
        {GET("hTTps://b?d/e"), "b", "/", "d/e"},
        {GET("http://[::1]:8080/c"), "[::1]:8080", "/c", ""},
        {GET("http://b:/"), "b:", "/", ""},
        {"GET http://b/ HTTP/1.0\r\n\r\n", "b", "/", ""},
    };
    lario_http1_head head;

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        head_parse_good(vectors[i].text, &head);
        head_assert_span(vectors[i].text, head.host, vectors[i].host);
        head_assert_span(vectors[i].text, head.path, vectors[i].path);
        head_assert_span(vectors[i].text, head.query, vectors[i].query);
    }
}

static void absolute_form_needs_a_good_authority(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(GET("http://")), 400},
        {BYTES(GET("http:///a")), 400},
        {BYTES(GET("http://?a")), 400},
        {BYTES(GET("http://u@b/")), 400},
        {BYTES(GET("http://b:x/")), 400},
        {BYTES(GET("http://:80/")), 400},
        {BYTES(GET("http://b:99999/")), 400},
        {BYTES(GET("http://[::1/")), 400},
        {BYTES(GET("http:/b/")), 400},
        {BYTES(GET("ftp://b/")), 400},
        {BYTES(GET("http://b,c/")), 400},
        {BYTES(GET("http://b%2/")), 400},
        {BYTES(GET("b")), 400},
        {BYTES(GET("?a")), 400},
        {BYTES(GET("http")), 400},
        {BYTES(GET("https:/")), 400},
        {BYTES("GET http://b/ HTTP/1.1\r\n\r\n"), 400},
        {BYTES("GET http://b/ HTTP/1.1\r\nHost:\r\n\r\n"), 400},
        {BYTES("GET http://b/ HTTP/1.1\r\nHost: u@b\r\n\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void authority_form_is_for_connect_alone(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"), 0},
        {BYTES("CONNECT [::1]:443 HTTP/1.1\r\nHost: b\r\n\r\n"), 0},
        {BYTES("CONNECT b HTTP/1.1\r\nHost: b\r\n\r\n"), 400},
        {BYTES("CONNECT b: HTTP/1.1\r\nHost: b\r\n\r\n"), 400},
        {BYTES("CONNECT u@b:443 HTTP/1.1\r\nHost: b\r\n\r\n"), 400},
        {BYTES("CONNECT /a HTTP/1.1\r\nHost: b\r\n\r\n"), 400},
        {BYTES("CONNECT http://b:443/ HTTP/1.1\r\nHost: b\r\n\r\n"), 400},
        {BYTES("CONNECT b:443 HTTP/1.1\r\nHost:\r\n\r\n"), 400},
        {BYTES("GET b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"), 400},
    };
    static const char text[] = "CONNECT b:443 HTTP/1.1\r\nHost: c\r\n\r\n";
    lario_http1_head head;

    (void)state;
    HEAD_CHECK(vectors);
    head_parse_good(text, &head);
    head_assert_span(text, head.host, "b:443");
    head_assert_span(text, head.path, "");
}

static void asterisk_is_for_options_alone(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), 0},
        {BYTES("OPTIONS /a HTTP/1.1\r\n" HOST "\r\n"), 0},
        {BYTES("GET * HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("options * HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("OPTIONS *a HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("OPTIONS ** HTTP/1.1\r\n" HOST "\r\n"), 400},
    };
    static const char text[] = "OPTIONS * HTTP/1.1\r\n" HOST "\r\n";
    lario_http1_head head;

    (void)state;
    HEAD_CHECK(vectors);
    head_parse_good(text, &head);
    head_assert_span(text, head.path, "*");
}

static void target_is_printable_ascii_without_fragment(void **state)
{
    char text[] = "GET /a_b HTTP/1.1\r\n" HOST "\r\n";
    char *spot = strchr(text, '_');
    lario_http1_head head;

    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        bool good = byte > 0x20 && byte < 0x7f && byte != '#';

        *spot = (char)byte;
        assert_int_equal(head_run(&head_default_limits, text, sizeof text - 1, &head),
                         good ? 0 : 400);
    }
}

static void http_1_1_needs_exactly_one_host(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("GET / HTTP/1.1\r\n\r\n"), 400},
        {BYTES("GET / HTTP/1.1\r\nHostX: a\r\n\r\n"), 400},
        {BYTES("GET / HTTP/1.2\r\n\r\n"), 400},
        {BYTES("GET / HTTP/1.1\r\nhOST: a\r\n\r\n"), 0},
        {BYTES("GET / HTTP/1.1\r\n" HOST HOST "\r\n"), 400},
        {BYTES("GET / HTTP/1.1\r\nHost:\r\n" HOST "\r\n"), 400},
        {BYTES("GET / HTTP/1.1\r\n" HOST "X: y\r\nHOST:\r\n\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void http_1_0_may_go_without_host(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("GET / HTTP/1.0\r\n\r\n"), 0},
        {BYTES("GET / HTTP/1.0\r\n" HOST "\r\n"), 0},
        {BYTES("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400},
        {BYTES("GET / HTTP/1.0\r\nHost: a/b\r\n\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void empty_host_is_for_targets_without_authority(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: \r\n\r\n";
    lario_http1_head head;

    (void)state;
    head_parse_good(text, &head);
    head_assert_span(text, head.host, "");
}

static void host_is_a_host_and_a_port(void **state)
{
    static const char *const good[] = {
        "a",       "example.org",      "example.org:80", "127.0.0.1:8080", "a:",
        "[::1]",   "[2001:db8::1]:80", "[::1]:",         "A-b_c~d.e",      "a%20b",
        "a:65535", "[::ffff:1.2.3.4]", "a:00080",        "xn--bcher-kva",  "a!$&'()*+;=b",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!lario_http1_authority_is_valid(good[i], strlen(good[i]), false))
            fail_msg("refused: %s", good[i]);
    }
}

/* Fails the test unless a request with this Host is refused. */
static void assert_bad_host(const char *host)
{
    char text[128];
    lario_http1_head head;
    int len = snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", host);

    if (head_run(&head_default_limits, text, (size_t)len, &head) != 400)
        fail_msg("accepted: %s", host);
}

static void host_has_no_userinfo_path_list_or_space(void **state)
{
    static const char *const bad[] = {
        "u@a", "u:p@a", "a/b", "a?b",    "a#b",      "a\\b", "http://a/", "a,b",  "a, b",
        "a b", "a\tb",  "<a>", "a\"b\"", "\xc3\xa4", "a%",   "a%2",       "a%zz",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_bad_host(bad[i]);
    assert_false(lario_http1_authority_is_valid("a\0b", 3, false));
}

static void port_of_a_host_is_a_number_below_65536(void **state)
{
    static const char *const bad[] = {
        ":80",  "a:b",   "a:80:80", "a:65536", "a:99999999999999999999",
        "a:-1", "a:+80", "a: 80",   "a:80 b",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_bad_host(bad[i]);
}

static void ipv6_address_of_a_host_is_in_brackets(void **state)
{
    static const char *const bad[] = {
        "::1",     "[::1",   "[]",     "[a]",
        "[1]",     "[::1]a", "[::1]]", "a[::1]",
        "[::1%1]", "[v1.a]", "[::g]",  "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_bad_host(bad[i]);
    assert_false(lario_http1_authority_is_valid("[::1\0]", 6, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(origin_form_is_path_and_query),
        cmocka_unit_test(absolute_form_wins_over_host),
        cmocka_unit_test(absolute_form_needs_a_good_authority),
        cmocka_unit_test(authority_form_is_for_connect_alone),
        cmocka_unit_test(asterisk_is_for_options_alone),
        cmocka_unit_test(target_is_printable_ascii_without_fragment),
        cmocka_unit_test(http_1_1_needs_exactly_one_host),
        cmocka_unit_test(http_1_0_may_go_without_host),
        cmocka_unit_test(empty_host_is_for_targets_without_authority),
        cmocka_unit_test(host_is_a_host_and_a_port),
        cmocka_unit_test(host_has_no_userinfo_path_list_or_space),
        cmocka_unit_test(port_of_a_host_is_a_number_below_65536),
        cmocka_unit_test(ipv6_address_of_a_host_is_in_brackets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
