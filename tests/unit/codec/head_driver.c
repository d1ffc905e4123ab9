/* SPDX-License-Identifier: BSD-3-Clause */
#include "head_driver.h"

#include <stdlib.h>
#include <string.h>

#include "lario/error.h"

#define NOT_ARRIVED 0x01

const lario_http1_limits head_default_limits = {
    .line_bytes_max = 8000,
    .fields_max = 100,
    .name_bytes_max = 64,
    .value_bytes_max = 8192,
    .head_bytes_max = 32768,
};

static void assert_span_equal(lario_http1_span a, lario_http1_span b)
{
    assert_int_equal(a.at, b.at);
    assert_int_equal(a.len, b.len);
}

static void assert_head_equal(const lario_http1_head *a, const lario_http1_head *b)
{
    assert_int_equal(a->status, b->status);
    if (a->status != 0) {
        assert_string_equal(a->reason, b->reason);
        return;
    }
    assert_int_equal(a->minor, b->minor);
    assert_int_equal(a->keep_alive, b->keep_alive);
    assert_int_equal(a->close_asked, b->close_asked);
    assert_int_equal(a->chunked, b->chunked);
    assert_int_equal(a->has_length, b->has_length);
    assert_int_equal(a->expect_continue, b->expect_continue);
    assert_int_equal(a->upgrade_asked, b->upgrade_asked);
    assert_true(a->content_length == b->content_length);
    assert_span_equal(a->method, b->method);
    assert_span_equal(a->target, b->target);
    assert_span_equal(a->path, b->path);
    assert_span_equal(a->query, b->query);
    assert_span_equal(a->host, b->host);
    assert_int_equal(a->fields_count, b->fields_count);
    for (unsigned i = 0; i < a->fields_count; i++) {
        assert_span_equal(a->fields[i].name, b->fields[i].name);
        assert_span_equal(a->fields[i].value, b->fields[i].value);
    }
}

/* The caller may move an incomplete head to other memory at any time. */
static void move_head(lario_http1_head *head)
{
    lario_http1_head other;

    memset(&other, 0xa5, sizeof other);
    lario_http1_head_copy(&other, head);
    memset(head, 0x5a, sizeof *head);
    lario_http1_head_copy(head, &other);
}

/* One head that arrives in reads that end at multiples of `step`, counted from `first`. */
static int run_in_steps(const lario_http1_limits *limits, const char *bytes, size_t len,
                        size_t first, size_t step, lario_http1_head *ret_head)
{
    char *arrived = malloc(len + 1);
    size_t have = 0;
    size_t next = first;
    int rc = 0;

    assert_non_null(arrived);
    memset(arrived, NOT_ARRIVED, len + 1);
    lario_http1_head_init(ret_head);
    while (rc == 0 && have < len) {
        size_t upto = next < len ? next : len;

        memcpy(arrived + have, bytes + have, upto - have);
        have = upto;
        next = have + step;
        rc = lario_http1_head_parse(ret_head, limits, arrived, have);
        /* The answer stands when the parser is asked again with nothing new. */
        assert_int_equal(rc, lario_http1_head_parse(ret_head, limits, arrived, have));
        if (rc == 0)
            move_head(ret_head);
    }
    free(arrived);
    return rc;
}

static int run_with_more_behind(const lario_http1_limits *limits, const char *bytes, size_t len,
                                lario_http1_head *ret_head)
{
    static const char next[] = "GET /next HTTP/1.1\r\n";
    char *both = malloc(len + sizeof next);
    int rc;

    assert_non_null(both);
    memcpy(both, bytes, len);
    memcpy(both + len, next, sizeof next);
    lario_http1_head_init(ret_head);
    rc = lario_http1_head_parse(ret_head, limits, both, len + sizeof next);
    free(both);
    return rc;
}

int head_run(const lario_http1_limits *limits, const char *bytes, size_t len,
             lario_http1_head *ret_head)
{
    lario_http1_head again;
    /* Long heads are not split at every offset, which would take quadratic time. */
    size_t stride = 1 + len / 1000;
    int rc = run_in_steps(limits, bytes, len, len, 1, ret_head);

    assert_true(rc > 0 || rc == LARIO_EPROTO);
    assert_int_equal(rc, run_in_steps(limits, bytes, len, 1, 1, &again));
    assert_head_equal(ret_head, &again);
    for (size_t cut = 1; cut < len; cut += stride) {
        assert_int_equal(rc, run_in_steps(limits, bytes, len, cut, len, &again));
        assert_head_equal(ret_head, &again);
    }
    assert_int_equal(rc, run_with_more_behind(limits, bytes, len, &again));
    assert_head_equal(ret_head, &again);
    if (rc < 0)
        return ret_head->status;
    assert_int_equal(rc, len);
    return 0;
}

void head_check_vectors(const head_vector *vectors, size_t count)
{
    lario_http1_head head;

    for (size_t i = 0; i < count; i++) {
        int status = head_run(&head_default_limits, vectors[i].bytes, vectors[i].len, &head);

        if (status != vectors[i].status)
            fail_msg("status %d instead of %d (%s) for: %s", status, vectors[i].status,
                     head.reason ? head.reason : "good", vectors[i].bytes);
    }
}

void head_parse_good(const char *text, lario_http1_head *ret_head)
{
    int status = head_run(&head_default_limits, text, strlen(text), ret_head);

    if (status != 0)
        fail_msg("status %d (%s) for: %s", status, ret_head->reason, text);
}

void head_assert_span(const char *data, lario_http1_span span, const char *text)
{
    assert_int_equal(span.len, strlen(text));
    assert_memory_equal(data + span.at, text, span.len);
}
