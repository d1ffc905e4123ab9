/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "http/req.h"
#include "in_runtime.h"
#include "serving.h"

/* Limits of connections and of time: who stays just inside of one is served as if it were not. */

#define HOST "Host: test\r\n"
#define GET "GET /ok HTTP/1.1\r\n" HOST "\r\n"

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

static int count_body(lario_req *req)
{
    char buffer[4096];
    size_t total = 0;
    int rc;

    while ((rc = lario_body_read(req, buffer, sizeof buffer)) > 0)
        total += (size_t)rc;
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%zu", total);
}

static int turn_of(lario_req *req)
{
    return (int)req->conn->conn.stream.loop->turn;
}

static int note_turn(lario_req *req)
{
    note(turn_of(req));
    return lario_reply(req, 200, NULL, "ok");
}

/* Writes parts of 10,000 bytes and tells how many there were before one had to wait. */
static int pour(lario_req *req)
{
    static const char part[10000];
    int rc = lario_reply_start(req, 200, NULL), turn = turn_of(req);
    bool is_told = false;

    for (int i = 0; rc == 0; i++) {
        rc = lario_reply_write(req, part, sizeof part);
        if (!is_told && turn_of(req) != turn) {
            note(i);
            is_told = true;
        }
    }
    note(rc);
    return rc;
}

static int echo(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    return rc;
}

static int leave(lario_req *req)
{
    lario_ws *ws;

    return lario_ws_accept(req, NULL, &ws);
}

static void init(serving *server)
{
    serving_init(server);
    lario_any(server->app, "/ok", ok);
    lario_post(server->app, "/body", echo_body);
    lario_post(server->app, "/count", count_body);
    lario_get(server->app, "/turn", note_turn);
    lario_get(server->app, "/pour", pour);
    lario_get(server->app, "/echo", echo);
    lario_get(server->app, "/leave", leave);
}

static void stop(serving *server, test_client *client)
{
    client_close(client);
    serving_stop(server);
}

static void pause_ms(unsigned ms)
{
    usleep(ms * 1000);
}

/* ---- Deadlines ---- */

static void head_and_body_within_their_deadlines_are_taken(void **state)
{
    static const char request[] =
        "POST /body HTTP/1.1\r\n" HOST "Content-Length: 10\r\n\r\n0123456789";
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.head_ms = 5000;
    server.limits.body_ms = 5000;
    serving_start(&server);
    client_open(&client, server.address);
    for (size_t i = 0; request[i]; i++) {
        client_send(&client, request + i, 1);
        pause_ms(3);
    }
    assert_int_equal(client_status(&client), 200);
    stop(&server, &client);
}

/* The deadline of a head counts for each request anew. */
static void each_head_has_its_own_deadline(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.head_ms = 800;
    serving_start(&server);
    client_open(&client, server.address);
    for (int i = 0; i < 4; i++) {
        client_send(&client, GET, 10);
        pause_ms(300);
        client_puts(&client, &GET[10]);
        assert_int_equal(client_status(&client), 200);
    }
    stop(&server, &client);
}

static void body_above_its_rate_is_taken(void **state)
{
    char part[200] = {0};
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    init(&server);
    server.limits.body_rate_bytes = 1000;
    server.limits.body_rate_window_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "POST /count HTTP/1.1\r\n" HOST "Content-Length: 6000\r\n\r\n");
    for (int i = 0; i < 30; i++) {
        client_send(&client, part, sizeof part);
        pause_ms(20);
    }
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "6000");
    answer_done(&got);
    stop(&server, &client);
}

/* Each request begins the time anew. */
static void connection_within_its_idle_time_stays(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.idle_ms = 1000;
    serving_start(&server);
    client_open(&client, server.address);
    for (int i = 0; i < 4; i++) {
        assert_false(client_has_input(&client, 400));
        client_puts(&client, GET);
        assert_int_equal(client_status(&client), 200);
    }
    stop(&server, &client);
}

/* ---- The number of requests ---- */

static void last_request_of_a_connection_is_answered_with_close(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    init(&server);
    server.limits.requests_a_conn_max = 3;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, GET GET);
    for (int i = 0; i < 2; i++) {
        client_answer(&client, &got, false);
        assert_int_equal(got.status, 200);
        assert_false(got.closes);
    }
    assert_false(client_has_input(&client, 50));
    /* What comes behind the last one is not answered. */
    client_puts(&client, GET GET);
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 200);
    assert_true(got.closes);
    assert_int_equal(client_read_end(&client), 0);
    assert_int_equal(client.have, 0);
    client_close(&client);
    /* The next connection has its own count. */
    client_open(&client, server.address);
    client_puts(&client, GET);
    client_answer(&client, &got, false);
    assert_false(got.closes);
    answer_done(&got);
    stop(&server, &client);
}

#define TURN "GET /turn HTTP/1.1\r\n" HOST "\r\n"

static void pipelined_within_the_limit_run_in_one_turn(void **state)
{
    serving server;
    test_client client;
    int turns[5];
    (void)state;

    init(&server);
    server.limits.pipelined_a_turn_max = 3;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, TURN TURN TURN TURN TURN);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(client_status(&client), 200);
        turns[i] = next_note();
    }
    assert_int_equal(turns[1], turns[0]);
    assert_int_equal(turns[2], turns[0]);
    assert_true(turns[3] > turns[2]);
    assert_int_equal(turns[4], turns[3]);
    stop(&server, &client);
}

/* ---- Output ---- */

static void writer_within_the_output_limit_does_not_park(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.output_bytes_max = 50000;
    serving_start(&server);
    client_open_narrow(&client, server.address, 8192);
    client_puts(&client, "GET /pour HTTP/1.1\r\n" HOST "\r\n");
    /* The head's block and four parts fit, the fifth goes beyond, the sixth waits. */
    assert_int_equal(next_note(), 5);
    client_reset(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    serving_stop(&server);
}

/* In all it takes longer than the limit, but never is it without progress for so long. */
static void slow_reader_that_makes_progress_is_not_reset(void **state)
{
    const size_t step = 500000;
    serving server;
    test_client client;
    uint64_t started = now_ms();
    (void)state;

    init(&server);
    server.limits.output_bytes_max = 50000;
    server.limits.write_stall_ms = 1500;
    serving_start(&server);
    client_open_narrow(&client, server.address, 8192);
    client_puts(&client, "GET /pour HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(next_note(), 5);
    while (now_ms() - started < 2500) {
        assert_true(client_fill(&client, step));
        client_take(&client, step);
        pause_ms(50);
    }
    assert_false(note_comes(0));
    client_reset(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    serving_stop(&server);
}

/* ---- The last answer ---- */

#define BAD "NONSENSE\r\n\r\n"

/* A client that goes on sending is cut; until then the answer could have been read. */
static void lingering_has_a_limit(void **state)
{
    serving server;
    test_client client;
    uint64_t started;
    (void)state;

    init(&server);
    server.limits.linger_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, BAD);
    client_expect_last(&client, 400);
    started = now_ms();
    while (send(client.fd, "x", 1, MSG_NOSIGNAL) == 1 && now_ms() - started < 5000)
        pause_ms(10);
    assert_in_range(now_ms() - started, 150, 4000);
    stop(&server, &client);
}

/* What was on its way when the answer was sent does not reset the connection. */
static void bytes_within_the_linger_do_not_cost_the_answer(void **state)
{
    char *rest = calloc(1, 200000);
    serving server;
    test_client client;
    (void)state;

    assert_non_null(rest);
    init(&server);
    server.limits.linger_ms = 5000;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, BAD);
    pause_ms(50);
    client_send(&client, rest, 200000);
    client_half_close(&client);
    client_expect_last(&client, 400);
    free(rest);
    stop(&server, &client);
}

/* ---- WebSocket ---- */

static void client_that_talks_is_not_pinged(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.ws_ping_ms = 600;
    serving_start(&server);
    client_ws_open(&client, server.address, "/echo");
    for (int i = 0; i < 5; i++) {
        pause_ms(200);
        client_ws_send(&client, 1, "hi", 2);
        client_ws_expect(&client, "hi");
    }
    stop(&server, &client);
}

static void no_pings_when_their_time_is_zero(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.ws_ping_ms = 0;
    server.limits.ws_pong_ms = 50;
    serving_start(&server);
    client_ws_open(&client, server.address, "/echo");
    assert_false(client_has_input(&client, 200));
    client_ws_send(&client, 1, "hi", 2);
    client_ws_expect(&client, "hi");
    stop(&server, &client);
}

static void close_answered_in_time_ends_in_order(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.ws_close_ms = 5000;
    serving_start(&server);
    client_ws_open(&client, server.address, "/leave");
    client_ws_expect_close(&client, 1000);
    assert_false(client_has_input(&client, 200));
    client_ws_send(&client, 8, "\x03\xe8", 2);
    assert_int_equal(client_read_end(&client), 0);
    stop(&server, &client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_and_body_within_their_deadlines_are_taken),
        cmocka_unit_test(each_head_has_its_own_deadline),
        cmocka_unit_test(body_above_its_rate_is_taken),
        cmocka_unit_test(connection_within_its_idle_time_stays),
        cmocka_unit_test(last_request_of_a_connection_is_answered_with_close),
        cmocka_unit_test(pipelined_within_the_limit_run_in_one_turn),
        cmocka_unit_test(writer_within_the_output_limit_does_not_park),
        cmocka_unit_test(slow_reader_that_makes_progress_is_not_reset),
        cmocka_unit_test(lingering_has_a_limit),
        cmocka_unit_test(bytes_within_the_linger_do_not_cost_the_answer),
        cmocka_unit_test(client_that_talks_is_not_pinged),
        cmocka_unit_test(no_pings_when_their_time_is_zero),
        cmocka_unit_test(close_answered_in_time_ends_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
