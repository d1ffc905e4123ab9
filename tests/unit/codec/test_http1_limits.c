/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec/http1_head.h"

#include "head_driver.h"

#include <string.h>

#include "lario/error.h"

/* Each limit of a head, just inside and just beyond. */

#define MOST 70000

/* A text under construction. */
typedef struct text {
    char bytes[MOST];
    size_t len;
} text;

static text head_text;

static void put(const char *bytes)
{
    size_t len = strlen(bytes);

    assert_true(head_text.len + len <= MOST);
    memcpy(head_text.bytes + head_text.len, bytes, len);
    head_text.len += len;
}

static void put_repeated(char byte, size_t count)
{
    assert_true(head_text.len + count <= MOST);
    memset(head_text.bytes + head_text.len, byte, count);
    head_text.len += count;
}

static void begin(void)
{
    head_text.len = 0;
    put("GET / HTTP/1.1\r\nHost: a\r\n");
}

static int status_of(const lario_http1_limits *limits)
{
    lario_http1_head head;

    return head_run(limits, head_text.bytes, head_text.len, &head);
}

static int status_of_line(size_t line_len)
{
    head_text.len = 0;
    put("GET /");
    put_repeated('a', line_len - strlen("GET / HTTP/1.1"));
    put(" HTTP/1.1\r\nHost: a\r\n\r\n");
    return status_of(&head_default_limits);
}

static void request_line_has_a_limit(void **state)
{
    (void)state;
    assert_int_equal(status_of_line(8000), 0);
    for (size_t beyond = 1; beyond <= 12; beyond++)
        assert_int_equal(status_of_line(8000 + beyond), 414);
    assert_int_equal(status_of_line(20000), 414);
}

static void endless_method_reaches_the_limit_of_the_line(void **state)
{
    (void)state;
    head_text.len = 0;
    put_repeated('G', 8001);
    assert_int_equal(status_of(&head_default_limits), 414);
}

static void number_of_fields_has_a_limit(void **state)
{
    lario_http1_limits limits = head_default_limits;

    (void)state;
    for (unsigned count = 1; count <= 300; count += count < 98 || count > 102 ? 49 : 1) {
        begin();
        for (unsigned i = 1; i < count; i++)
            put("A: b\r\n");
        put("\r\n");
        assert_int_equal(status_of(&limits), count <= 100 ? 0 : 431);
    }
}

static void number_of_fields_never_passes_the_array(void **state)
{
    lario_http1_limits limits = head_default_limits;

    (void)state;
    limits.fields_max = 100000;
    begin();
    for (unsigned i = 1; i < LARIO_HTTP1_FIELDS_MAX; i++)
        put("A: b\r\n");
    put("\r\n");
    assert_int_equal(status_of(&limits), 0);
    head_text.len -= 2;
    put("A: b\r\n\r\n");
    assert_int_equal(status_of(&limits), 431);
}

static void field_names_have_a_limit(void **state)
{
    (void)state;
    for (size_t len = 63; len <= 66; len++) {
        begin();
        put_repeated('N', len);
        put(": v\r\n\r\n");
        assert_int_equal(status_of(&head_default_limits), len <= 64 ? 0 : 431);
    }
}

static void field_values_have_a_limit(void **state)
{
    (void)state;
    for (size_t len = 8191; len <= 8194; len++) {
        begin();
        put("A:  ");
        put_repeated('v', len);
        put("\r\n\r\n");
        assert_int_equal(status_of(&head_default_limits), len <= 8192 ? 0 : 431);
    }
}

static void long_white_space_is_limited_too(void **state)
{
    (void)state;
    begin();
    put("A: b");
    put_repeated(' ', 8192);
    put("\r\n\r\n");
    assert_int_equal(status_of(&head_default_limits), 431);
    begin();
    put("A:");
    put_repeated(' ', 40000);
    assert_int_equal(status_of(&head_default_limits), 431);
}

/* A head of exactly `len` bytes within the other limits. */
static void put_head_of(size_t len)
{
    begin();
    while (len - head_text.len > 2100) {
        put("A: ");
        put_repeated('v', 1000 - 5);
        put("\r\n");
    }
    put("B: ");
    put_repeated('v', len - head_text.len - 4);
    put("\r\n\r\n");
    assert_int_equal(head_text.len, len);
}

static void whole_head_has_a_limit(void **state)
{
    (void)state;
    put_head_of(32767);
    assert_int_equal(status_of(&head_default_limits), 0);
    put_head_of(32768);
    assert_int_equal(status_of(&head_default_limits), 0);
    put_head_of(32769);
    assert_int_equal(status_of(&head_default_limits), 431);
    put_head_of(40000);
    assert_int_equal(status_of(&head_default_limits), 431);
}

static void whole_head_never_passes_16_bits(void **state)
{
    lario_http1_limits limits = head_default_limits;

    (void)state;
    limits.head_bytes_max = UINT32_MAX;
    put_head_of(65535);
    assert_int_equal(status_of(&limits), 0);
    put_head_of(65536);
    assert_int_equal(status_of(&limits), 431);
}

static void empty_lines_count_towards_the_head(void **state)
{
    (void)state;
    head_text.len = 0;
    for (unsigned i = 0; i < 16384; i++)
        put("\r\n");
    assert_int_equal(status_of(&head_default_limits), 431);
}

static void head_that_cannot_fit_is_refused_at_its_limit(void **state)
{
    lario_http1_limits limits = head_default_limits;
    lario_http1_head head;
    static const char bytes[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    int len = (int)strlen(bytes);

    (void)state;
    limits.head_bytes_max = (uint32_t)len - 1;
    lario_http1_head_init(&head);
    assert_int_equal(lario_http1_head_parse(&head, &limits, bytes, (size_t)len - 2), 0);
    assert_int_equal(lario_http1_head_parse(&head, &limits, bytes, (size_t)len - 1), LARIO_EPROTO);
    assert_int_equal(head.status, 431);
    limits.head_bytes_max = (uint32_t)len;
    lario_http1_head_init(&head);
    assert_int_equal(lario_http1_head_parse(&head, &limits, bytes, (size_t)len), len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_line_has_a_limit),
        cmocka_unit_test(endless_method_reaches_the_limit_of_the_line),
        cmocka_unit_test(number_of_fields_has_a_limit),
        cmocka_unit_test(number_of_fields_never_passes_the_array),
        cmocka_unit_test(field_names_have_a_limit),
        cmocka_unit_test(field_values_have_a_limit),
        cmocka_unit_test(long_white_space_is_limited_too),
        cmocka_unit_test(whole_head_has_a_limit),
        cmocka_unit_test(whole_head_never_passes_16_bits),
        cmocka_unit_test(empty_lines_count_towards_the_head),
        cmocka_unit_test(head_that_cannot_fit_is_refused_at_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
