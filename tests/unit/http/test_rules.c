/* SPDX-License-Identifier: BSD-3-Clause */
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

/* Rules of RFC 9110 and RFC 9112 that need a server and a client in certain states. */

#define HOST "Host: test\r\n"
#define GET "GET /ok HTTP/1.1\r\n" HOST "\r\n"
#define BIG_BYTES (5u << 20)

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

/* Parts of different sizes; byte number i is i modulo 251. */
static int big(lario_req *req)
{
    static char bytes[251 * 300];
    uint64_t left = BIG_BYTES;
    int rc = lario_query(req, "sized") ? lario_reply_start_sized(req, 200, NULL, left)
                                       : lario_reply_start(req, 200, NULL);

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i % 251);
    while (rc == 0 && left > 0) {
        size_t len = left < sizeof bytes ? (size_t)left : sizeof bytes;

        rc = lario_reply_write(req, bytes, len);
        left -= len;
    }
    return rc;
}

static int held(lario_req *req)
{
    note(0);
    int rc = wait_in_handler();

    note(rc);
    return rc < 0 ? rc : lario_reply(req, 200, NULL, "held");
}

static int receiver(lario_req *req)
{
    lario_msg msg;

    note(0);
    int rc = lario_receive(&msg, 20000);

    note(rc);
    return rc < 0 ? rc : lario_reply(req, 200, NULL, "received");
}

static int reply_then_read(lario_req *req)
{
    char byte;
    int rc = lario_reply_start(req, 200, NULL);

    if (rc == 0)
        rc = lario_body_read(req, &byte, 1);
    return rc < 0 ? rc : lario_reply_puts(req, "read");
}

static int not_modified(lario_req *req)
{
    return lario_reply(req, 304, NULL, "never sent");
}

static int no_content(lario_req *req)
{
    return lario_reply(req, 204, NULL, "never sent");
}

static int upgrade(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    return rc;
}

static void init(serving *server)
{
    serving_init(server);
    lario_get(server->app, "/ok", ok);
    lario_post(server->app, "/ok", ok);
    lario_any(server->app, "/body", echo_body);
    lario_get(server->app, "/big", big);
    lario_any(server->app, "/held", held);
    lario_get(server->app, "/receive", receiver);
    lario_post(server->app, "/reply-then-read", reply_then_read);
    lario_get(server->app, "/304", not_modified);
    lario_get(server->app, "/204", no_content);
    lario_get(server->app, "/ws", upgrade);
}

static void start(serving *server, test_client *client)
{
    init(server);
    serving_start(server);
    client_open(client, server->address);
}

static void stop(serving *server, test_client *client)
{
    client_close(client);
    serving_stop(server);
}

static void check_answer(test_client *client, int status, const char *body)
{
    test_answer got = {0};

    client_answer(client, &got, false);
    assert_int_equal(got.status, status);
    assert_string_equal(got.body, body);
    answer_done(&got);
}

/* ---- Rule 6 ---- */

static void empty_lines_before_a_request_are_skipped(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "\r\n\r\n" GET "\r\n" GET);
    check_answer(&client, 200, "ok");
    check_answer(&client, 200, "ok");
    stop(&server, &client);
}

static void empty_lines_do_not_disarm_the_deadline(void **state)
{
    serving server;
    test_client client;
    uint64_t started = now_ms();
    (void)state;

    init(&server);
    server.limits.head_ms = 200;
    server.limits.idle_ms = 200;
    serving_start(&server);
    client_open(&client, server.address);
    while (!client_has_input(&client, 20) && now_ms() - started < 5000)
        (void)client_try_send(&client, "\r\n", 2, 100);
    assert_true(now_ms() - started < 4000);
    stop(&server, &client);
}

static void frame_in_the_packet_of_the_handshake_is_answered(void **state)
{
    static const char handshake[] =
        "GET /ws HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    char packet[512];
    serving server;
    test_client client;
    test_answer got = {0};
    size_t len = sizeof handshake - 1;
    (void)state;

    start(&server, &client);
    memcpy(packet, handshake, len);
    len += client_ws_frame(packet + len, 0x81, "early", 5);
    client_send(&client, packet, len);
    client_answer(&client, &got, true);
    assert_int_equal(got.status, 101);
    answer_done(&got);
    client_ws_expect(&client, "early");
    stop(&server, &client);
}

/* ---- Rule 7 ---- */

/* The slow answer first, though the other could be given at once; and unread bodies between. */
static void pipelined_answers_keep_their_order(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "POST /held HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\nbody"
                         "POST /ok HTTP/1.1\r\n" HOST
                         "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                         "POST /body HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\nlast");
    assert_int_equal(next_note(), 0);
    assert_false(client_has_input(&client, 50));
    release_handler();
    check_answer(&client, 200, "held");
    check_answer(&client, 200, "ok");
    check_answer(&client, 200, "last");
    stop(&server, &client);
}

static void reading_stops_while_a_handler_works(void **state)
{
    char *junk = calloc(1, 64u << 20);
    serving server;
    test_client client;
    (void)state;

    assert_non_null(junk);
    start(&server, &client);
    client_puts(&client, "POST /held HTTP/1.1\r\n" HOST "Content-Length: 99999999\r\n\r\n");
    assert_int_equal(next_note(), 0);
    /* What the kernel holds for both sides, and no more. */
    assert_true(client_try_send(&client, junk, 64u << 20, 300) < 32u << 20);
    release_handler();
    client_close(&client);
    free(junk);
    serving_stop(&server);
}

/* ---- Rule 9 ---- */

#define EXPECT "Expect: 100-continue\r\n"

static void expect_is_answered_at_the_first_read(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "PUT /body HTTP/1.1\r\n" HOST EXPECT "Content-Length: 4\r\n\r\n");
    assert_int_equal(client_status(&client), 100);
    client_puts(&client, "body");
    check_answer(&client, 200, "body");
    client_puts(&client, GET);
    check_answer(&client, 200, "ok");
    stop(&server, &client);
}

static void expect_is_not_answered_by_a_handler_that_does_not_read(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "POST /ok HTTP/1.1\r\n" HOST EXPECT "Content-Length: 4\r\n\r\n");
    client_expect_last(&client, 200);
    stop(&server, &client);
}

static void expect_is_not_answered_after_the_final_status(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    start(&server, &client);
    client_puts(&client,
                "POST /reply-then-read HTTP/1.1\r\n" HOST EXPECT "Content-Length: 4\r\n\r\n");
    assert_true(client_fill(&client, 15));
    assert_memory_equal(client.bytes, "HTTP/1.1 200 OK", 15);
    client_puts(&client, "body");
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "read");
    answer_done(&got);
    stop(&server, &client);
}

static void expect_is_not_answered_to_http_1_0(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "POST /body HTTP/1.0\r\n" EXPECT "Content-Length: 4\r\n\r\n");
    assert_false(client_has_input(&client, 50));
    client_puts(&client, "body");
    check_answer(&client, 200, "body");
    stop(&server, &client);
}

static void other_expectation_is_417(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "POST /body HTTP/1.1\r\n" HOST "Expect: magic\r\n\r\n");
    client_expect_last(&client, 417);
    stop(&server, &client);
}

/* ---- Rule 10 ---- */

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static void head_has_the_length_of_get_and_no_body(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    start(&server, &client);
    client_puts(&client, "HEAD /ok HTTP/1.1\r\n" HOST "\r\n" GET);
    client_answer(&client, &got, true);
    assert_non_null(strstr(got.head, "\r\nContent-Length: 2\r\n"));
    assert_int_equal(count_of(got.head, "\r\nDate: "), 1);
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "ok");
    assert_int_equal(count_of(got.head, "\r\nDate: "), 1);
    client_puts(&client, "HEAD /big?sized HTTP/1.1\r\n" HOST "\r\n" GET);
    client_answer(&client, &got, true);
    assert_non_null(strstr(got.head, "\r\nContent-Length: 5242880\r\n"));
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "ok");
    client_puts(&client, "HEAD /big HTTP/1.1\r\n" HOST "\r\n" GET);
    client_answer(&client, &got, true);
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "ok");
    answer_done(&got);
    stop(&server, &client);
}

static void answers_204_and_304_have_no_body(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    start(&server, &client);
    client_puts(&client, "GET /204 HTTP/1.1\r\n" HOST "\r\nGET /304 HTTP/1.1\r\n" HOST "\r\n" GET);
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 204);
    assert_null(strstr(got.head, "Content-Length"));
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 304);
    check_answer(&client, 200, "ok");
    answer_done(&got);
    stop(&server, &client);
}

/* ---- Rule 12 ---- */

static void check_big(test_client *client)
{
    test_answer got = {0};

    client_answer(client, &got, false);
    assert_int_equal(got.status, 200);
    assert_int_equal(got.body_len, BIG_BYTES);
    for (size_t i = 0; i < BIG_BYTES; i++)
        if ((unsigned char)got.body[i] != i % (251 * 300) % 251)
            fail_msg("byte %zu is wrong", i);
    answer_done(&got);
}

static void half_closed_client_gets_all_answers(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, GET "GET /big HTTP/1.1\r\n" HOST "\r\n" GET
                             "GET /big?sized HTTP/1.1\r\n" HOST "\r\n" GET);
    client_half_close(&client);
    check_answer(&client, 200, "ok");
    check_big(&client);
    check_answer(&client, 200, "ok");
    check_big(&client);
    check_answer(&client, 200, "ok");
    assert_int_equal(client_read_end(&client), 0);
    stop(&server, &client);
}

static void half_closed_client_gets_the_answer_of_a_sleeping_handler(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "GET /held HTTP/1.1\r\n" HOST "\r\n");
    client_half_close(&client);
    assert_int_equal(next_note(), 0);
    release_handler();
    check_answer(&client, 200, "held");
    assert_int_equal(client_read_end(&client), 0);
    stop(&server, &client);
}

/* Its body fills the socket, unread: a close over it would reset the connection. */
static void half_closed_client_with_an_unread_body_gets_its_answer(void **state)
{
    char *body = calloc(1, 100000);
    serving server;
    test_client client;
    (void)state;

    assert_non_null(body);
    init(&server);
    server.limits.body_skip_bytes_max = 1000;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "POST /held HTTP/1.1\r\n" HOST "Content-Length: 100000\r\n\r\n");
    assert_int_equal(next_note(), 0);
    client_send(&client, body, 100000);
    client_half_close(&client);
    /* The end is told early, since reading has stopped. */
    assert_false(client_has_input(&client, 50));
    release_handler();
    check_answer(&client, 200, "held");
    assert_int_equal(client_read_end(&client), 0);
    free(body);
    stop(&server, &client);
}

static void receive_tells_of_a_client_that_left(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "GET /receive HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(next_note(), 0);
    client_half_close(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    stop(&server, &client);
}

static void reset_cancels_the_handler(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client, "GET /held HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(next_note(), 0);
    client_reset(&client);
    assert_int_equal(next_note(), LARIO_ECANCELED);
    serving_stop(&server);
}

static void handler_of_a_half_closed_client_has_a_deadline(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.half_close_ms = 300;
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "GET /held HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(next_note(), 0);
    client_half_close(&client);
    assert_int_equal(next_note(), LARIO_ECANCELED);
    client_close(&client);
    /* The same for one that begins after the end was seen. */
    client_open(&client, server.address);
    client_puts(&client, "GET /held HTTP/1.1\r\n" HOST "\r\nGET /held HTTP/1.1\r\n" HOST "\r\n");
    client_half_close(&client);
    assert_int_equal(next_note(), 0);
    assert_false(note_comes(50));
    release_handler();
    assert_int_equal(next_note(), 0);
    assert_int_equal(next_note(), 0);
    assert_int_equal(next_note(), LARIO_ECANCELED);
    stop(&server, &client);
}

/* ---- Rules 13 and 16 ---- */

static void path_with_nul_cr_lf_or_a_bad_escape_is_400(void **state)
{
    static const char *const paths[] = {"/ok%00", "/o%0dk", "/o%0ak", "/ok%", "/ok%4", "/ok%zz"};
    serving server;
    test_client client;
    char text[128];
    (void)state;

    init(&server);
    serving_start(&server);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        client_open(&client, server.address);
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n" HOST "\r\n", paths[i]);
        client_puts(&client, text);
        client_expect_last(&client, 400);
        client_close(&client);
    }
    serving_stop(&server);
}

static void upgrade_with_a_body_is_refused_or_ignored(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client);
    client_puts(&client,
                "GET /ws HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                "Content-Length: 2\r\n\r\nxx" GET);
    assert_int_equal(client_status(&client), 400);
    check_answer(&client, 200, "ok");
    client_puts(&client, "GET /body HTTP/1.1\r\n" HOST "Upgrade: h2c\r\nConnection: Upgrade\r\n"
                         "Content-Length: 2\r\n\r\nxx");
    check_answer(&client, 200, "xx");
    stop(&server, &client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_lines_before_a_request_are_skipped),
        cmocka_unit_test(empty_lines_do_not_disarm_the_deadline),
        cmocka_unit_test(frame_in_the_packet_of_the_handshake_is_answered),
        cmocka_unit_test(pipelined_answers_keep_their_order),
        cmocka_unit_test(reading_stops_while_a_handler_works),
        cmocka_unit_test(expect_is_answered_at_the_first_read),
        cmocka_unit_test(expect_is_not_answered_by_a_handler_that_does_not_read),
        cmocka_unit_test(expect_is_not_answered_after_the_final_status),
        cmocka_unit_test(expect_is_not_answered_to_http_1_0),
        cmocka_unit_test(other_expectation_is_417),
        cmocka_unit_test(head_has_the_length_of_get_and_no_body),
        cmocka_unit_test(answers_204_and_304_have_no_body),
        cmocka_unit_test(half_closed_client_gets_all_answers),
        cmocka_unit_test(half_closed_client_gets_the_answer_of_a_sleeping_handler),
        cmocka_unit_test(half_closed_client_with_an_unread_body_gets_its_answer),
        cmocka_unit_test(receive_tells_of_a_client_that_left),
        cmocka_unit_test(reset_cancels_the_handler),
        cmocka_unit_test(handler_of_a_half_closed_client_has_a_deadline),
        cmocka_unit_test(path_with_nul_cr_lf_or_a_bad_escape_is_400),
        cmocka_unit_test(upgrade_with_a_body_is_refused_or_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
