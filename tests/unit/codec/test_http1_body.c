/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_body.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lario/error.h"

/* Bodies (RFC 9112 6.3 and 7.1), each whole, byte by byte and split at every offset. */

static const lario_http1_body_limits default_limits = {
    .chunk_line_bytes_max = 256,
    .tiny_chunks_max = 1000,
    .trailers_max = 100,
    .trailer_bytes_max = 32768,
    .trailer_name_bytes_max = 64,
    .trailer_value_bytes_max = 8192,
};

static const lario_http1_head chunked_head = {.minor = 1, .chunked = true};

/* What became of a body: its result, the bytes used, its data, the reason of a failure. */
typedef struct outcome {
    int result;
    size_t used;
    size_t len;
    const char *reason;
    char data[40000];
} outcome;

/* Feeds one read to the end. The bytes lie in a block of their own size. */
static void feed(lario_http1_body *body, const lario_http1_body_limits *limits, const char *bytes,
                 size_t len, outcome *out)
{
    char *copy = malloc(len + 1);
    size_t used = 0;

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    copy[len] = 'x';
    do {
        const char *data = NULL;
        size_t data_len = 0;
        size_t now = 0;

        out->result =
            lario_http1_body_next(body, limits, copy + used, len - used, &now, &data, &data_len);
        used += now;
        assert_true(used <= len);
        if (out->result == LARIO_HTTP1_BODY_DATA) {
            assert_true(data_len > 0 && data >= copy && data + data_len <= copy + used);
            assert_true(out->len + data_len <= sizeof out->data);
            memcpy(out->data + out->len, data, data_len);
            out->len += data_len;
        }
    } while (out->result == LARIO_HTTP1_BODY_DATA);
    if (out->result == LARIO_HTTP1_BODY_MORE)
        assert_int_equal(used, len);
    out->used += used;
    free(copy);
}

static void run_in_steps(const lario_http1_head *head, const lario_http1_body_limits *limits,
                         const char *bytes, size_t len, size_t first, size_t step, outcome *out)
{
    lario_http1_body body;
    size_t at = 0;
    size_t next = first;

    memset(out, 0, offsetof(outcome, data));
    lario_http1_body_init(&body, head);
    do {
        size_t upto = next < len ? next : len;

        feed(&body, limits, bytes + at, upto - at, out);
        at = upto;
        next = at + step;
    } while (out->result == LARIO_HTTP1_BODY_MORE && at < len);
    out->reason = body.reason;
}

static void assert_outcome_equal(const outcome *a, const outcome *b)
{
    assert_int_equal(a->result, b->result);
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->data, b->data, a->len);
    if (a->result == LARIO_EPROTO)
        assert_string_equal(a->reason, b->reason);
    else
        assert_int_equal(a->used, b->used);
}

static const outcome *run(const lario_http1_head *head, const lario_http1_body_limits *limits,
                          const char *bytes, size_t len)
{
    static outcome whole, pieces;
    size_t stride = 1 + len / 1000;

    run_in_steps(head, limits, bytes, len, len, 1, &whole);
    run_in_steps(head, limits, bytes, len, 1, 1, &pieces);
    assert_outcome_equal(&whole, &pieces);
    for (size_t cut = 1; cut < len; cut += stride) {
        run_in_steps(head, limits, bytes, len, cut, len, &pieces);
        assert_outcome_equal(&whole, &pieces);
    }
    return &whole;
}

static const outcome *run_chunked(const char *text)
{
    return run(&chunked_head, &default_limits, text, strlen(text));
}

static void assert_good(const char *text, const char *data)
{
    const outcome *out = run_chunked(text);

    if (out->result != LARIO_HTTP1_BODY_END)
        fail_msg("result %d (%s) for: %s", out->result, out->reason ? out->reason : "", text);
    assert_int_equal(out->used, strlen(text));
    assert_int_equal(out->len, strlen(data));
    assert_memory_equal(out->data, data, out->len);
}

static void assert_bad(const char *text)
{
    if (run_chunked(text)->result != LARIO_EPROTO)
        fail_msg("accepted: %s", text);
}

#define ASSERT_ALL_BAD(texts)                                                                      \
    for (size_t i = 0; i < sizeof(texts) / sizeof((texts)[0]); i++)                                \
    assert_bad((texts)[i])

static void body_without_length_is_empty(void **state)
{
    static const lario_http1_head none = {.minor = 1};
    static const lario_http1_head zero = {.minor = 1, .has_length = true};

    (void)state;
    assert_int_equal(run(&none, &default_limits, "GET", 3)->result, LARIO_HTTP1_BODY_END);
    assert_int_equal(run(&none, &default_limits, "GET", 3)->used, 0);
    assert_int_equal(run(&zero, &default_limits, "", 0)->result, LARIO_HTTP1_BODY_END);
}

static void body_of_known_length_ends_there(void **state)
{
    static const lario_http1_head five = {.has_length = true, .content_length = 5};
    const outcome *out = run(&five, &default_limits, "helloGET", 8);

    (void)state;
    assert_int_equal(out->result, LARIO_HTTP1_BODY_END);
    assert_int_equal(out->used, 5);
    assert_int_equal(out->len, 5);
    assert_memory_equal(out->data, "hello", 5);
    assert_int_equal(run(&five, &default_limits, "hell", 4)->result, LARIO_HTTP1_BODY_MORE);
}

static void largest_length_is_waited_for(void **state)
{
    static const lario_http1_head most = {.has_length = true, .content_length = UINT64_MAX};

    (void)state;
    assert_int_equal(run(&most, &default_limits, "abc", 3)->result, LARIO_HTTP1_BODY_MORE);
}

static void chunks_are_joined(void **state)
{
    (void)state;
    assert_good("0\r\n\r\n", "");
    assert_good("5\r\nhello\r\n0\r\n\r\n", "hello");
    assert_good("5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n000\r\n\r\n", "hello world");
    assert_good("00a\r\n0123456789\r\n0\r\n\r\n", "0123456789");
    assert_good("1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", "abcdefghijklmnopqrstuvwxyz");
    assert_good("1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", "abcdefghijklmnopqrstuvwxyz");
    assert_good("2\r\n\r\n\r\n0\r\n\r\n", "\r\n");
}

static void bytes_behind_the_body_are_left_alone(void **state)
{
    static const char text[] = "1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n";
    const outcome *out = run_chunked(text);

    (void)state;
    assert_int_equal(out->result, LARIO_HTTP1_BODY_END);
    assert_int_equal(out->used, strlen("1\r\na\r\n0\r\n\r\n"));
}

static void unfinished_body_asks_for_more(void **state)
{
    static const char text[] = "3\r\nabc\r\n0\r\nA: b\r\n\r\n";

    (void)state;
    for (size_t len = 0; len < sizeof text - 1; len++)
        assert_int_equal(run(&chunked_head, &default_limits, text, len)->result,
                         LARIO_HTTP1_BODY_MORE);
}

static void chunk_size_is_hex_digits_only(void **state)
{
    static const char *const bad[] = {
        "0x5\r\n", "+5\r\n",    "-5\r\n",  " 5\r\n", "5 \r\n",
        "5\t\r\n", "1_0\r\n",   "5g\r\n",  "g\r\n",  "5.\r\n",
        "5,5\r\n", "\"5\"\r\n", "5 5\r\n", "5=\r\n", "\xef\xbc\x95\r\n",
    };

    (void)state;
    ASSERT_ALL_BAD(bad);
}

static void chunk_line_needs_a_size(void **state)
{
    static const char *const bad[] = {"\r\n", ";\r\n", ";a=b\r\n", "1\r\na\r\n\r\n", "\n"};

    (void)state;
    ASSERT_ALL_BAD(bad);
}

static void chunk_size_is_checked_for_overflow(void **state)
{
    static const char *const bad[] = {
        "10000000000000000\r\n",
        "ffffffffffffffff0\r\n",
        "FFFFFFFFFFFFFFFFFFFFFFFF\r\n",
    };

    (void)state;
    ASSERT_ALL_BAD(bad);
    assert_int_equal(run_chunked("ffffffffffffffff\r\nabc")->result, LARIO_HTTP1_BODY_MORE);
    assert_int_equal(run_chunked("0000000000000000000001\r\na")->result, LARIO_HTTP1_BODY_MORE);
}

static void chunk_lines_end_in_crlf(void **state)
{
    static const char *const bad[] = {
        "5\nhello\r\n", "5\rhello\r\n", "5\r\r\nhello", "0\n\r\n",   "0\r\n\n",
        "0\r\n\rx",     "5;a\nhello",   "5;a=b\rhello", "5;a=\"b\n", "5;a=\"b\r\n",
    };

    (void)state;
    ASSERT_ALL_BAD(bad);
}

static void data_is_followed_by_crlf(void **state)
{
    static const char *const bad[] = {
        "5\r\nhello\n0\r\n\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\rx",
        "5\r\nhello!\r\n",       "5\r\nhello\r\r\n",    "5\r\nhello \r\n",
    };

    (void)state;
    ASSERT_ALL_BAD(bad);
}

static void extensions_are_checked_and_ignored(void **state)
{
    (void)state;
    assert_good("1;a\r\nx\r\n0;b\r\n\r\n", "x");
    assert_good("1;a=b;c=\"d\"\r\nx\r\n0\r\n\r\n", "x");
    assert_good("1 ; a = b ; c\t=\t\"d e\" ;f\r\nx\r\n0\r\n\r\n", "x");
    assert_good("1;a=\";\\\"\\\\\t\xff\"\r\nx\r\n0\r\n\r\n", "x");
    assert_good("1;a=\"\"\r\nx\r\n0\r\n\r\n", "x");
}

static void bad_extensions_are_refused(void **state)
{
    static const char *const bad[] = {
        "1;\r\n",     "1; \r\n",      "1;;a\r\n",   "1;=b\r\n",     "1;a=\r\n",    "1;a= \r\n",
        "1;a=;b\r\n", "1;a \r\n",     "1;a=b \r\n", "1;a b\r\n",    "1;a=b c\r\n", "1;a=\"b\"c",
        "1;a=b\"c\"", "1;a==b",       "1;a=b=c",    "1;a=\"\x01",   "1;a\x7f",     "1;\010a",
        "1;a=\x0b",   "1;a=\"\\\r\n", "1;a=\"\\\n", "1;a=\"b\" \r", "1;a(b)\r\n",  "1;\xc3\xa4\r\n",
    };

    (void)state;
    ASSERT_ALL_BAD(bad);
    assert_int_equal(run(&chunked_head, &default_limits, "1;a=\"\0\"", 7)->result, LARIO_EPROTO);
}

static void chunk_line_has_a_limit(void **state)
{
    char text[300];

    (void)state;
    for (size_t line = 255; line <= 258; line++) {
        memset(text, 'a', sizeof text);
        memcpy(text, "0;", 2);
        memcpy(text + line, "\r\n\r\n", 5);
        assert_int_equal(run_chunked(text)->result,
                         line <= 256 ? LARIO_HTTP1_BODY_END : LARIO_EPROTO);
        memset(text, '0', line);
        assert_int_equal(run_chunked(text)->result,
                         line <= 256 ? LARIO_HTTP1_BODY_END : LARIO_EPROTO);
    }
}

/* `count` chunks of `size` bytes at `to`; the end of them. */
static char *put_chunks(char *to, unsigned count, unsigned size)
{
    for (unsigned i = 0; i < count; i++) {
        *to++ = size < 10 ? (char)('0' + size) : (char)('a' + size - 10);
        memcpy(to, "\r\nxxxxxxxxxxxxxxx", 2 + size);
        memcpy(to + 2 + size, "\r\n", 2);
        to += 2 + size + 2;
    }
    return to;
}

static void tiny_chunks_in_a_row_have_a_limit(void **state)
{
    static char text[30000];
    char *end;

    (void)state;
    end = put_chunks(text, 1000, 15);
    memcpy(end, "0\r\n\r\n", 6);
    assert_int_equal(run_chunked(text)->result, LARIO_HTTP1_BODY_END);
    end = put_chunks(text, 1001, 15);
    memcpy(end, "0\r\n\r\n", 6);
    assert_int_equal(run_chunked(text)->result, LARIO_EPROTO);
    /* A chunk of 16 bytes starts the count again. */
    end = put_chunks(text, 1000, 1);
    memcpy(end, "10\r\n0123456789abcdef\r\n", 22);
    end = put_chunks(end + 22, 1000, 1);
    memcpy(end, "0\r\n\r\n", 6);
    assert_int_equal(run_chunked(text)->result, LARIO_HTTP1_BODY_END);
}

static void trailers_are_checked_and_dropped(void **state)
{
    (void)state;
    assert_good("0\r\nA: b\r\n\r\n", "");
    assert_good("1\r\nx\r\n0\r\nA:\r\nB_c: \t d e \xff\t\r\nContent-Length: 5\r\n\r\n", "x");
}

static void bad_trailers_are_refused(void **state)
{
    static const char *const bad[] = {
        "0\r\nA : b\r\n",      "0\r\n: b\r\n",    "0\r\nA\r\n",       "0\r\n A: b\r\n",
        "0\r\nA: b\r\n c\r\n", "0\r\nA: b\n",     "0\r\nA: b\rc",     "0\r\nA: \x01\r\n",
        "0\r\nA: b\x7f\r\n",   "0\r\nA(: b\r\n",  "0\r\nA\n: b\r\n",  "0\r\n\xc3\xa4: b\r\n",
        "0\r\nA: b\r\n\tc",    "0\r\nA: b\r\n\n", "0\r\nA: b\r\n\rx",
    };

    (void)state;
    ASSERT_ALL_BAD(bad);
    assert_int_equal(run(&chunked_head, &default_limits, "0\r\nA: \0", 7)->result, LARIO_EPROTO);
}

static int trailer_result(const lario_http1_body_limits *limits, const char *text)
{
    return run(&chunked_head, limits, text, strlen(text))->result;
}

static void trailers_have_limits(void **state)
{
    static const char text[] = "0\r\nAbc: defgh\r\nI: j\r\n\r\n";
    lario_http1_body_limits limits = default_limits;

    (void)state;
    limits.trailers_max = 2;
    limits.trailer_name_bytes_max = 3;
    limits.trailer_value_bytes_max = 5;
    limits.trailer_bytes_max = 18;
    assert_int_equal(trailer_result(&limits, text), LARIO_HTTP1_BODY_END);
    limits.trailers_max = 1;
    assert_int_equal(trailer_result(&limits, text), LARIO_EPROTO);
    limits.trailers_max = 2;
    limits.trailer_name_bytes_max = 2;
    assert_int_equal(trailer_result(&limits, text), LARIO_EPROTO);
    limits.trailer_name_bytes_max = 3;
    limits.trailer_value_bytes_max = 4;
    assert_int_equal(trailer_result(&limits, text), LARIO_EPROTO);
    limits.trailer_value_bytes_max = 5;
    limits.trailer_bytes_max = 17;
    assert_int_equal(trailer_result(&limits, text), LARIO_EPROTO);
}

static void trailer_white_space_is_limited_too(void **state)
{
    lario_http1_body_limits limits = default_limits;

    (void)state;
    limits.trailer_bytes_max = 8;
    assert_int_equal(trailer_result(&limits, "0\r\nA:            "), LARIO_EPROTO);
}

static void end_and_failure_are_final(void **state)
{
    lario_http1_body body;
    const char *data = NULL;
    size_t used = 0;
    size_t len = 0;

    (void)state;
    lario_http1_body_init(&body, &chunked_head);
    assert_int_equal(
        lario_http1_body_next(&body, &default_limits, "0\r\n\r\n", 5, &used, &data, &len),
        LARIO_HTTP1_BODY_END);
    assert_int_equal(used, 5);
    assert_int_equal(lario_http1_body_next(&body, &default_limits, "5", 1, &used, &data, &len),
                     LARIO_HTTP1_BODY_END);
    assert_int_equal(used, 0);
    lario_http1_body_init(&body, &chunked_head);
    assert_int_equal(lario_http1_body_next(&body, &default_limits, "x", 1, &used, &data, &len),
                     LARIO_EPROTO);
    assert_int_equal(
        lario_http1_body_next(&body, &default_limits, "0\r\n\r\n", 5, &used, &data, &len),
        LARIO_EPROTO);
    assert_non_null(body.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_without_length_is_empty),
        cmocka_unit_test(body_of_known_length_ends_there),
        cmocka_unit_test(largest_length_is_waited_for),
        cmocka_unit_test(chunks_are_joined),
        cmocka_unit_test(bytes_behind_the_body_are_left_alone),
        cmocka_unit_test(unfinished_body_asks_for_more),
        cmocka_unit_test(chunk_size_is_hex_digits_only),
        cmocka_unit_test(chunk_line_needs_a_size),
        cmocka_unit_test(chunk_size_is_checked_for_overflow),
        cmocka_unit_test(chunk_lines_end_in_crlf),
        cmocka_unit_test(data_is_followed_by_crlf),
        cmocka_unit_test(extensions_are_checked_and_ignored),
        cmocka_unit_test(bad_extensions_are_refused),
        cmocka_unit_test(chunk_line_has_a_limit),
        cmocka_unit_test(tiny_chunks_in_a_row_have_a_limit),
        cmocka_unit_test(trailers_are_checked_and_dropped),
        cmocka_unit_test(bad_trailers_are_refused),
        cmocka_unit_test(trailers_have_limits),
        cmocka_unit_test(trailer_white_space_is_limited_too),
        cmocka_unit_test(end_and_failure_are_final),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
