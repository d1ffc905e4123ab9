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

#include <cmocka.h>

#include "client.h"
#include "faults.h"
#include "serving.h"

/*
 * A kernel at its worst: it takes and gives a few bytes at a time, tells to come again, interrupts,
 * and has no descriptors. Nothing of that may be seen by a client. And calls that fail for good end
 * one connection, not the server.
 */

#define HOST "Host: test\r\n"
#define LARGE_BYTES 150000

static char large[LARGE_BYTES + 1];

static int get_large(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", large);
}

static int get_in_parts(lario_req *req)
{
    int rc = lario_reply_start(req, 200, "text/plain");

    for (size_t at = 0; rc >= 0 && at < LARGE_BYTES; at += 10000)
        rc = lario_reply_write(req, large + at, 10000);
    return rc;
}

static int upload(lario_req *req)
{
    const char *body;
    size_t len;
    int rc = lario_body(req, &body, &len);

    return rc < 0 ? rc : lario_reply_bytes(req, 200, NULL, body, len);
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

static void start(serving *server)
{
    for (size_t i = 0; i < LARGE_BYTES; i++)
        large[i] = (char)('a' + i % 26);
    serving_init(server);
    lario_get(server->app, "/large", get_large);
    lario_get(server->app, "/parts", get_in_parts);
    lario_post(server->app, "/upload", upload);
    lario_get(server->app, "/echo", echo);
    serving_start(server);
}

/* ---- What the client must see, whatever the kernel does ---- */

static void expect_large(test_client *client)
{
    test_answer answer = {0};

    client_answer(client, &answer, false);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.body_len, LARGE_BYTES);
    assert_memory_equal(answer.body, large, LARGE_BYTES);
    answer_done(&answer);
}

static void keep_alive_session(const char *address)
{
    test_client client;

    client_open(&client, address);
    client_puts(&client, "GET /large HTTP/1.1\r\n" HOST "\r\n"
                         "GET /parts HTTP/1.1\r\n" HOST "\r\n"
                         "GET /large HTTP/1.1\r\n" HOST "\r\n");
    for (int i = 0; i < 3; i++)
        expect_large(&client);
    client_close(&client);
}

static void upload_session(const char *address)
{
    static const char head[] =
        "POST /upload HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n";
    test_client client;

    client_open(&client, address);
    client_puts(&client, head);
    for (size_t at = 0; at < LARGE_BYTES; at += 30000) {
        client_puts(&client, "7530\r\n");
        client_send(&client, large + at, 30000);
        client_puts(&client, "\r\n");
    }
    client_puts(&client, "0\r\n\r\n");
    expect_large(&client);
    client_close(&client);
}

static void websocket_session(const char *address)
{
    test_client client;
    const char *data;
    size_t len;

    client_ws_open(&client, address, "/echo");
    for (int i = 0; i < 3; i++) {
        client_ws_send(&client, 1, large, LARGE_BYTES);
        assert_int_equal(client_ws_next(&client, &data, &len), 1);
        assert_int_equal(len, LARGE_BYTES);
        assert_memory_equal(data, large, len);
    }
    client_ws_send(&client, 8, "\x03\xe8", 2);
    client_ws_expect_close(&client, 1000);
    client_close(&client);
}

static void run_all(const char *address)
{
    keep_alive_session(address);
    upload_session(address);
    websocket_session(address);
}

/* Every session under this plan, whose faults did happen. */
static void survive(const fault_plan *plan)
{
    serving server;

    start(&server);
    faults_set(plan);
    run_all(server.address);
    assert_true(faults_count() > 20);
    faults_set(NULL);
    serving_stop(&server);
}

static void short_writes_and_reads(void **state)
{
    (void)state;
    survive(&(fault_plan){.bytes_max = 1021});
    survive(&(fault_plan){.bytes_max = 97});
}

static void storm_of_eagain(void **state)
{
    (void)state;
    survive(&(fault_plan){.bytes_max = 4099, .eagain_nth = 2});
    survive(&(fault_plan){.bytes_max = 511, .eagain_nth = 3});
}

static void interrupted_calls(void **state)
{
    (void)state;
    survive(&(fault_plan){.bytes_max = 4099, .eintr_nth = 2});
}

static void all_of_them(void **state)
{
    (void)state;
    survive(&(fault_plan){.bytes_max = 701, .eagain_nth = 3, .eintr_nth = 5});
}

/* ---- Accepting ---- */

static void accepting_fails_for_a_while(int error, bool is_told)
{
    serving server;

    start(&server);
    faults_set(&(fault_plan){.accept_error = error, .accept_fails = 3});
    run_all(server.address);
    assert_int_equal(faults_count(), 3);
    faults_set(NULL);
    assert_int_equal(logged("accept_failed"), is_told ? 3 : 0);
    serving_stop(&server);
}

static void accept_without_descriptors_or_memory(void **state)
{
    (void)state;
    accepting_fails_for_a_while(EMFILE, true);
    accepting_fails_for_a_while(ENFILE, true);
    accepting_fails_for_a_while(ENOBUFS, true);
    accepting_fails_for_a_while(ENOMEM, true);
}

/* These concern the connection that was about to be accepted, and no other. */
static void accept_of_a_connection_that_is_gone(void **state)
{
    (void)state;
    accepting_fails_for_a_while(ECONNABORTED, false);
    accepting_fails_for_a_while(EINTR, false);
}

/* ---- Calls that fail for good ---- */

/* The client takes what comes until the end, which has to come. */
static void take_what_comes(const char *address, void (*say)(test_client *client))
{
    test_client client;

    client_open(&client, address);
    say(&client);
    (void)shutdown(client.fd, SHUT_WR);
    (void)client_read_end(&client);
    client_close(&client);
}

static void say_requests(test_client *client)
{
    static const char requests[] = "GET /large HTTP/1.1\r\n" HOST "\r\n"
                                   "POST /upload HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"
                                   "GET /parts HTTP/1.1\r\n" HOST "\r\n";

    (void)client_try_send(client, requests, sizeof requests - 1, 1000);
}

static void say_frames(test_client *client)
{
    static char bytes[40000];
    size_t len = (size_t)sprintf(bytes, "GET /echo HTTP/1.1\r\n" HOST
                                        "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                        "Sec-WebSocket-Version: 13\r\n\r\n");

    len += client_ws_frame(bytes + len, 0x82, large, 20000);
    len += client_ws_frame(bytes + len, 0x89, "?", 1);
    len += client_ws_frame(bytes + len, 0x88, "\x03\xe8", 2);
    (void)client_try_send(client, bytes, len, 1000);
}

static void fail_each_call(int error, void (*say)(test_client *client))
{
    serving server;
    bool was_made = true;
    int failures = 0;

    start(&server);
    for (int nth = 1; was_made; nth++) {
        assert_true(nth < 500);
        faults_set(NULL);
        faults_fail_call(nth, error);
        take_what_comes(server.address, say);
        was_made = faults_call_was_made();
        failures += was_made;
        upload_session(server.address);
    }
    assert_true(failures > 3);
    serving_stop(&server);
}

static void each_call_fails_in_turn(void **state)
{
    static const int errors[] = {ECONNRESET, EPIPE, ENOBUFS, EIO, ETIMEDOUT};
    (void)state;

    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        fail_each_call(errors[i], say_requests);
        fail_each_call(errors[i], say_frames);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_writes_and_reads),
        cmocka_unit_test(storm_of_eagain),
        cmocka_unit_test(interrupted_calls),
        cmocka_unit_test(all_of_them),
        cmocka_unit_test(accept_without_descriptors_or_memory),
        cmocka_unit_test(accept_of_a_connection_that_is_gone),
        cmocka_unit_test(each_call_fails_in_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
