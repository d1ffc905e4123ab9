/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/websocket.h"

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

/* A WebSocket session from the server's side, with a client that says exactly what it wants. */

static int echo(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    note(rc);
    return rc;
}

/* Takes nothing until it is released, then echoes; tells how it went and the close code. */
static int late_echo(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    if (rc < 0)
        return rc;
    note(0);
    rc = wait_in_handler();
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    note(rc);
    note(lario_ws_close_code(ws));
    return rc;
}

static int leaves_at_once(lario_req *req)
{
    lario_ws *ws;
    int rc = lario_ws_accept(req, NULL, &ws);

    return rc < 0 ? rc : wait_in_handler();
}

static int closes_as_asked(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    if (rc == 0)
        rc = lario_ws_puts(ws, "before");
    if (rc < 0)
        return rc;
    note(lario_ws_close(ws, atoi(lario_query(req, "code")), "because"));
    note(lario_ws_puts(ws, "after"));
    note(lario_receive(&msg, 5000));
    return 0;
}

static lario_pid session;

/* Says what it receives, with the source: s for the socket, m for the mailbox. */
static int tells_sources(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    if (rc < 0)
        return rc;
    session = lario_self();
    note(0);
    rc = wait_in_handler();
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_printf(ws, "%c%.*s", rc == LARIO_USER ? 'm' : 's', (int)msg.len, msg.data);
    return rc;
}

/* Writes until a call fails, and tells how. */
static int pours(lario_req *req)
{
    static const char part[10000];
    lario_ws *ws;
    int rc = lario_ws_accept(req, NULL, &ws);

    while (rc == 0)
        rc = lario_ws_write(ws, LARIO_WS_BINARY, part, sizeof part);
    note(rc);
    return rc;
}

/* Writes without parking until there is no room, then parks once. */
static int tries(lario_req *req)
{
    static const char part[10000];
    lario_ws *ws;
    int rc = lario_ws_accept(req, NULL, &ws);

    note(lario_ws_try_write(ws, LARIO_USER, part, 1));
    while (rc == 0)
        rc = lario_ws_try_write(ws, LARIO_WS_BINARY, part, sizeof part);
    note(rc);
    rc = lario_ws_puts(ws, "last");
    note(rc);
    return rc;
}

static void init(serving *server)
{
    serving_init(server);
    lario_get(server->app, "/echo", echo);
    lario_get(server->app, "/late", late_echo);
    lario_get(server->app, "/leave", leaves_at_once);
    lario_get(server->app, "/close", closes_as_asked);
    lario_get(server->app, "/sources", tells_sources);
    lario_get(server->app, "/pour", pours);
    lario_get(server->app, "/try", tries);
}

static void start(serving *server, test_client *client, const char *path)
{
    init(server);
    serving_start(server);
    client_ws_open(client, server->address, path);
}

static void stop(serving *server, test_client *client)
{
    client_close(client);
    serving_stop(server);
}

/* Both directions end in order after the close frames. */
static void expect_end(test_client *client)
{
    assert_int_equal(client_read_end(client), 0);
    assert_int_equal(client->have, 0);
}

static void frames_cut_anywhere_give_the_same_messages(void **state)
{
    char bytes[512], large[200];
    size_t len = 0;
    serving server;
    test_client client;
    const char *data;
    size_t data_len;
    (void)state;

    memset(large, 'x', sizeof large);
    len += client_ws_frame(bytes + len, 0x81, "one", 3);
    len += client_ws_frame(bytes + len, 0x01, "t\xc3", 2);
    len += client_ws_frame(bytes + len, 0x89, "?", 1);
    len += client_ws_frame(bytes + len, 0x80, "\xa4o", 2);
    len += client_ws_frame(bytes + len, 0x82, large, sizeof large);
    init(&server);
    serving_start(&server);
    client_ws_open(&client, server.address, "/echo");
    for (size_t cut = 0; cut <= len; cut++) {
        client_send(&client, bytes, cut);
        if (cut % 8 == 0)
            (void)client_has_input(&client, 1);
        client_send(&client, bytes + cut, len - cut);
        client_ws_expect(&client, "one");
        assert_int_equal(client_ws_next(&client, &data, &data_len), 10);
        assert_int_equal(data_len, 1);
        client_ws_expect(&client, "t\xc3\xa4o");
        assert_int_equal(client_ws_next(&client, &data, &data_len), 2);
        assert_int_equal(data_len, sizeof large);
        assert_memory_equal(data, large, sizeof large);
    }
    stop(&server, &client);
}

static void messages_and_close_in_one_packet_are_all_answered(void **state)
{
    char bytes[128];
    size_t len = 0;
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, "/echo");
    len += client_ws_frame(bytes + len, 0x81, "one", 3);
    len += client_ws_frame(bytes + len, 0x81, "two", 3);
    len += client_ws_frame(bytes + len, 0x88, "\x03\xe8", 2);
    client_send(&client, bytes, len);
    client_ws_expect(&client, "one");
    client_ws_expect(&client, "two");
    client_ws_expect_close(&client, 1000);
    expect_end(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    stop(&server, &client);
}

/* Numbered messages until nothing goes any more; later each comes back, in order. */
static void process_that_does_not_receive_holds_its_client(void **state)
{
    static char frame[CLIENT_WS_HEADER_MAX + 10000], message[10000];
    size_t pending = 0, sent = 0, len = 0;
    serving server;
    test_client client;
    const char *data;
    (void)state;

    start(&server, &client, "/late");
    assert_int_equal(next_note(), 0);
    for (; pending == 0; sent++) {
        assert_true(sent < 5000); /* 50 MB: nothing holds it */
        snprintf(message, sizeof message, "%zu", sent);
        len = client_ws_frame(frame, 0x82, message, sizeof message);
        pending = len - client_try_send(&client, frame, len, 300);
    }
    release_handler();
    for (size_t i = 0; i < sent; i++) {
        size_t got;

        if (i + 1 == sent) {
            client_send(&client, frame + len - pending, pending);
        }
        assert_int_equal(client_ws_next(&client, &data, &got), 2);
        assert_int_equal(got, sizeof message);
        assert_int_equal(strtoul(data, NULL, 10), i);
    }
    stop(&server, &client);
}

static void other_processes_and_the_socket_take_turns(void **state)
{
    char text[8], last = 0, frames[1024];
    size_t frames_len = 0;
    serving server;
    test_client client;
    const char *data;
    size_t len;
    int from_socket = 0, from_mailbox = 0, changes = 0;
    (void)state;

    start(&server, &client, "/sources");
    assert_int_equal(next_note(), 0);
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(lario_runtime_send(lario_app_runtime(server.app), session, LARIO_USER,
                                            text, strlen(text)),
                         0);
        frames_len += client_ws_frame(frames + frames_len, 0x81, text, strlen(text));
    }
    client_send(&client, frames, frames_len);
    (void)client_has_input(&client, 50);
    release_handler();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(client_ws_next(&client, &data, &len), 1);
        snprintf(text, sizeof text, "%.*s", (int)len - 1, data + 1);
        assert_int_equal(atoi(text), data[0] == 's' ? from_socket++ : from_mailbox++);
        changes += data[0] != last;
        last = data[0];
    }
    assert_true(changes > 50);
    stop(&server, &client);
}

static void close_code_is_checked_and_sent_after_what_was_written(void **state)
{
    static const int bad[] = {-1, 0, 999, 1004, 1005, 1006, 1012, 1015, 2999, 5000, 65536 + 1000};
    static const int good[] = {1000, 1001, 1003, 1007, 1011, 3000, 4999};
    serving server;
    test_client client;
    char path[32];
    (void)state;

    init(&server);
    serving_start(&server);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        snprintf(path, sizeof path, "/close?code=%d", bad[i]);
        client_ws_open(&client, server.address, path);
        assert_int_equal(next_note(), LARIO_EINVAL);
        assert_int_equal(next_note(), 0);
        client_reset(&client);
        assert_true(next_note() < 0);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        snprintf(path, sizeof path, "/close?code=%d", good[i]);
        client_ws_open(&client, server.address, path);
        client_ws_expect(&client, "before");
        client_ws_expect_close(&client, (unsigned)good[i]);
        assert_int_equal(next_note(), 0);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        client_ws_send(&client, 8, "\x03\xe8", 2);
        expect_end(&client);
        client_close(&client);
    }
    serving_stop(&server);
}

static void close_code_of_the_peer_is_told(void **state)
{
    static const struct {
        const char *payload;
        size_t len;
        int code;
    } cases[] = {{"\x03\xe9", 2, 1001}, {"\x0f\xa0ok", 4, 4000}, {"", 0, 1005}, {NULL, 0, 1006}};
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    for (size_t i = 0; i < 4; i++) {
        client_ws_open(&client, server.address, "/late");
        assert_int_equal(next_note(), 0);
        release_handler();
        if (cases[i].payload)
            client_ws_send(&client, 8, cases[i].payload, cases[i].len);
        else
            client_half_close(&client);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        assert_int_equal(next_note(), cases[i].code);
        client_close(&client);
    }
    serving_stop(&server);
}

static void close_is_answered_while_the_handler_sleeps(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, "/late");
    assert_int_equal(next_note(), 0);
    client_ws_send(&client, 8, "\x03\xe8", 2);
    client_ws_expect_close(&client, 1000);
    expect_end(&client);
    release_handler();
    assert_int_equal(next_note(), LARIO_ECLOSED);
    assert_int_equal(next_note(), 1000);
    stop(&server, &client);
}

static void ping_is_answered_while_the_handler_sleeps(void **state)
{
    serving server;
    test_client client;
    const char *data;
    size_t len;
    (void)state;

    start(&server, &client, "/late");
    assert_int_equal(next_note(), 0);
    client_ws_send(&client, 9, "alive?", 6);
    assert_int_equal(client_ws_next(&client, &data, &len), 10);
    assert_int_equal(len, 6);
    assert_memory_equal(data, "alive?", 6);
    release_handler();
    stop(&server, &client);
}

static void handler_that_leaves_closes_over_unread_frames(void **state)
{
    static char large[100000];
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, "/leave");
    for (int i = 0; i < 3; i++)
        client_ws_send(&client, 2, large, sizeof large);
    release_handler();
    client_ws_expect_close(&client, 1000);
    client_ws_send(&client, 8, "\x03\xe8", 2);
    expect_end(&client);
    stop(&server, &client);
}

static void drain_sends_1001(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.ws_close_ms = 200;
    serving_start(&server);
    client_ws_open(&client, server.address, "/echo");
    client_ws_send(&client, 1, "hi", 2);
    client_ws_expect(&client, "hi");
    /* The client does not answer the close: the close wait ends it, before the drain's end. */
    assert_int_equal(lario_app_stop(server.app, CLIENT_PATIENCE_MS), 0);
    client_ws_expect_close(&client, 1001);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    client_close(&client);
    lario_app_free(server.app);
}

static void message_over_its_limit_is_1009(void **state)
{
    char message[101] = {0}, frame[128];
    serving server;
    test_client client;
    const char *data;
    size_t len;
    (void)state;

    init(&server);
    server.limits.ws_message_bytes_max = 100;
    serving_start(&server);
    client_ws_open(&client, server.address, "/echo");
    client_ws_send(&client, 2, message, 100);
    assert_int_equal(client_ws_next(&client, &data, &len), 2);
    client_ws_send(&client, 2, message, 101);
    client_ws_expect_close(&client, 1009);
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    client_close(&client);
    /* The same in fragments. */
    client_ws_open(&client, server.address, "/echo");
    client_send(&client, frame, client_ws_frame(frame, 0x02, message, 60));
    client_send(&client, frame, client_ws_frame(frame, 0x80, message, 41));
    client_ws_expect_close(&client, 1009);
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    stop(&server, &client);
}

static void silent_client_is_pinged_and_then_closed(void **state)
{
    serving server;
    test_client client;
    const char *data;
    size_t len;
    (void)state;

    init(&server);
    server.limits.ws_ping_ms = 100;
    server.limits.ws_pong_ms = 300;
    serving_start(&server);
    client_ws_open(&client, server.address, "/late");
    assert_int_equal(next_note(), 0);
    release_handler();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(client_ws_next(&client, &data, &len), 9);
        client_ws_send(&client, 10, data, len);
    }
    assert_int_equal(client_ws_next(&client, &data, &len), 9);
    assert_int_equal(client_read_end(&client), 0);
    assert_true(next_note() < 0);
    assert_int_equal(next_note(), 1006);
    stop(&server, &client);
}

static void client_that_does_not_answer_a_close_is_cut(void **state)
{
    serving server;
    test_client client;
    uint64_t started;
    (void)state;

    init(&server);
    server.limits.ws_close_ms = 200;
    serving_start(&server);
    client_ws_open(&client, server.address, "/leave");
    started = now_ms();
    release_handler();
    client_ws_expect_close(&client, 1000);
    (void)client_read_end(&client);
    assert_in_range(now_ms() - started, 150, 5000);
    stop(&server, &client);
}

static void output_over_its_limit_parks_the_writer(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.output_bytes_max = 50000;
    server.limits.write_stall_ms = 300;
    serving_start(&server);
    client_ws_open(&client, server.address, "/pour");
    assert_int_equal(next_note(), LARIO_ETIMEDOUT);
    stop(&server, &client);
}

static void write_without_parking_says_that_there_is_no_room(void **state)
{
    serving server;
    test_client client;
    const char *data;
    size_t len;
    (void)state;

    init(&server);
    server.limits.output_bytes_max = 50000;
    serving_start(&server);
    client_ws_open(&client, server.address, "/try");
    assert_int_equal(next_note(), LARIO_EINVAL);
    assert_int_equal(next_note(), LARIO_EAGAIN);
    while (client_ws_next(&client, &data, &len) == 2)
        assert_int_equal(len, 10000);
    assert_int_equal(len, 4);
    assert_int_equal(next_note(), 0);
    stop(&server, &client);
}

/* Answers that the client does not take must not pile up: neither does it get more asked. */
static void pings_of_a_client_that_does_not_read_hold_it(void **state)
{
    size_t len = 0, room = 64u << 20, sent;
    char *pings = malloc(room + 200), payload[125] = {0};
    serving server;
    test_client client;
    const char *data;
    (void)state;

    assert_non_null(pings);
    while (len < room)
        len += client_ws_frame(pings + len, 0x89, payload, sizeof payload);
    init(&server);
    server.limits.output_bytes_max = 50000;
    serving_start(&server);
    client_ws_open(&client, server.address, "/echo");
    sent = client_try_send(&client, pings, len, 300);
    assert_true(sent < len);
    /* Once it reads, all goes on. */
    size_t whole = client_ws_frame(payload, 0x89, pings, 0) + 125;
    size_t count = (sent + whole - 1) / whole;

    for (size_t i = 0; i < count - 1; i++)
        assert_int_equal(client_ws_next(&client, &data, &len), 10);
    client_send(&client, pings + sent, count * whole - sent);
    assert_int_equal(client_ws_next(&client, &data, &len), 10);
    client_ws_send(&client, 1, "hi", 2);
    client_ws_expect(&client, "hi");
    free(pings);
    stop(&server, &client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_cut_anywhere_give_the_same_messages),
        cmocka_unit_test(messages_and_close_in_one_packet_are_all_answered),
        cmocka_unit_test(process_that_does_not_receive_holds_its_client),
        cmocka_unit_test(other_processes_and_the_socket_take_turns),
        cmocka_unit_test(close_code_is_checked_and_sent_after_what_was_written),
        cmocka_unit_test(close_code_of_the_peer_is_told),
        cmocka_unit_test(close_is_answered_while_the_handler_sleeps),
        cmocka_unit_test(ping_is_answered_while_the_handler_sleeps),
        cmocka_unit_test(handler_that_leaves_closes_over_unread_frames),
        cmocka_unit_test(drain_sends_1001),
        cmocka_unit_test(message_over_its_limit_is_1009),
        cmocka_unit_test(silent_client_is_pinged_and_then_closed),
        cmocka_unit_test(client_that_does_not_answer_a_close_is_cut),
        cmocka_unit_test(output_over_its_limit_parks_the_writer),
        cmocka_unit_test(write_without_parking_says_that_there_is_no_room),
        cmocka_unit_test(pings_of_a_client_that_does_not_read_hold_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
