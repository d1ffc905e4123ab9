/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "client.h"
#include "in_runtime.h"
#include "serving.h"

/* WebSocket messages that are framed once, for many sockets. */

#define RSV1 0x40u
#define TEXT 1u
#define BINARY 2u

static const lario_ws_options options = {.compresses = true, .compress_bytes_min = 1000};

/* Shakes hands, with compression or without. */
static void shake_hands(test_client *client, const serving *server, bool compresses)
{
    char request[512];
    test_answer got = {0};

    client_open(client, server->address);
    snprintf(request, sizeof request,
             "GET / HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
             compresses ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "");
    client_puts(client, request);
    client_answer(client, &got, true);
    assert_int_equal(got.status, 101);
    answer_done(&got);
}

/* What a compressed frame says, as one that keeps no window. */
static size_t unpack(const char *data, size_t len, char *out, size_t room)
{
    static char whole[100000];
    z_stream zlib = {.next_in = (Bytef *)whole, .next_out = (Bytef *)out, .avail_out = (uInt)room};

    assert_true(len + 4 <= sizeof whole);
    memcpy(whole, data, len);
    memcpy(whole + len, "\x00\x00\xff\xff", 4);
    zlib.avail_in = (uInt)len + 4;
    assert_int_equal(inflateInit2(&zlib, -12), Z_OK);
    int rc = inflate(&zlib, Z_SYNC_FLUSH);

    assert_true(rc == Z_OK || rc == Z_BUF_ERROR);
    inflateEnd(&zlib);
    return room - zlib.avail_out;
}

static lario_scope *scope;
static char broadcast[100000];

static int listens(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, &options, &ws);

    if (rc == 0)
        rc = lario_join(scope, "all", lario_self(), NULL);
    if (rc == 0)
        rc = lario_ws_puts(ws, "ready");
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        note(rc); /* nothing of a broadcast is seen here */
    return rc;
}

static int broadcasts(lario_req *req)
{
    lario_ws_frame *frame = lario_ws_frame_new(LARIO_WS_TEXT, broadcast, sizeof broadcast, true);
    int rc = frame ? lario_ws_publish(scope, "all", frame) : LARIO_ENOMEM;

    lario_ws_frame_free(frame);
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%d", rc);
}

static void broadcast_is_framed_once_for_all(void **state)
{
    enum { LISTENERS = 20 };
    static char plain[sizeof broadcast];
    test_client clients[LISTENERS], client;
    test_answer got = {0};
    serving server;
    const char *data;
    size_t len;
    (void)state;

    memset(broadcast, 'b', sizeof broadcast);
    serving_init(&server);
    lario_get(server.app, "/", listens);
    lario_post(server.app, "/", broadcasts);
    scope = lario_scope_open(lario_app_runtime(server.app), "test");
    serving_start(&server);
    for (int i = 0; i < LISTENERS; i++) {
        shake_hands(&clients[i], &server, i % 2);
        client_ws_expect(&clients[i], "ready");
    }
    client_open(&client, server.address);
    for (int round = 0; round < 3; round++) {
        client_puts(&client, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
        client_answer(&client, &got, false);
        assert_int_equal(got.status, 200);
        assert_string_equal(got.body, "20");
        for (int i = 0; i < LISTENERS; i++) {
            unsigned opcode = client_ws_next(&clients[i], &data, &len);

            assert_int_equal(opcode, i % 2 ? RSV1 | TEXT : TEXT);
            if (i % 2) {
                assert_true(len < 1000);
                assert_int_equal(unpack(data, len, plain, sizeof plain), sizeof broadcast);
                assert_memory_equal(plain, broadcast, sizeof plain);
            } else {
                assert_int_equal(len, sizeof broadcast);
                assert_memory_equal(data, broadcast, len);
            }
        }
    }
    answer_done(&got);
    client_close(&client);
    for (int i = 0; i < LISTENERS; i++)
        client_close(&clients[i]);
    serving_stop(&server);
}

static int sends_frames_to_itself(lario_req *req)
{
    lario_ws_frame *frame = lario_ws_frame_new(LARIO_WS_BINARY, "12345", 5, false);
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    if (rc == 0)
        rc = lario_ws_write_frame(ws, frame);
    if (rc == 0)
        rc = lario_ws_send(lario_self(), frame);
    if (rc == 0)
        rc = lario_ws_puts(ws, "between"); /* the other goes out in lario_receive() */
    lario_ws_frame_free(frame);            /* what was sent is still sent */
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        continue;
    return rc;
}

static int run_without_socket(void)
{
    lario_ws_frame *frame = lario_ws_frame_new(LARIO_WS_TEXT, "x", 1, false);
    lario_msg msg;

    /* A frame for a process without a socket is dropped, and nothing else. */
    assert_int_equal(lario_ws_send(lario_self(), frame), 0);
    assert_int_equal(lario_send(lario_self(), LARIO_USER, "m", 1), 0);
    assert_int_equal(lario_receive(&msg, 1000), LARIO_USER);
    assert_int_equal(lario_receive(&msg, 0), LARIO_ETIMEDOUT);
    lario_ws_frame_free(frame);
    return 0;
}

static void frame_for_a_process_without_a_socket_is_dropped(void **state)
{
    (void)state;
    assert_int_equal(run_in_runtime(run_without_socket), 0);
    assert_null(lario_ws_frame_new(LARIO_USER, "x", 1, false));
    assert_null(lario_ws_frame_new(LARIO_WS_TEXT, broadcast, (16u << 20) + 1, false));
    lario_ws_frame_free(NULL);
}

static void frames_keep_their_order(void **state)
{
    serving server;
    test_client client;
    const char *data;
    size_t len;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", sends_frames_to_itself);
    serving_start(&server);
    client_ws_open(&client, server.address, "/");
    assert_int_equal(client_ws_next(&client, &data, &len), BINARY);
    assert_int_equal(len, 5);
    client_ws_expect(&client, "between");
    assert_int_equal(client_ws_next(&client, &data, &len), BINARY);
    assert_memory_equal(data, "12345", 5);
    client_close(&client);
    serving_stop(&server);
}

static lario_pid slow_one;

static int floods(lario_req *req)
{
    static const char text[2000];
    lario_ws_frame *frame = lario_ws_frame_new(LARIO_WS_BINARY, text, sizeof text, false);
    int taken = 0;

    if (!frame)
        return LARIO_ENOMEM;
    for (int i = 0; i < 20000; i++)
        taken += lario_ws_send(slow_one, frame) == 0;
    lario_ws_frame_free(frame);
    return lario_replyf(req, 200, NULL, "%d", taken);
}

static int does_not_hurry(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    slow_one = lario_self();
    if (rc == 0)
        rc = lario_ws_puts(ws, "ready");
    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    return rc;
}

/* What a client that does not read may cost: a mailbox, and no message more. */
static void frames_for_a_slow_client_wait_up_to_the_mailbox_limit(void **state)
{
    serving server;
    test_client slow, other;
    test_answer got = {0};
    const char *data;
    size_t len;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", does_not_hurry);
    lario_post(server.app, "/", floods);
    serving_start(&server);
    client_ws_open(&slow, server.address, "/");
    client_ws_expect(&slow, "ready");
    client_open(&other, server.address);
    client_puts(&other, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
    client_answer(&other, &got, false);
    /* As many as make 8 MiB, the frame's bytes being counted for each. */
    int taken = atoi(got.body);

    assert_in_range(taken, 4000, 4194);
    /* The loop serves others; the slow one has lost nothing that was taken. */
    client_puts(&other, "GET /none HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_int_equal(client_status(&other), 404);
    for (int i = 0; i < taken; i++) {
        assert_int_equal(client_ws_next(&slow, &data, &len), BINARY);
        assert_int_equal(len, 2000);
    }
    client_ws_send(&slow, 1, "still here", 10);
    client_ws_expect(&slow, "still here");
    answer_done(&got);
    client_close(&other);
    client_close(&slow);
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcast_is_framed_once_for_all),
        cmocka_unit_test(frame_for_a_process_without_a_socket_is_dropped),
        cmocka_unit_test(frames_keep_their_order),
        cmocka_unit_test(frames_for_a_slow_client_wait_up_to_the_mailbox_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
