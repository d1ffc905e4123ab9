/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_head.h"

#include "head_driver.h"

#include <string.h>

/* Fields that frame the message (RFC 9112 6 and 9, RFC 9110 7.6, 7.8, 8.6 and 10.1.1). */

#define V11(fields) "POST / HTTP/1.1\r\nHost: a\r\n" fields "\r\n"
#define V10(fields) "POST / HTTP/1.0\r\n" fields "\r\n"
#define LENGTH(value) BYTES(V11("Content-Length: " value "\r\n"))
#define CODING(value) BYTES(V11("Transfer-Encoding: " value "\r\n"))
#define EXPECT(value) BYTES(V11("Expect: " value "\r\n"))

static void content_length_is_digits_only(void **state)
{
    static const head_vector vectors[] = {
        {LENGTH("0"), 0},    {LENGTH("12"), 0},      {LENGTH("007"), 0},    {LENGTH(" 5\t"), 0},
        {LENGTH(""), 400},   {LENGTH("+5"), 400},    {LENGTH("-5"), 400},   {LENGTH("0x5"), 400},
        {LENGTH("5a"), 400}, {LENGTH("5 5"), 400},   {LENGTH("5.0"), 400},  {LENGTH("1_0"), 400},
        {LENGTH("5;"), 400}, {LENGTH("\"5\""), 400}, {LENGTH("\xb2"), 400}, {LENGTH("1e3"), 400},
    };
    lario_http1_head head;

    (void)state;
    HEAD_CHECK(vectors);
    head_parse_good(V11("CONTENT-length: 0012\r\n"), &head);
    assert_true(head.has_length);
    assert_false(head.chunked);
    assert_true(head.content_length == 12);
}

static void content_length_is_checked_for_overflow(void **state)
{
    static const head_vector vectors[] = {
        {LENGTH("18446744073709551615"), 0},         {LENGTH("18446744073709551616"), 400},
        {LENGTH("18446744073709551625"), 400},       {LENGTH("28446744073709551615"), 400},
        {LENGTH("99999999999999999999999999"), 400}, {LENGTH("000000000000000000000000000001"), 0},
    };
    lario_http1_head head;

    (void)state;
    HEAD_CHECK(vectors);
    head_parse_good(V11("Content-Length: 18446744073709551615\r\n"), &head);
    assert_true(head.content_length == UINT64_MAX);
}

static void repeated_content_length_must_be_the_same(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(V11("Content-Length: 5\r\nContent-Length: 5\r\n")), 0},
        {LENGTH("5, 5"), 0},
        {LENGTH("5,05"), 0},
        {BYTES(V11("Content-Length: 5\r\nContent-Length: 6\r\n")), 400},
        {BYTES(V11("Content-Length: 0\r\nContent-Length: 6\r\n")), 400},
        {BYTES(V11("Content-Length: 5\r\nContent-Length:\r\n")), 400},
        {LENGTH("5, 6"), 400},
        {LENGTH("5,"), 400},
        {LENGTH(",5"), 400},
        {LENGTH("5,,5"), 400},
        {LENGTH(","), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void without_content_length_there_is_no_body(void **state)
{
    lario_http1_head head;

    (void)state;
    head_parse_good(V11(""), &head);
    assert_false(head.has_length);
    assert_false(head.chunked);
    assert_true(head.content_length == 0);
}

static void length_together_with_transfer_encoding_is_refused(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(V11("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")), 400},
        {BYTES(V11("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")), 400},
        {BYTES(V11("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n")), 400},
        {BYTES(V11("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n")), 400},
        {BYTES(V11("Transfer-Encoding:\r\nContent-Length: 5\r\n")), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void chunked_is_last_and_once_and_alone_known(void **state)
{
    static const head_vector vectors[] = {
        {CODING("chunked"), 0},
        {CODING("CHUNKED"), 0},
        {CODING(", chunked ,"), 0},
        {CODING(""), 400},
        {CODING(","), 400},
        {CODING("chunked, chunked"), 400},
        {CODING("chunked, gzip"), 400},
        {CODING("chunked, identity"), 400},
        {CODING("gzip"), 501},
        {CODING("gzip, chunked"), 501},
        {CODING("identity"), 501},
        {CODING("xchunked"), 501},
        {CODING("chunkedx"), 501},
        {CODING("chunked;a=b"), 501},
        {CODING("\"chunked\""), 501},
        {CODING("chun ked"), 501},
        {CODING("\013chunked"), 400},
    };
    lario_http1_head head;

    (void)state;
    HEAD_CHECK(vectors);
    head_parse_good(V11("transfer-ENCODING: Chunked\r\n"), &head);
    assert_true(head.chunked);
    assert_false(head.has_length);
}

static void repeated_transfer_encoding_lines_are_one_list(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(V11("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")), 400},
        {BYTES(V11("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n")), 400},
        {BYTES(V11("Transfer-Encoding: gzip\r\nA: b\r\nTransfer-Encoding: chunked\r\n")), 501},
        {BYTES(V11("Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n")), 0},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void transfer_encoding_in_http_1_0_is_refused(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(V10("Transfer-Encoding: chunked\r\n")), 400},
        {BYTES(V10("Transfer-Encoding: gzip\r\n")), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void http_1_1_keeps_the_connection_unless_close_is_listed(void **state)
{
    static const struct {
        const char *text;
        bool keep_alive, close_asked;
    } vectors[] = {
        {V11(""), true, false},
        {V11("Connection: close\r\n"), false, true},
        {V11("connection: CLOSE\r\n"), false, true},
        {V11("Connection: keep-alive\r\n"), true, false},
        {V11("Connection: foo,\tclose ,bar\r\n"), false, true},
        {V11("Connection: foo\r\nConnection: close\r\n"), false, true},
        {V11("Connection: keep-alive, close\r\n"), false, true},
        {V11("Connection: closed, not-close, clos\r\n"), true, false},
        {V11("Connection:\r\n"), true, false},
        {V11("Connections: close\r\n"), true, false},
    };
    lario_http1_head head;

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        head_parse_good(vectors[i].text, &head);
        assert_int_equal(head.keep_alive, vectors[i].keep_alive);
        assert_int_equal(head.close_asked, vectors[i].close_asked);
    }
}

static void http_1_0_closes_unless_keep_alive_is_listed(void **state)
{
    static const struct {
        const char *text;
        bool keep_alive;
    } vectors[] = {
        {V10(""), false},
        {V10("Connection: Keep-Alive\r\n"), true},
        {V10("Connection: foo, keep-alive\r\n"), true},
        {V10("Connection: keep-alive, close\r\n"), false},
        {V10("Connection: keepalive\r\n"), false},
    };
    lario_http1_head head;

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        head_parse_good(vectors[i].text, &head);
        assert_int_equal(head.keep_alive, vectors[i].keep_alive);
    }
}

static void only_100_continue_may_be_expected(void **state)
{
    static const head_vector vectors[] = {
        {EXPECT("100-continue"), 0},
        {EXPECT("100-Continue"), 0},
        {EXPECT(""), 0},
        {EXPECT("200-ok"), 417},
        {EXPECT("100-continue, x"), 417},
        {EXPECT("100-continued"), 417},
        {EXPECT("100-continue;a=b"), 417},
        {BYTES(V11("Expect: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n")), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void expectation_is_for_http_1_1_and_any_method(void **state)
{
    lario_http1_head head;

    (void)state;
    head_parse_good(V11("Expect: 100-continue\r\nContent-Length: 5\r\n"), &head);
    assert_true(head.expect_continue);
    head_parse_good("FOO / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", &head);
    assert_true(head.expect_continue);
    head_parse_good(V11(""), &head);
    assert_false(head.expect_continue);
    head_parse_good(V10("Expect: 100-continue\r\nContent-Length: 5\r\n"), &head);
    assert_false(head.expect_continue);
}

static void upgrade_needs_both_fields_and_http_1_1(void **state)
{
    static const struct {
        const char *text;
        bool upgrade_asked;
    } vectors[] = {
        {V11("Connection: Upgrade\r\nUpgrade: websocket\r\n"), true},
        {V11("UPGRADE: websocket\r\nconnection: keep-alive, upgrade\r\n"), true},
        {V11("Upgrade: websocket\r\n"), false},
        {V11("Connection: upgrade\r\n"), false},
        {V11("Connection: upgrade\r\nUpgrade:\r\n"), false},
        {V11("Connection: upgrades\r\nUpgrade: websocket\r\n"), false},
        {V10("Connection: upgrade\r\nUpgrade: websocket\r\n"), false},
    };
    lario_http1_head head;

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        head_parse_good(vectors[i].text, &head);
        assert_int_equal(head.upgrade_asked, vectors[i].upgrade_asked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_length_is_digits_only),
        cmocka_unit_test(content_length_is_checked_for_overflow),
        cmocka_unit_test(repeated_content_length_must_be_the_same),
        cmocka_unit_test(without_content_length_there_is_no_body),
        cmocka_unit_test(length_together_with_transfer_encoding_is_refused),
        cmocka_unit_test(chunked_is_last_and_once_and_alone_known),
        cmocka_unit_test(repeated_transfer_encoding_lines_are_one_list),
        cmocka_unit_test(transfer_encoding_in_http_1_0_is_refused),
        cmocka_unit_test(http_1_1_keeps_the_connection_unless_close_is_listed),
        cmocka_unit_test(http_1_0_closes_unless_keep_alive_is_listed),
        cmocka_unit_test(only_100_continue_may_be_expected),
        cmocka_unit_test(expectation_is_for_http_1_1_and_any_method),
        cmocka_unit_test(upgrade_needs_both_fields_and_http_1_1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
