/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Who may open a WebSocket, with which subprotocol; how it ends when both sides do at once. */

#define HANDSHAKE                                                                                  \
    "GET / HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"                \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"

static lario_ws_options options;

static int echo(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, &options, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    return rc;
}

static void ask(const serving *server, const char *fields, test_answer *got)
{
    char request[1024];
    test_client client;

    client_open(&client, server->address);
    snprintf(request, sizeof request, HANDSHAKE "%s\r\n", fields);
    client_puts(&client, request);
    client_answer(&client, got, true);
    client_close(&client);
}

/* ---- Subprotocols (RFC 6455 4.2.2) ---- */

static void subprotocol_is_the_servers_first_that_the_client_offers(void **state)
{
    static const struct {
        const char *fields, *chosen;
    } cases[] = {
        {"Sec-WebSocket-Protocol: chat\r\n", "chat"},
        {"Sec-WebSocket-Protocol: mqtt, chat\r\n", "chat"}, /* our order */
        {"Sec-WebSocket-Protocol: mqtt\r\nSec-WebSocket-Protocol: other\r\n", "mqtt"},
        {"Sec-WebSocket-Protocol: , mqtt ,\r\n", "mqtt"},
        {"Sec-WebSocket-Protocol: Chat\r\n", NULL}, /* their case matters */
        {"Sec-WebSocket-Protocol: chat2, cha\r\n", NULL},
        {"Sec-WebSocket-Protocol: none\r\n", NULL},
        {"", NULL},
    };
    serving server;
    test_answer got = {0};
    char line[100];
    (void)state;

    options = (lario_ws_options){.protocols = "chat mqtt"};
    serving_init(&server);
    lario_get(server.app, "/", echo);
    serving_start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(&server, cases[i].fields, &got);
        assert_int_equal(got.status, 101);
        snprintf(line, sizeof line, "Sec-WebSocket-Protocol: %s\r\n",
                 cases[i].chosen ? cases[i].chosen : "");
        if (cases[i].chosen)
            assert_non_null(strstr(got.head, line));
        else
            assert_null(strstr(got.head, "Sec-WebSocket-Protocol"));
    }
    answer_done(&got);
    serving_stop(&server);
}

/* ---- Origins (RFC 6455 10.2) ---- */

static void only_origins_of_the_list_may_connect(void **state)
{
    static const struct {
        const char *fields;
        int status;
    } cases[] = {
        {"Origin: https://a.example.org\r\n", 101},
        {"Origin: https://b.example.org:8443\r\n", 101},
        {"Origin: https://a.example.org.evil\r\n", 403},
        {"Origin: https://a.example.or\r\n", 403},
        {"Origin: http://a.example.org\r\n", 403},
        {"Origin: null\r\n", 403},
        {"Origin: https://a.example.org https://b.example.org:8443\r\n", 403},
        {"Origin: https://a.example.org\r\nOrigin: https://a.example.org\r\n", 403},
        {"Origin:\r\n", 403},
        {"", 403},
    };
    serving server;
    test_answer got = {0};
    (void)state;

    options = (lario_ws_options){.origins = "https://a.example.org https://b.example.org:8443"};
    serving_init(&server);
    lario_get(server.app, "/", echo);
    serving_start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_client client;
        char request[1024];

        client_open(&client, server.address);
        snprintf(request, sizeof request, HANDSHAKE "%s\r\n", cases[i].fields);
        client_puts(&client, request);
        client_answer(&client, &got, cases[i].status == 101);
        assert_int_equal(got.status, cases[i].status);
        client_close(&client);
    }
    answer_done(&got);
    serving_stop(&server);
}

/* ---- Ends (RFC 6455 7) ---- */

static int closes_first(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    if (rc >= 0)
        rc = lario_ws_close(ws, 4000, "mine");
    note(rc);
    while (rc >= 0)
        rc = lario_receive(&msg, -1);
    note(rc);
    return rc;
}

/* The client closes for a reason of its own: it has not seen the server's close yet. */
static void both_sides_close_at_once(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", closes_first);
    serving_start(&server);
    client_ws_open(&client, server.address, "/");
    client_ws_send(&client, 8, "\x03\xe9", 2); /* 1001 */
    client_ws_expect_close(&client, 4000);
    assert_int_equal(next_note(), 0);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    assert_int_equal(client_read_end(&client), 0);
    assert_int_equal(client.have, 0);
    client_close(&client);
    serving_stop(&server);
}

static int tells_the_close_code(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    note(0);
    while (rc >= 0)
        rc = lario_receive(&msg, -1);
    note(rc);
    note(lario_ws_close_code(ws));
    return rc;
}

static void end_without_a_close_frame_is_1006(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", tells_the_close_code);
    serving_start(&server);
    for (int half = 0; half < 2; half++) {
        client_ws_open(&client, server.address, "/");
        assert_int_equal(next_note(), 0);
        if (half)
            client_half_close(&client);
        else
            client_close(&client);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        assert_int_equal(next_note(), 1006);
        if (half)
            client_close(&client);
    }
    serving_stop(&server);
}

/* ---- Memory of a broadcast ---- */

#define LISTENERS 40
#define FRAME_BYTES (1 << 20)

static lario_scope *scope;

static int listens(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, NULL, &ws);

    if (rc == 0)
        rc = lario_join(scope, "all", lario_self(), NULL);
    if (rc == 0)
        rc = lario_ws_puts(ws, "ready");
    while (rc >= 0)
        rc = lario_receive(&msg, -1);
    return rc;
}

static int broadcasts(lario_req *req)
{
    static char text[FRAME_BYTES];
    lario_ws_frame *frame = lario_ws_frame_new(LARIO_WS_BINARY, text, sizeof text, false);
    int rc = frame ? lario_ws_publish(scope, "all", frame) : LARIO_ENOMEM;

    lario_ws_frame_free(frame);
    return rc < 0 ? rc : lario_replyf(req, 200, NULL, "%d", rc);
}

static size_t memory_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Nobody reads: a copy for each receiver would be 40 MiB. */
static void broadcast_takes_the_memory_of_one_message(void **state)
{
    test_client clients[LISTENERS], client;
    test_answer got = {0};
    serving server;
    const char *data;
    size_t len;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", listens);
    lario_post(server.app, "/", broadcasts);
    scope = lario_scope_open(lario_app_runtime(server.app), "test");
    serving_start(&server);
    for (int i = 0; i < LISTENERS; i++) {
        client_ws_open(&clients[i], server.address, "/");
        client_ws_expect(&clients[i], "ready");
    }
    client_open(&client, server.address);
    size_t before = memory_in_use();

    client_puts(&client, "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n");
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "40");
    for (int i = 0; i < LISTENERS; i++)
        assert_true(client_has_input(&clients[i], CLIENT_PATIENCE_MS)); /* all are at it */
    size_t grown = memory_in_use() - before;

    if (before > 0) /* the allocators of sanitizers do not tell */
        assert_in_range(grown, 0, 4 * FRAME_BYTES);
    for (int i = 0; i < LISTENERS; i++) {
        assert_int_equal(client_ws_next(&clients[i], &data, &len), 2);
        assert_int_equal(len, FRAME_BYTES);
        client_close(&clients[i]);
    }
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subprotocol_is_the_servers_first_that_the_client_offers),
        cmocka_unit_test(only_origins_of_the_list_may_connect),
        cmocka_unit_test(both_sides_close_at_once),
        cmocka_unit_test(end_without_a_close_frame_is_1006),
        cmocka_unit_test(broadcast_takes_the_memory_of_one_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
