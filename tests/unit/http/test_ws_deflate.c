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
#include "serving.h"

/* permessage-deflate (RFC 7692) and messages that are framed once, by a client with its own zlib.
 */

#define FIN 0x80u
#define RSV1 0x40u
#define TEXT 1u
#define BINARY 2u
#define CONTINUATION 0u
#define PING 9u
#define ROOM 400000

static lario_ws_options options;
static z_stream packer, unpacker;
static char packed[ROOM], plain[ROOM];

static int echo(lario_req *req)
{
    lario_ws *ws;
    lario_msg msg;
    int rc = lario_ws_accept(req, &options, &ws);

    while (rc >= 0 && (rc = lario_receive(&msg, -1)) > 0)
        rc = lario_ws_write(ws, rc, msg.data, msg.len);
    note(rc);
    return rc;
}

static int reset_options(void **state)
{
    (void)state;
    options = (lario_ws_options){.compresses = true, .compress_bytes_min = 1};
    return 0;
}

static void start(serving *server)
{
    serving_init(server);
    lario_get(server->app, "/", echo);
    serving_start(server);
}

/* Shakes hands with this offer; the answer to it, "" for none. Coders of those window sizes. */
static const char *shake_hands(test_client *client, const serving *server, const char *offer)
{
    static char answer[256];
    char request[1024];
    test_answer got = {0};

    client_open(client, server->address);
    snprintf(request, sizeof request,
             "GET / HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
             offer);
    client_puts(client, request);
    client_answer(client, &got, true);
    assert_int_equal(got.status, 101);
    const char *line = strstr(got.head, "Sec-WebSocket-Extensions: ");

    snprintf(answer, sizeof answer, "%.*s", line ? (int)strcspn(line + 26, "\r") : 0,
             line ? line + 26 : "");
    answer_done(&got);
    return answer;
}

static void open_coders(int client_bits, int server_bits)
{
    memset(&packer, 0, sizeof packer);
    memset(&unpacker, 0, sizeof unpacker);
    assert_int_equal(deflateInit2(&packer, 9, Z_DEFLATED, -client_bits, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(inflateInit2(&unpacker, -server_bits), Z_OK);
}

static void close_coders(void)
{
    deflateEnd(&packer);
    inflateEnd(&unpacker);
}

/* Compresses as a client does; without the tail. */
static size_t pack(const void *data, size_t len)
{
    packer.next_in = (Bytef *)data;
    packer.avail_in = (uInt)len;
    packer.next_out = (Bytef *)packed;
    packer.avail_out = ROOM;
    assert_int_equal(deflate(&packer, Z_SYNC_FLUSH), Z_OK);
    return ROOM - packer.avail_out - 4;
}

static size_t unpack(const char *data, size_t len)
{
    static char whole[ROOM];

    memcpy(whole, data, len);
    memcpy(whole + len, "\x00\x00\xff\xff", 4);
    unpacker.next_in = (Bytef *)whole;
    unpacker.avail_in = (uInt)len + 4;
    unpacker.next_out = (Bytef *)plain;
    unpacker.avail_out = ROOM;
    int rc = inflate(&unpacker, Z_SYNC_FLUSH);

    assert_true(rc == Z_OK || rc == Z_BUF_ERROR);
    return ROOM - unpacker.avail_out;
}

static void send_frame(test_client *client, unsigned first, const void *data, size_t len)
{
    static char frame[ROOM + CLIENT_WS_HEADER_MAX];

    client_send(client, frame, client_ws_frame(frame, first, data, len));
}

static void send_packed(test_client *client, unsigned opcode, const void *data, size_t len)
{
    size_t packed_len = pack(data, len);

    send_frame(client, FIN | RSV1 | opcode, packed, packed_len);
}

static void expect_packed(test_client *client, unsigned opcode, const void *data, size_t len)
{
    const char *got;
    size_t got_len;

    assert_int_equal(client_ws_next(client, &got, &got_len), RSV1 | opcode);
    assert_int_equal(unpack(got, got_len), len);
    assert_memory_equal(plain, data, len);
}

/* ---- Agreements ---- */

static void extension_is_agreed_on_as_offered(void **state)
{
    static const struct {
        const char *offer, *answer;
        bool keeps;
    } cases[] = {
        {"", "", false},
        {"permessage-deflate",
         "permessage-deflate; server_no_context_takeover; "
         "client_no_context_takeover; server_max_window_bits=12",
         false},
        {"permessage-deflate; client_max_window_bits",
         "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
         "server_max_window_bits=12; client_max_window_bits=12",
         false},
        {"permessage-deflate; client_max_window_bits",
         "permessage-deflate; server_max_window_bits=12; client_max_window_bits=12", true},
        {"permessage-deflate; server_max_window_bits=10; client_max_window_bits=9; "
         "server_no_context_takeover",
         "permessage-deflate; server_no_context_takeover; server_max_window_bits=10; "
         "client_max_window_bits=9",
         true},
        {"permessage-deflate; unknown, x-webkit-deflate-frame", "", true},
        {"permessage-deflate; server_max_window_bits=7", "", true},
    };
    serving server;
    test_client client;
    char offer[300];
    (void)state;

    start(&server);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        options.keeps_window = cases[i].keeps;
        snprintf(offer, sizeof offer, "%s%s%s", *cases[i].offer ? "Sec-WebSocket-Extensions: " : "",
                 cases[i].offer, *cases[i].offer ? "\r\n" : "");
        assert_string_equal(shake_hands(&client, &server, offer), cases[i].answer);
        client_close(&client);
        assert_int_equal(next_note(), LARIO_ECLOSED);
    }
    serving_stop(&server);
}

static void extension_is_not_offered_unless_asked_for(void **state)
{
    serving server;
    test_client client;
    (void)state;

    options.compresses = false;
    start(&server);
    assert_string_equal(
        shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n"), "");
    send_frame(&client, FIN | RSV1 | TEXT, "x", 1);
    client_ws_expect_close(&client, 1002);
    client_close(&client);
    serving_stop(&server);
}

/* ---- Messages ---- */

static void echo_sizes(const serving *server, const char *offer, int client_bits, int server_bits,
                       bool resets)
{
    static const size_t sizes[] = {1, 2, 125, 126, 1000, 65535, 65536, 300000};
    static char data[300000];
    test_client client;

    for (uint32_t i = 0, x = 1; i < sizeof data; i++)
        data[i] = (char)('a' + ((x = x * 1664525 + 1013904223) >> 28));
    (void)shake_hands(&client, server, offer);
    open_coders(client_bits, server_bits);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        size_t len = sizes[i / 2];

        if (resets) {
            deflateReset(&packer);
            inflateReset(&unpacker);
        }
        send_packed(&client, i % 2 ? TEXT : BINARY, data, len);
        expect_packed(&client, i % 2 ? TEXT : BINARY, data, len);
    }
    close_coders();
    client_close(&client);
}

static void messages_of_all_sizes_come_back(void **state)
{
    serving server;
    (void)state;

    start(&server);
    echo_sizes(&server, "Sec-WebSocket-Extensions: permessage-deflate\r\n", 15, 12, true);
    echo_sizes(&server,
               "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=9; "
               "client_max_window_bits=9\r\n",
               9, 9, true);
    options.keeps_window = true;
    options.window_bits = 15;
    echo_sizes(&server, "Sec-WebSocket-Extensions: permessage-deflate\r\n", 15, 15, false);
    serving_stop(&server);
}

/* zlib cannot compress with a window of 256 bytes: such messages go as they are. */
static void window_of_8_bits_is_respected(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server);
    const char *answer =
        shake_hands(&client, &server,
                    "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=8\r\n");

    assert_non_null(strstr(answer, "server_max_window_bits=8"));
    open_coders(15, 15);
    send_packed(&client, TEXT, "hello hello hello", 17);
    client_ws_expect(&client, "hello hello hello");
    close_coders();
    client_close(&client);
    serving_stop(&server);
}

static void window_is_kept_from_message_to_message(void **state)
{
    static char data[500];
    serving server;
    test_client client;
    const char *got;
    size_t first_len, second_len;
    (void)state;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)('!' + (i * 7919 + i / 3) % 90);
    options.keeps_window = true;
    start(&server);
    (void)shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    open_coders(15, 15);
    send_packed(&client, TEXT, data, sizeof data);
    assert_int_equal(client_ws_next(&client, &got, &first_len), RSV1 | TEXT);
    assert_int_equal(unpack(got, first_len), sizeof data);
    send_packed(&client, TEXT, data, sizeof data);
    assert_int_equal(client_ws_next(&client, &got, &second_len), RSV1 | TEXT);
    assert_int_equal(unpack(got, second_len), sizeof data);
    assert_memory_equal(plain, data, sizeof data);
    assert_true(second_len < first_len / 4);
    close_coders();
    client_close(&client);
    serving_stop(&server);
}

static void short_messages_are_sent_as_they_are(void **state)
{
    serving server;
    test_client client;
    char text[65];
    (void)state;

    options.compress_bytes_min = 0; /* 64 */
    memset(text, 'x', sizeof text);
    start(&server);
    (void)shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    open_coders(15, 12);
    text[63] = '\0';
    send_packed(&client, TEXT, text, 63);
    client_ws_expect(&client, text);
    text[63] = 'x';
    deflateReset(&packer);
    send_packed(&client, TEXT, text, 64);
    expect_packed(&client, TEXT, text, 64);
    close_coders();
    client_close(&client);
    serving_stop(&server);
}

static void compressed_fragments_with_a_ping_between(void **state)
{
    static const char text[] = "a message that comes in several frames, several frames";
    serving server;
    test_client client;
    const char *got;
    size_t len, packed_len;
    (void)state;

    start(&server);
    (void)shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    open_coders(15, 12);
    packed_len = pack(text, sizeof text - 1);
    send_frame(&client, RSV1 | TEXT, packed, 3);
    send_frame(&client, FIN | PING, "?", 1);
    send_frame(&client, CONTINUATION, packed + 3, 0);
    send_frame(&client, FIN | CONTINUATION, packed + 3, packed_len - 3);
    assert_int_equal(client_ws_next(&client, &got, &len), 10);
    expect_packed(&client, TEXT, text, sizeof text - 1);
    /* A message without RSV1 is as it says. */
    send_frame(&client, FIN | TEXT, "plain", 5);
    inflateReset(&unpacker);
    expect_packed(&client, TEXT, "plain", 5);
    close_coders();
    client_close(&client);
    serving_stop(&server);
}

static void empty_and_final_blocks_are_read(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *text;
    } cases[] = {
        {"\x00", 1, ""},                                               /* RFC 7692 7.2.3.6 */
        {"\xf2\x48\xcd\xc9\xc9\x07\x00", 7, "Hello"},                  /* 7.2.3.1 */
        {"\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", 11, "Hello"}, /* 7.2.3.3 */
        {"\xf3\x48\xcd\xc9\xc9\x07\x00\x00", 8, "Hello"},              /* 7.2.3.4 */
        {"\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00", 13, "Hello"}, /* 7.2.3.5 */
    };
    serving server;
    test_client client;
    (void)state;

    options.compress_bytes_min = 1000;
    start(&server);
    (void)shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        send_frame(&client, FIN | RSV1 | TEXT, cases[i].bytes, cases[i].len);
        client_ws_expect(&client, cases[i].text);
    }
    client_close(&client);
    serving_stop(&server);
}

/* ---- Faults ---- */

static void expect_failure(const serving *server, unsigned first, const void *data, size_t len,
                           unsigned code)
{
    test_client client;

    (void)shake_hands(&client, server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    send_frame(&client, first, data, len);
    client_ws_expect_close(&client, code);
    client_close(&client);
}

static void reserved_bits_stay_reserved(void **state)
{
    static const unsigned firsts[] = {FIN | RSV1 | PING, FIN | RSV1 | 8,
                                      FIN | RSV1 | 10,   FIN | 0x20 | TEXT,
                                      FIN | 0x10 | TEXT, FIN | RSV1 | 0x20 | TEXT};
    serving server;
    test_client client;
    (void)state;

    start(&server);
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
        expect_failure(&server, firsts[i], "", 0, 1002);
    (void)shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    send_frame(&client, RSV1 | TEXT, "\xf2", 1);
    send_frame(&client, FIN | RSV1 | CONTINUATION, "\x48", 1);
    client_ws_expect_close(&client, 1002);
    client_close(&client);
    serving_stop(&server);
}

static void what_cannot_be_inflated_is_1007(void **state)
{
    serving server;
    (void)state;

    start(&server);
    expect_failure(&server, FIN | RSV1 | BINARY, "\xff\xff\xff\xff", 4, 1007);
    expect_failure(&server, FIN | RSV1 | TEXT, "\x07", 1, 1007);
    open_coders(15, 15);
    size_t len = pack("bad \xc3 text", 10);

    expect_failure(&server, FIN | RSV1 | TEXT, packed, len, 1007);
    close_coders();
    serving_stop(&server);
}

static void inflated_message_has_the_limits(void **state)
{
    static char zeros[300000];
    serving server;
    test_client client;
    (void)state;

    options.message_bytes_max = 200000;
    serving_init(&server);
    lario_get(server.app, "/", echo);
    server.limits.inflate_ratio_max = 2000;
    serving_start(&server);
    (void)shake_hands(&client, &server, "Sec-WebSocket-Extensions: permessage-deflate\r\n");
    open_coders(15, 12);
    send_packed(&client, BINARY, zeros, 200000);
    expect_packed(&client, BINARY, zeros, 200000);
    deflateReset(&packer);
    send_packed(&client, BINARY, zeros, 200001);
    client_ws_expect_close(&client, 1009);
    client_close(&client);
    serving_stop(&server);
    start(&server); /* the ratio is 100 */
    deflateReset(&packer);
    size_t len = pack(zeros, sizeof zeros);

    expect_failure(&server, FIN | RSV1 | BINARY, packed, len, 1009);
    close_coders();
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(extension_is_agreed_on_as_offered, reset_options),
        cmocka_unit_test_setup(extension_is_not_offered_unless_asked_for, reset_options),
        cmocka_unit_test_setup(messages_of_all_sizes_come_back, reset_options),
        cmocka_unit_test_setup(window_of_8_bits_is_respected, reset_options),
        cmocka_unit_test_setup(window_is_kept_from_message_to_message, reset_options),
        cmocka_unit_test_setup(short_messages_are_sent_as_they_are, reset_options),
        cmocka_unit_test_setup(compressed_fragments_with_a_ping_between, reset_options),
        cmocka_unit_test_setup(empty_and_final_blocks_are_read, reset_options),
        cmocka_unit_test_setup(reserved_bits_stay_reserved, reset_options),
        cmocka_unit_test_setup(what_cannot_be_inflated_is_1007, reset_options),
        cmocka_unit_test_setup(inflated_message_has_the_limits, reset_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
