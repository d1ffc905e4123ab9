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

#include "allocations.h"
#include "client.h"
#include "serving.h"

/*
 * The server's allocations: sessions again and again with each allocation failing in turn, and
 * none at all where there must be none.
 */

/* ---- The server ---- */

static int ok(lario_req *req)
{
    return lario_reply(req, 200, "text/plain", "ok");
}

static int busy_get(lario_req *req)
{
    const char *name, *value;
    int rc = lario_add_header(req, "X-Note", "a value that is not short, so that it needs room");

    if (rc == 0)
        rc = lario_query_at(req, 0, &name, &value);
    if (rc < 0)
        return rc;
    char *large = lario_alloc(req, 10000);

    if (!large)
        return LARIO_ENOMEM;
    memset(large, 'x', 10000);
    rc = lario_reply_start(req, 200, "text/plain");
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = lario_reply_write(req, large, 10000);
    if (rc == 0)
        rc = lario_reply_puts(req, lario_escape_xml(req, lario_peer(req)));
    return rc;
}

/* Does not look at what the writes return: then the answer must not seem whole. */
static int careless(lario_req *req)
{
    static char part[10000];

    if (lario_reply_start_sized(req, 200, NULL, 3 * sizeof part) < 0)
        return 0;
    memset(part, 'p', sizeof part);
    for (int i = 0; i < 3; i++) {
        int rc = lario_reply_write(req, part, sizeof part);

        (void)rc;
    }
    return 0;
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
    lario_ws_options opts = {.protocols = "chat talk"};
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, &opts, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    return rc;
}

static void start(serving *server)
{
    allocations_fail(0);
    serving_init(server);
    lario_any(server->app, "/ok", ok);
    lario_get(server->app, "/busy/:name", busy_get);
    lario_get(server->app, "/careless", careless);
    lario_post(server->app, "/upload", upload);
    lario_get(server->app, "/echo", echo);
    serving_start(server);
}

/* ---- Each allocation fails in turn ---- */

#define HOST "Host: test\r\n"

/*
 * Runs the session against a fresh server for each allocation. Whatever fails, the connection
 * comes to its end, another client is served, and nothing is left behind.
 */
static void fail_each(void (*session)(test_client *client))
{
    bool all_done = false;
    int failures = 0;

    for (int n = 1; !all_done; n++) {
        serving server;
        test_client client, other;

        assert_true(n < 300);
        start(&server);
        allocations_fail(n);
        client_open(&client, server.address);
        session(&client);
        all_done = !allocations_failed();
        failures += !all_done;
        client_close(&client);
        client_open(&other, server.address);
        client_puts(&other, "GET /ok HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(client_status(&other), 200);
        client_close(&other);
        serving_stop(&server);
    }
    assert_true(failures > 3);
}

/* Sends what goes, half of it a little later, and reads to the end. */
static void exchange(test_client *client, const char *data, size_t len)
{
    size_t half = len / 2;

    (void)client_try_send(client, data, half, 1000);
    (void)client_has_input(client, 5);
    (void)client_try_send(client, data + half, len - half, 1000);
    (void)shutdown(client->fd, SHUT_WR);
    (void)client_read_end(client);
}

static void keep_alive_session(test_client *client)
{
    static const char requests[] =
        "GET /busy/one?a=b%20c HTTP/1.1\r\n" HOST "Accept: text/plain\r\n\r\n"
        "GET /busy/two?a=b%20c HTTP/1.1\r\n" HOST "Accept: text/plain\r\n\r\n";

    exchange(client, requests, sizeof requests - 1);
}

static void upload_session(test_client *client)
{
    static char request[80000];
    size_t len = (size_t)sprintf(request, "POST /upload HTTP/1.1\r\n" HOST
                                          "Transfer-Encoding: chunked\r\nX-Large: ");

    memset(request + len, 'h', 2000);
    len += 2000;
    len += (size_t)sprintf(request + len, "\r\n\r\nc350\r\n");
    memset(request + len, 'b', 50000);
    len += 50000;
    len += (size_t)sprintf(request + len, "\r\n0\r\n\r\n");
    exchange(client, request, len);
}

static void websocket_session(test_client *client)
{
    static char bytes[60000], message[20000];
    size_t len = (size_t)sprintf(
        bytes, "GET /echo HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: Upgrade\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Protocol: talk\r\n\r\n");

    len += client_ws_frame(bytes + len, 0x01, message, 3000);
    len += client_ws_frame(bytes + len, 0x89, "?", 1);
    len += client_ws_frame(bytes + len, 0x80, message, 9000);
    len += client_ws_frame(bytes + len, 0x82, message, sizeof message);
    len += client_ws_frame(bytes + len, 0x88, "\x03\xe8", 2);
    exchange(client, bytes, len);
}

static void careless_session(test_client *client)
{
    static const char requests[] = "GET /careless HTTP/1.1\r\n" HOST "\r\n"
                                   "GET /ok HTTP/1.1\r\n" HOST "\r\n";

    exchange(client, requests, sizeof requests - 1);
    char *mark = client->have ? memmem(client->bytes, client->have, "\r\n\r\n", 4) : NULL;

    if (!mark || memcmp(client->bytes, "HTTP/1.1 200 ", 13) != 0)
        return;
    /* Whole, or visibly cut: never is its body filled up by the next answer. */
    size_t body = client->have - (size_t)(mark + 4 - client->bytes);

    for (size_t i = 0; i < body && i < 30000; i++)
        assert_int_equal(mark[4 + i], 'p');
}

static void keep_alive_survives_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(keep_alive_session);
}

static void upload_survives_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(upload_session);
}

static void websocket_survives_each_failing_allocation(void **state)
{
    (void)state;
    fail_each(websocket_session);
}

static void careless_handler_never_sends_a_false_answer(void **state)
{
    (void)state;
    fail_each(careless_session);
}

/* ---- None where there must be none ---- */

static void one_get(test_client *client)
{
    client_puts(client, "GET /ok HTTP/1.1\r\n" HOST "User-Agent: test\r\nAccept: */*\r\n\r\n");
    assert_int_equal(client_status(client), 200);
}

static void one_echo(test_client *client)
{
    client_ws_send(client, 1, "hello", 5);
    client_ws_expect(client, "hello");
}

static void keep_alive_get_allocates_nothing(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server);
    client_open(&client, server.address);
    for (int i = 0; i < 20; i++)
        one_get(&client);
    int before = allocations_count();

    for (int i = 0; i < 100; i++)
        one_get(&client);
    assert_int_equal(allocations_count() - before, 0);
    client_close(&client);
    serving_stop(&server);
}

static void websocket_echo_allocates_nothing(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server);
    client_ws_open(&client, server.address, "/echo");
    for (int i = 0; i < 20; i++)
        one_echo(&client);
    int before = allocations_count();

    for (int i = 0; i < 100; i++)
        one_echo(&client);
    assert_int_equal(allocations_count() - before, 0);
    client_close(&client);
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keep_alive_survives_each_failing_allocation),
        cmocka_unit_test(upload_survives_each_failing_allocation),
        cmocka_unit_test(websocket_survives_each_failing_allocation),
        cmocka_unit_test(careless_handler_never_sends_a_false_answer),
        cmocka_unit_test(keep_alive_get_allocates_nothing),
        cmocka_unit_test(websocket_echo_allocates_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
