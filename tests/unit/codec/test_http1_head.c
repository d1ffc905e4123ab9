/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_head.h"

#include "head_driver.h"

#include <string.h>

#include "lario/error.h"

/* Lines, names, values and versions (RFC 9112 2, 3 and 5). */

#define HOST "Host: a\r\n"
#define GET "GET / HTTP/1.1\r\n"

static void head_yields_offsets_of_all_its_parts(void **state)
{
    static const char text[] = "POST /a/b?c=d HTTP/1.1\r\nHost: example.org:80\r\n"
                               "X-Empty:\r\nX_y:\t v w \t\r\n\r\n";
    lario_http1_head head;

    (void)state;
    head_parse_good(text, &head);
    head_assert_span(text, head.method, "POST");
    head_assert_span(text, head.target, "/a/b?c=d");
    head_assert_span(text, head.path, "/a/b");
    head_assert_span(text, head.query, "c=d");
    head_assert_span(text, head.host, "example.org:80");
    assert_int_equal(head.fields_count, 3);
    head_assert_span(text, head.fields[0].name, "Host");
    head_assert_span(text, head.fields[0].value, "example.org:80");
    head_assert_span(text, head.fields[1].name, "X-Empty");
    head_assert_span(text, head.fields[1].value, "");
    head_assert_span(text, head.fields[2].name, "X_y");
    head_assert_span(text, head.fields[2].value, "v w");
}

static void bare_lf_is_refused(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("\nGET / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("GET / HTTP/1.1\n" HOST "\r\n"), 400},
        {BYTES(GET "Host: a\n\r\n"), 400},
        {BYTES(GET HOST "\n"), 400},
        {BYTES(GET HOST "A: b\nc\r\n\r\n"), 400},
        {BYTES("GET\n/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void bare_cr_is_refused(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("\rGET / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("GET / HTTP/1.1\r" HOST "\r\n"), 400},
        {BYTES("GET / HTTP/1.1\r\r\n" HOST "\r\n"), 400},
        {BYTES(GET "Host: a\r\r\n\r\n"), 400},
        {BYTES(GET HOST "A: b\rc\r\n\r\n"), 400},
        {BYTES(GET HOST "A\r: b\r\n\r\n"), 400},
        {BYTES(GET HOST "\r\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void empty_lines_before_the_request_are_skipped(void **state)
{
    static const char text[] = "\r\n\r\nGET /x HTTP/1.1\r\n" HOST "\r\n";
    lario_http1_head head;

    (void)state;
    head_parse_good(text, &head);
    head_assert_span(text, head.method, "GET");
    head_assert_span(text, head.path, "/x");
}

static void folded_lines_are_refused(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(GET HOST "A: b\r\n c\r\n\r\n"), 400},
        {BYTES(GET HOST "A: b\r\n\tc\r\n\r\n"), 400},
        {BYTES(GET " Host: a\r\n\r\n"), 400},
        {BYTES(GET HOST " \r\n\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void space_before_the_colon_is_refused(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(GET "Host : a\r\n\r\n"), 400},
        {BYTES(GET HOST "A\t: b\r\n\r\n"), 400},
        {BYTES(GET HOST "A b: c\r\n\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void field_needs_a_name_and_a_colon(void **state)
{
    static const head_vector vectors[] = {
        {BYTES(GET HOST ": b\r\n\r\n"), 400},
        {BYTES(GET HOST "Name\r\n\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void every_tchar_and_nothing_else_is_a_name_character(void **state)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    char text[] = GET HOST "A_: b\r\n\r\n";
    char *spot = strchr(text, '_');
    lario_http1_head head;

    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        bool letter_or_digit = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                               (byte >= 'a' && byte <= 'z');
        bool good = letter_or_digit || (byte != 0 && strchr(others, byte));

        if (byte == ':')
            continue; /* ends the name */
        *spot = (char)byte;
        assert_int_equal(
            head_run(&head_default_limits, text, strlen(GET HOST "A_: b\r\n\r\n"), &head),
            good ? 0 : 400);
    }
}

static void control_characters_in_values_are_refused(void **state)
{
    char text[] = GET HOST "A: 0123456789abcdef_0123456789abcdef\r\n\r\n";
    char *spot = strchr(text, '_');
    lario_http1_head head;

    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        bool good = (byte >= 0x20 && byte != 0x7f) || byte == '\t';

        *spot = (char)byte;
        assert_int_equal(head_run(&head_default_limits, text, sizeof text - 1, &head),
                         good ? 0 : 400);
    }
}

static void white_space_around_values_is_trimmed(void **state)
{
    static const char text[] = GET HOST "A:b\r\nB: \t c\t \r\nC: \t \r\nD: e \t f\r\n\r\n";
    lario_http1_head head;

    (void)state;
    head_parse_good(text, &head);
    head_assert_span(text, head.fields[1].value, "b");
    head_assert_span(text, head.fields[2].value, "c");
    head_assert_span(text, head.fields[3].value, "");
    head_assert_span(text, head.fields[4].value, "e \t f");
}

static void method_is_a_token(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("M-SEARCH / HTTP/1.1\r\n" HOST "\r\n"), 0},
        {BYTES("get / HTTP/1.1\r\n" HOST "\r\n"), 0},
        {BYTES(" / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("G@T / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("G\0T / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("G\xc3\x89T / HTTP/1.1\r\n" HOST "\r\n"), 400},
        {BYTES("\x16\x03\x01\x02"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void request_line_has_three_parts_and_single_spaces(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("GET\r\n"), 400},
        {BYTES("GET /\r\n"), 400},
        {BYTES("GET  / HTTP/1.1\r\n"), 400},
        {BYTES("GET /  HTTP/1.1\r\n"), 400},
        {BYTES("GET  HTTP/1.1\r\n"), 400},
        {BYTES("GET / HTTP/1.1 \r\n"), 400},
        {BYTES("GET / a HTTP/1.1\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void version_is_http_1(void **state)
{
    static const head_vector vectors[] = {
        {BYTES("GET / HTTP/1.0\r\n\r\n"), 0},
        {BYTES("GET / HTTP/1.1\r\n" HOST "\r\n"), 0},
        {BYTES("GET / HTTP/0.9\r\n"), 505},
        {BYTES("GET / HTTP/2.0\r\n"), 505},
        {BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505},
        {BYTES("GET / HTTP/3.1\r\n"), 505},
        {BYTES("GET / http/1.1\r\n"), 400},
        {BYTES("GET / HTTP/1\r\n"), 400},
        {BYTES("GET / HTTP/2\r\n"), 400},
        {BYTES("GET / HTTP/1.10\r\n"), 400},
        {BYTES("GET / HTTP/11.1\r\n"), 400},
        {BYTES("GET / HTTP/1,1\r\n"), 400},
        {BYTES("GET / HTTP/+1.1\r\n"), 400},
        {BYTES("GET / HTTP/1.a\r\n"), 400},
        {BYTES("GET / HTTP /1.1\r\n"), 400},
        {BYTES("GET / FTP/1.1\r\n"), 400},
    };

    (void)state;
    HEAD_CHECK(vectors);
}

static void later_minor_versions_count_as_1_1(void **state)
{
    lario_http1_head head;

    (void)state;
    head_parse_good("GET / HTTP/1.0\r\n\r\n", &head);
    assert_int_equal(head.minor, 0);
    head_parse_good(GET HOST "\r\n", &head);
    assert_int_equal(head.minor, 1);
    head_parse_good("GET / HTTP/1.2\r\n" HOST "\r\n", &head);
    assert_int_equal(head.minor, 1);
    head_parse_good("GET / HTTP/1.9\r\n" HOST "\r\n", &head);
    assert_int_equal(head.minor, 1);
}

static void faults_are_reported_with_the_byte_that_proves_them(void **state)
{
    static const char *const proofs[] = {
        "\n",
        "\r\r",
        "GET\n",
        "GET /\x01",
        "GET /#",
        "GET / HTTP/1.1\n",
        "GET / HTTP/1.1\rx",
        "GET / X",
        "GET / HTTP/2.0\r",
        "GET x HTTP/1.1\r\n",
        GET " ",
        GET ":",
        GET "Host ",
        GET "A: b\n",
        GET "A: b\rc",
        GET "Host: a@b\r\n",
        GET HOST "Host: a\r\n",
        GET "Content-Length: x\r\n",
    };
    lario_http1_head head;

    (void)state;
    for (size_t i = 0; i < sizeof proofs / sizeof proofs[0]; i++) {
        size_t len = strlen(proofs[i]);

        lario_http1_head_init(&head);
        assert_int_equal(lario_http1_head_parse(&head, &head_default_limits, proofs[i], len - 1),
                         0);
        assert_int_equal(lario_http1_head_parse(&head, &head_default_limits, proofs[i], len),
                         LARIO_EPROTO);
    }
}

static void pipelined_bytes_are_left_alone(void **state)
{
    static const char text[] = GET HOST "\r\nGET /2 HTTP/1.1\r\n" HOST "\r\n";
    lario_http1_head head;
    int first;

    (void)state;
    lario_http1_head_init(&head);
    first = lario_http1_head_parse(&head, &head_default_limits, text, sizeof text - 1);
    assert_int_equal(first, strlen(GET HOST "\r\n"));
    lario_http1_head_init(&head);
    assert_int_equal(lario_http1_head_parse(&head, &head_default_limits, text + first,
                                            sizeof text - 1 - (size_t)first),
                     sizeof text - 1 - (size_t)first);
    head_assert_span(text + first, head.path, "/2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_yields_offsets_of_all_its_parts),
        cmocka_unit_test(bare_lf_is_refused),
        cmocka_unit_test(bare_cr_is_refused),
        cmocka_unit_test(empty_lines_before_the_request_are_skipped),
        cmocka_unit_test(folded_lines_are_refused),
        cmocka_unit_test(space_before_the_colon_is_refused),
        cmocka_unit_test(field_needs_a_name_and_a_colon),
        cmocka_unit_test(every_tchar_and_nothing_else_is_a_name_character),
        cmocka_unit_test(control_characters_in_values_are_refused),
        cmocka_unit_test(white_space_around_values_is_trimmed),
        cmocka_unit_test(method_is_a_token),
        cmocka_unit_test(request_line_has_three_parts_and_single_spaces),
        cmocka_unit_test(version_is_http_1),
        cmocka_unit_test(later_minor_versions_count_as_1_1),
        cmocka_unit_test(faults_are_reported_with_the_byte_that_proves_them),
        cmocka_unit_test(pipelined_bytes_are_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
