/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/limits.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "in_runtime.h"
#include "serving.h"

/* Each limit of HTTP: reached it holds, just inside it does not. */

#define HOST "Host: test\r\n"
#define GET "GET /ok HTTP/1.1\r\n" HOST
#define POST "POST /body HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

static int ok(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "ok");
}

static int echo_body(lario_req *req)
{
    const char *body;
    size_t len;
    int rc = lario_body(req, &body, &len);

    return rc < 0 ? rc : lario_reply_bytes(req, 200, NULL, body, len);
}

/* Reads in parts and says how many bytes there were. */
static int count_body(lario_req *req)
{
    char buffer[4096];
    size_t total = 0;
    int rc;

    while ((rc = lario_body_read(req, buffer, sizeof buffer)) > 0)
        total += (size_t)rc;
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%zu", total);
}

static void init(serving *server)
{
    serving_init(server);
    lario_any(server->app, "/ok", ok);
    lario_any(server->app, "/body", echo_body);
    lario_any(server->app, "/count", count_body);
}

/* Answered with `status` and closed, on a connection of its own. */
static void refused(serving *server, const char *request, int status)
{
    test_client client;

    client_open(&client, server->address);
    client_puts(&client, request);
    client_expect_last(&client, status);
    client_close(&client);
}

/* Answered 200, and the connection goes on. */
static void accepted(serving *server, const char *request)
{
    test_client client;

    client_open(&client, server->address);
    client_puts(&client, request);
    assert_int_equal(client_status(&client), 200);
    client_puts(&client, GET "\r\n");
    assert_int_equal(client_status(&client), 200);
    client_close(&client);
}

static char *filled(char *out, const char *before, char c, size_t count, const char *after)
{
    size_t at = strlen(before);

    memcpy(out, before, at);
    memset(out + at, c, count);
    strcpy(out + at + count, after);
    return out;
}

static void request_line_over_its_limit_is_414(void **state)
{
    static char text[1024];
    serving server;
    size_t fixed = strlen("GET /ok? HTTP/1.1");
    (void)state;

    init(&server);
    server.limits.request_line_bytes_max = 200;
    serving_start(&server);
    accepted(&server, filled(text, "GET /ok?", 'x', 200 - fixed, " HTTP/1.1\r\n" HOST "\r\n"));
    refused(&server, filled(text, "GET /ok?", 'x', 201 - fixed, " HTTP/1.1\r\n" HOST "\r\n"), 414);
    serving_stop(&server);
}

static void head_over_its_limits_is_431(void **state)
{
    static char text[4096];
    serving server;
    (void)state;

    init(&server);
    server.limits.head_fields_max = 3;
    server.limits.field_name_bytes_max = 20;
    server.limits.field_value_bytes_max = 100;
    serving_start(&server);
    accepted(&server, GET "A: 1\r\nB: 2\r\n\r\n");
    refused(&server, GET "A: 1\r\nB: 2\r\nC: 3\r\n\r\n", 431);
    accepted(&server, filled(text, GET, 'n', 20, ": 1\r\n\r\n"));
    refused(&server, filled(text, GET, 'n', 21, ": 1\r\n\r\n"), 431);
    accepted(&server, filled(text, GET "A: ", 'v', 100, "\r\n\r\n"));
    refused(&server, filled(text, GET "A: ", 'v', 101, "\r\n\r\n"), 431);
    serving_stop(&server);
}

static void whole_head_over_its_limit_is_431(void **state)
{
    static char text[4096];
    serving server;
    size_t fixed = strlen(GET "A: \r\n\r\n");
    (void)state;

    init(&server);
    server.limits.head_bytes_max = 300;
    serving_start(&server);
    accepted(&server, filled(text, GET "A: ", 'v', 300 - fixed, "\r\n\r\n"));
    refused(&server, filled(text, GET "A: ", 'v', 301 - fixed, "\r\n\r\n"), 431);
    serving_stop(&server);
}

/* Trickling on does not help: the time counts from the first byte of the request. */
static void head_over_its_deadline_is_408(void **state)
{
    serving server;
    test_client client;
    uint64_t started;
    (void)state;

    init(&server);
    server.limits.head_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, GET "\r\n");
    assert_int_equal(client_status(&client), 200);
    started = now_ms();
    client_puts(&client, "GET /ok HTTP/1.1\r\n");
    while (!client_has_input(&client, 20))
        client_puts(&client, "A");
    assert_in_range(now_ms() - started, 150, 5000);
    client_expect_last(&client, 408);
    client_close(&client);
    serving_stop(&server);
}

static void body_over_its_limit_is_413(void **state)
{
    static char text[4096];
    serving server;
    (void)state;

    init(&server);
    server.limits.body_bytes_max = 1000;
    serving_start(&server);
    accepted(&server, filled(text, POST "Content-Length: 1000\r\n\r\n", 'b', 1000, ""));
    refused(&server, filled(text, POST "Content-Length: 1001\r\n\r\n", 'b', 1001, ""), 413);
    refused(&server, POST "Content-Length: 1001\r\n\r\n", 413);
    refused(&server, POST "Content-Length: 18446744073709551615\r\n\r\n", 413);
    accepted(&server, filled(text, CHUNKED "3e8\r\n", 'b', 1000, "\r\n0\r\n\r\n"));
    refused(&server, filled(text, CHUNKED "3e8\r\n", 'b', 1000, "\r\n1\r\nb\r\n0\r\n\r\n"), 413);
    serving_stop(&server);
}

/* At once, from what is announced: not a byte of it is waited for, and nothing overflows. */
static void announced_chunk_over_the_limit_is_413(void **state)
{
    static const char *const sizes[] = {"3e9", "100000000", "7fffffffffffffff", "ffffffffffffffff",
                                        "fffffffffffffc19"};
    static char text[4096];
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.body_bytes_max = 1000;
    serving_start(&server);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        snprintf(text, sizeof text, CHUNKED "%s\r\n", sizes[i]);
        refused(&server, text, 413);
        /* What came before counts. */
        snprintf(text, sizeof text, CHUNKED "1\r\nb\r\n%s\r\n", i == 0 ? "3e8" : sizes[i]);
        refused(&server, text, 413);
        snprintf(text, sizeof text, CHUNKED "%s\r\nbbb", sizes[i]);
        refused(&server, text, 413);
    }
    accepted(&server, filled(text, CHUNKED "1\r\nb\r\n3e7\r\n", 'b', 999, "\r\n0\r\n\r\n"));
    /* The size is judged when it is whole, even if it comes in pieces. */
    client_open(&client, server.address);
    client_puts(&client, CHUNKED "3e");
    assert_false(client_has_input(&client, 30));
    client_puts(&client, filled(text, "8\r\n", 'b', 1000, "\r\n0\r\n\r\n"));
    assert_int_equal(client_status(&client), 200);
    client_close(&client);
    /* Who reads in parts has no such limit. */
    accepted(&server, filled(text,
                             "POST /count HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                             "3e9\r\n",
                             'b', 1001, "\r\n0\r\n\r\n"));
    serving_stop(&server);
}

static void body_over_its_deadline_is_408(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.body_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, POST "Content-Length: 100000\r\n\r\n");
    while (!client_has_input(&client, 20))
        client_puts(&client, "b");
    client_expect_last(&client, 408);
    client_close(&client);
    serving_stop(&server);
}

static void body_below_its_rate_is_408(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.body_rate_bytes = 10000;
    server.limits.body_rate_window_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "POST /count HTTP/1.1\r\n" HOST "Content-Length: 100000\r\n\r\n");
    while (!client_has_input(&client, 20))
        client_puts(&client, "b");
    client_expect_last(&client, 408);
    client_close(&client);
    serving_stop(&server);
}

static void idle_connection_is_closed_without_a_word(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.idle_ms = 150;
    serving_start(&server);
    client_open(&client, server.address);
    assert_int_equal(client_read_end(&client), 0);
    client_close(&client);
    client_open(&client, server.address);
    client_puts(&client, GET "\r\n");
    assert_int_equal(client_status(&client), 200);
    assert_int_equal(client_read_end(&client), 0);
    assert_int_equal(client.have, 0);
    client_close(&client);
    serving_stop(&server);
}

static void unread_body_is_skipped_up_to_its_limit(void **state)
{
    static char text[8192];
    serving server;
    (void)state;

    init(&server);
    server.limits.body_skip_bytes_max = 1000;
    serving_start(&server);
#define SKIPPED "POST /ok HTTP/1.1\r\n" HOST
    accepted(&server, filled(text, SKIPPED "Content-Length: 1000\r\n\r\n", 'b', 1000, ""));
    /* A length that says so beforehand is answered with close. */
    refused(&server, filled(text, SKIPPED "Content-Length: 1001\r\n\r\n", 'b', 1001, ""), 200);
    accepted(&server, filled(text, SKIPPED "Transfer-Encoding: chunked\r\n\r\n190\r\n", 'b', 400,
                             "\r\n0\r\n\r\n"));
    serving_stop(&server);
}

/* With chunks the answer has left before the excess shows; then the connection ends. */
static void unread_chunks_over_the_skip_limit_end_the_connection(void **state)
{
    static char text[8192];
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.body_skip_bytes_max = 1000;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, filled(text, SKIPPED "Transfer-Encoding: chunked\r\n\r\n3e8\r\n", 'b',
                                1000, "\r\n0\r\n\r\n" GET "\r\n"));
    assert_int_equal(client_status(&client), 200);
    assert_int_equal(client_read_end(&client), 0);
    assert_int_equal(client.have, 0);
    client_close(&client);
    serving_stop(&server);
}

/* Trickling the body that is skipped does not keep the connection for ever. */
static void skipping_has_a_deadline(void **state)
{
    serving server;
    test_client client;
    uint64_t started;
    (void)state;

    init(&server);
    server.limits.body_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, SKIPPED "Content-Length: 100000\r\n\r\n");
    assert_int_equal(client_status(&client), 200);
    started = now_ms();
    while (!client_has_input(&client, 20) && now_ms() - started < 5000)
        (void)client_try_send(&client, "b", 1, 100);
    assert_in_range(now_ms() - started, 150, 4000);
    client_close(&client);
    serving_stop(&server);
}

static void chunk_line_over_its_limit_is_400(void **state)
{
    static char text[2048];
    serving server;
    (void)state;

    init(&server);
    server.limits.chunk_line_bytes_max = 20;
    serving_start(&server);
    accepted(&server, filled(text, CHUNKED "1;", 'x', 18, "\r\nb\r\n0\r\n\r\n"));
    refused(&server, filled(text, CHUNKED "1;", 'x', 19, "\r\nb\r\n0\r\n\r\n"), 400);
    serving_stop(&server);
}

static void tiny_chunks_over_their_limit_are_400(void **state)
{
    serving server;
    (void)state;

    init(&server);
    server.limits.tiny_chunks_max = 2;
    serving_start(&server);
    accepted(&server, CHUNKED "1\r\nb\r\n1\r\nb\r\n0\r\n\r\n");
    accepted(&server, CHUNKED "1\r\nb\r\n1\r\nb\r\n10\r\n0123456789abcdef\r\n1\r\nb\r\n0\r\n\r\n");
    refused(&server, CHUNKED "1\r\nb\r\n1\r\nb\r\n1\r\nb\r\n0\r\n\r\n", 400);
    serving_stop(&server);
}

static void trailers_over_the_head_limits_are_400(void **state)
{
    static char text[2048];
    serving server;
    (void)state;

    init(&server);
    server.limits.head_fields_max = 2;
    server.limits.field_value_bytes_max = 100;
    serving_start(&server);
    accepted(&server, CHUNKED "1\r\nb\r\n0\r\nA: 1\r\nB: 2\r\n\r\n");
    refused(&server, CHUNKED "1\r\nb\r\n0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", 400);
    accepted(&server, filled(text, CHUNKED "0\r\nA: ", 'v', 100, "\r\n\r\n"));
    refused(&server, filled(text, CHUNKED "0\r\nA: ", 'v', 101, "\r\n\r\n"), 400);
    serving_stop(&server);
}

static void connection_over_the_limit_is_503(void **state)
{
    serving server;
    test_client first, second, third;
    (void)state;

    init(&server);
    server.limits.connections_a_loop_max = 2;
    serving_start(&server);
    client_open(&first, server.address);
    client_open(&second, server.address);
    client_puts(&second, GET "\r\n");
    assert_int_equal(client_status(&second), 200);
    client_open(&third, server.address);
    client_expect_last(&third, 503);
    client_close(&third);
    assert_int_equal(logged("connections_limit"), 1);
    /* A request that the refusal crosses on its way does not reset it. */
    for (int i = 0; i < 200; i++) {
        client_open(&third, server.address);
        client_puts(&third, GET "\r\n");
        client_expect_last(&third, 503);
        client_close(&third);
    }
    client_close(&first);
    client_puts(&second, GET "\r\n");
    assert_int_equal(client_status(&second), 200);
    client_close(&second);
    serving_stop(&server);
}

/* Requests over the limit of a turn wait for the next one, and none is lost or overtaken. */
static void pipelined_over_the_limit_wait_their_turn(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.pipelined_a_turn_max = 2;
    serving_start(&server);
    client_open(&client, server.address);
    char *text = malloc(100 * 128);
    size_t at = 0;

    assert_non_null(text);
    for (int i = 0; i < 99; i++)
        at += (size_t)sprintf(text + at,
                              "POST /body HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\n%02d", i);
    client_send(&client, text, at);
    client_half_close(&client);
    free(text);
    for (int i = 0; i < 99; i++) {
        test_answer got = {0};

        client_answer(&client, &got, false);
        assert_int_equal(got.status, 200);
        assert_int_equal(atoi(got.body), i);
        answer_done(&got);
    }
    assert_int_equal(client_read_end(&client), 0);
    client_close(&client);
    serving_stop(&server);
}

/* Writes without end; tells how many parts went before a call parked, and how it ended. */
static int pour(lario_req *req)
{
    static const char part[10000];
    size_t *written = lario_data(req);
    int rc = lario_reply_start(req, 200, NULL);

    while (rc == 0) {
        rc = lario_reply_write(req, part, sizeof part);
        if (rc == 0)
            __atomic_fetch_add(written, sizeof part, __ATOMIC_SEQ_CST);
    }
    note(rc);
    return rc;
}

/* What is queued is output_bytes_max and one write; the kernel's buffers hold the rest. */
static void output_over_its_limit_parks_the_writer(void **state)
{
    size_t written = 0, before;
    serving server;
    test_client client;
    (void)state;

    init(&server);
    lario_get(server.app, "/pour", pour);
    lario_app_set_data(server.app, &written);
    server.limits.output_bytes_max = 50000;
    serving_start(&server);
    client_open_narrow(&client, server.address, 8192);
    client_puts(&client, "GET /pour HTTP/1.1\r\n" HOST "\r\n");
    do {
        before = __atomic_load_n(&written, __ATOMIC_SEQ_CST);
        assert_false(note_comes(150));
    } while (before == 0 || __atomic_load_n(&written, __ATOMIC_SEQ_CST) != before);
    assert_true(before < 16u << 20);
    /* Room again, once the client reads. */
    assert_true(client_fill(&client, before));
    client_reset(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    assert_true(__atomic_load_n(&written, __ATOMIC_SEQ_CST) > before);
    serving_stop(&server);
}

static void stalled_output_is_reset_and_told(void **state)
{
    size_t written = 0;
    serving server;
    test_client client;
    (void)state;

    init(&server);
    lario_get(server.app, "/pour", pour);
    lario_app_set_data(server.app, &written);
    server.limits.output_bytes_max = 50000;
    server.limits.write_stall_ms = 200;
    serving_start(&server);
    client_open_narrow(&client, server.address, 8192);
    client_puts(&client, "GET /pour HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(next_note(), LARIO_ETIMEDOUT);
    assert_int_equal(client_read_end(&client), -ECONNRESET);
    client_close(&client);
    serving_stop(&server);
}

static int says_ok(lario_req *req)
{
    return lario_reply(req, 200, NULL, "ok");
}

/* A client that asks learns a time that is 5 s less than ours; others are told nothing. */
static void idle_time_is_advertised_to_who_asks(void **state)
{
    static const struct {
        const char *request;
        uint32_t idle_ms;
        const char *told;
    } cases[] = {
        {"GET / HTTP/1.1\r\nHost: t\r\n\r\n", 60000, NULL},
        {"GET / HTTP/1.1\r\nHost: t\r\nConnection: Keep-Alive\r\n\r\n", 60000,
         "Connection: keep-alive\r\nKeep-Alive: timeout=55\r\n"},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 8000,
         "Connection: keep-alive\r\nKeep-Alive: timeout=3\r\n"},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 5000, "Connection: keep-alive\r\n"},
    };
    test_answer got = {0};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        serving server;
        test_client client;

        serving_init(&server);
        server.limits.idle_ms = cases[i].idle_ms;
        lario_get(server.app, "/", says_ok);
        serving_start(&server);
        client_open(&client, server.address);
        client_puts(&client, cases[i].request);
        client_answer(&client, &got, false);
        if (cases[i].told)
            assert_non_null(strstr(got.head, cases[i].told));
        assert_int_equal(strstr(got.head, "Keep-Alive: ") != NULL,
                         cases[i].told && strstr(cases[i].told, "timeout"));
        client_close(&client);
        serving_stop(&server);
    }
    answer_done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(request_line_over_its_limit_is_414),
        cmocka_unit_test(head_over_its_limits_is_431),
        cmocka_unit_test(whole_head_over_its_limit_is_431),
        cmocka_unit_test(head_over_its_deadline_is_408),
        cmocka_unit_test(body_over_its_limit_is_413),
        cmocka_unit_test(announced_chunk_over_the_limit_is_413),
        cmocka_unit_test(body_over_its_deadline_is_408),
        cmocka_unit_test(body_below_its_rate_is_408),
        cmocka_unit_test(idle_connection_is_closed_without_a_word),
        cmocka_unit_test(unread_body_is_skipped_up_to_its_limit),
        cmocka_unit_test(unread_chunks_over_the_skip_limit_end_the_connection),
        cmocka_unit_test(skipping_has_a_deadline),
        cmocka_unit_test(chunk_line_over_its_limit_is_400),
        cmocka_unit_test(tiny_chunks_over_their_limit_are_400),
        cmocka_unit_test(trailers_over_the_head_limits_are_400),
        cmocka_unit_test(connection_over_the_limit_is_503),
        cmocka_unit_test(pipelined_over_the_limit_wait_their_turn),
        cmocka_unit_test(output_over_its_limit_parks_the_writer),
        cmocka_unit_test(stalled_output_is_reset_and_told),
        cmocka_unit_test(idle_time_is_advertised_to_who_asks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
