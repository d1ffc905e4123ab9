/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/*
 * Each body is parsed whole, byte by byte and cut in two at every offset, always in memory of just
 * its size, and must give the same record: "[head|data]" for each part, "." at the end, else the
 * failure's name.
 */

#define HEAD_MAX 32
#define PARTS_MAX 3
#define TYPE "multipart/form-data; boundary=b"

typedef struct record {
    char text[4096];
    size_t len;
    int rc;
    int data_events;
} record;

static void put(record *to, const char *text, size_t len)
{
    assert_true(to->len + len < sizeof to->text);
    memcpy(to->text + to->len, text, len);
    to->len += len;
}

static void on_event(record *to, const lario_multipart *parser, int event, const char *data,
                     size_t len)
{
    switch (event) {
    case LARIO_MULTIPART_PART:
        put(to, "[", 1);
        put(to, parser->head, parser->head_len);
        put(to, "|", 1);
        break;
    case LARIO_MULTIPART_DATA:
        assert_true(len > 0);
        put(to, data, len);
        to->data_events++;
        break;
    case LARIO_MULTIPART_PART_END:
        put(to, "]", 1);
        break;
    case LARIO_MULTIPART_END:
        put(to, ".", 1);
        break;
    }
}

static void give(lario_multipart *parser, record *to, const char *bytes, size_t size)
{
    static const lario_multipart_limits limits = {PARTS_MAX, HEAD_MAX};
    char *copy = malloc(size > 0 ? size : 1);
    size_t at = 0, used, len;
    const char *data;

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    while (to->rc >= 0) {
        to->rc = lario_multipart_next(parser, &limits, copy + at, size - at, &used, &data, &len);
        if (to->rc < 0) {
            assert_non_null(parser->reason);
            break;
        }
        assert_true(used <= size - at);
        at += used;
        if (to->rc == LARIO_MULTIPART_MORE) {
            assert_int_equal(at, size);
            break;
        }
        on_event(to, parser, to->rc, data, len);
    }
    free(copy);
}

static void parse(record *to, const char *type, const char *body, size_t len, size_t cut,
                  size_t step)
{
    lario_multipart parser;
    char head[HEAD_MAX];

    *to = (record){0};
    to->rc = lario_multipart_init(&parser, type, strlen(type), head);
    assert_int_equal(to->rc, 0);
    if (cut > 0)
        give(&parser, to, body, cut);
    for (size_t at = cut; at < len && to->rc >= 0; at += step)
        give(&parser, to, body + at, len - at < step ? len - at : step);
    if (to->rc >= 0)
        to->rc = lario_multipart_finish(&parser);
    if (to->rc < 0)
        put(to, lario_errname(to->rc), strlen(lario_errname(to->rc)));
}

static void assert_parsed(const char *type, const char *body, size_t len, const char *expected,
                          size_t expected_len)
{
    record got;

    for (size_t cut = 0; cut <= len + 1; cut++) {
        parse(&got, type, body, len, cut <= len ? cut : 0, cut <= len ? len : 1);
        got.text[got.len] = '\0';
        if (got.len != expected_len || memcmp(got.text, expected, expected_len) != 0)
            fail_msg("cut at %zu: '%s' instead of '%s'", cut, got.text, expected);
    }
}

#define PARSED_AS(type, body, expected)                                                            \
    assert_parsed(type, body, sizeof(body) - 1, expected, sizeof(expected) - 1)
#define PARSED(body, expected) PARSED_AS(TYPE, body, expected)

#define H "X: y\r\n\r\n"
#define P(data) "[" H "|" data "]"

static void parts_are_told_with_their_data(void **state)
{
    (void)state;
    PARSED("--b\r\n" H "one\r\n--b--\r\n", P("one") ".");
    PARSED("--b\r\n" H "one\r\n--b\r\nZ: 1\r\n\r\ntwo\r\n--b--", P("one") "[Z: 1\r\n\r\n|two].");
}

static void a_form_may_have_no_parts(void **state)
{
    (void)state;
    PARSED("--b--", ".");
    PARSED("--b--\r\n", ".");
}

static void data_may_be_empty(void **state)
{
    (void)state;
    PARSED("--b\r\n" H "\r\n--b--", P("") ".");
    PARSED("--b\r\n" H "--b--", P("") ".");
    PARSED("--b\r\n" H "\r\n--b\r\n" H "\r\n--b--", P("") P("") ".");
}

static void head_may_be_empty(void **state)
{
    (void)state;
    PARSED("--b\r\n\r\ndata\r\n--b--", "[\r\n|data].");
}

static void what_is_only_like_a_delimiter_is_data(void **state)
{
    (void)state;
    PARSED("--b\r\n" H "\r\n\r\r\n-\r\n--\r\n--a--b\n--b\r--b\r\n--b--",
           P("\r\n\r\r\n-\r\n--\r\n--a--b\n--b\r--b") ".");
    PARSED("--b\r\n" H "-\r\n--b--", P("-") ".");
    PARSED("--b\r\n" H "--\r\n--b--", P("--") ".");
    PARSED("--b\r\n" H "\r\n\r\n--b--", P("\r\n") ".");
    PARSED("--b\r\n" H "\r\r\n--b--", P("\r") ".");
    PARSED("--b\r\n" H "a\0\xff"
           "b\r\n--b--",
           P("a\0\xff"
             "b") ".");
    PARSED("--b\r\n" H "-----b\r\n--b--", P("-----b") ".");
}

static void preamble_and_epilogue_are_dropped(void **state)
{
    (void)state;
    PARSED("before\r\n--b\r\n" H "one\r\n--b--\r\nafter\r\n--b\r\n", P("one") ".");
    PARSED("\r\n--b\r\n" H "one\r\n--b--x", P("one") ".");
    PARSED("x--b\r\n\r\n--b--", ".");
    PARSED("--a\r\n--b--", ".");
}

static void blanks_may_follow_a_boundary(void **state)
{
    (void)state;
    PARSED("--b \t\r\n" H "one\r\n--b  \r\n" H "\r\n--b--  ", P("one") P("") ".");
}

static void other_bytes_behind_a_boundary_are_refused(void **state)
{
    (void)state;
    PARSED("--bc\r\n", "LARIO_EPROTO");
    PARSED("--b\n", "LARIO_EPROTO");
    PARSED("--b\r\r\n", "LARIO_EPROTO");
    PARSED("--b-\r\n", "LARIO_EPROTO");
    PARSED("--b --\r\n", "LARIO_EPROTO");
    PARSED("--b\r\n" H "one\r\n--bc", "[" H "|one]LARIO_EPROTO");
}

static void missing_closing_delimiter_is_refused(void **state)
{
    (void)state;
    PARSED("", "LARIO_EPROTO");
    PARSED("--b", "LARIO_EPROTO");
    PARSED("--b-", "LARIO_EPROTO");
    PARSED("--b\r\n" H, "[" H "|LARIO_EPROTO");
    PARSED("--b\r\n" H "one", "[" H "|oneLARIO_EPROTO");
    PARSED("--b\r\n" H "one\r\n--b", P("one") "LARIO_EPROTO");
    PARSED("--b\r\n" H "one\r\n--b\r\n", P("one") "LARIO_EPROTO");
}

static void limits_hold_at_their_value(void **state)
{
    (void)state;
    /* HEAD_MAX bytes: 28 and two line ends. */
    PARSED("--b\r\nX: 3456789012345678901234567\r\n\r\n\r\n--b--",
           "[X: 3456789012345678901234567\r\n\r\n|].");
    PARSED("--b\r\nX: 345678901234567890123456789\r\n\r\n\r\n--b--", "LARIO_EPROTO");
    PARSED("--b\r\n\r\n--b\r\n\r\n--b\r\n\r\n--b--", "[\r\n|][\r\n|][\r\n|].");
    PARSED("--b\r\n\r\n--b\r\n\r\n--b\r\n\r\n--b\r\n\r\n--b--",
           "[\r\n|][\r\n|][\r\n|]LARIO_ETOOBIG");
    PARSED("--b                                \r\n\r\n--b--", "[\r\n|].");
    PARSED("--b                                 \r\n\r\n--b--", "LARIO_EPROTO");
}

static void boundary_may_be_quoted(void **state)
{
    (void)state;
    PARSED_AS("Multipart/Form-Data; charset=x; Boundary=\"a b'()+_,-./:=?c\"",
              "--a b'()+_,-./:=?c\r\n" H "one\r\n--a b'()+_,-./:=?c--", P("one") ".");
    PARSED_AS("multipart/form-data;boundary=\"a\\b\"", "--ab\r\n" H "\r\n--ab--", P("") ".");
}

static void boundary_is_checked(void **state)
{
    static const char *const bad[] = {
        "multipart/form-data",
        "multipart/form-data; boundary",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"",
        "multipart/form-data; boundary=\"a \"",
        "multipart/form-data; boundary=\"a",
        "multipart/form-data; boundary=\"a;b\"",
        "multipart/form-data; boundary=\"\xc3\xa4\"",
        "multipart/form-data; boundary=a; boundary=a",
        "multipart/form-data; boundary=a b",
        "multipart/form-data; "
        "boundary=1234567890123456789012345678901234567890123456789012345678901234567890x",
    };
    lario_multipart parser;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(lario_multipart_init(&parser, bad[i], strlen(bad[i]), NULL), LARIO_EPROTO);
        assert_non_null(parser.reason);
    }
    const char *longest = bad[sizeof bad / sizeof bad[0] - 1];

    assert_int_equal(lario_multipart_init(&parser, longest, strlen(longest) - 1, NULL), 0);
}

static void other_types_are_told_apart(void **state)
{
    static const char *const other[] = {"", "text/plain", "multipart/mixed; boundary=b",
                                        "multipart/form-datax; boundary=b"};
    lario_multipart parser;
    (void)state;

    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        assert_int_equal(lario_multipart_init(&parser, other[i], strlen(other[i]), NULL),
                         LARIO_EMEDIA);
}

/* Data full of beginnings of delimiters is shown as one piece: nothing is done for each of them. */
static void data_is_shown_in_pieces_as_large_as_they_come(void **state)
{
    static char body[3000] = "--b\r\n" H;
    size_t len = strlen(body);
    record got;
    (void)state;

    while (len < 2900)
        len += (size_t)sprintf(body + len, "\r\r\n\r\n-\r\n--");
    len += (size_t)sprintf(body + len, "\r\n--b--");
    parse(&got, TYPE, body, len, 0, len);
    assert_int_equal(got.rc, 0);
    assert_int_equal(got.data_events, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_told_with_their_data),
        cmocka_unit_test(a_form_may_have_no_parts),
        cmocka_unit_test(data_may_be_empty),
        cmocka_unit_test(head_may_be_empty),
        cmocka_unit_test(what_is_only_like_a_delimiter_is_data),
        cmocka_unit_test(preamble_and_epilogue_are_dropped),
        cmocka_unit_test(blanks_may_follow_a_boundary),
        cmocka_unit_test(other_bytes_behind_a_boundary_are_refused),
        cmocka_unit_test(missing_closing_delimiter_is_refused),
        cmocka_unit_test(limits_hold_at_their_value),
        cmocka_unit_test(boundary_may_be_quoted),
        cmocka_unit_test(boundary_is_checked),
        cmocka_unit_test(other_types_are_told_apart),
        cmocka_unit_test(data_is_shown_in_pieces_as_large_as_they_come),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
