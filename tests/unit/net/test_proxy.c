/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/proxy.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "in_runtime.h"
#include "serving.h"

/* Servers behind a load balancer that sends PROXY headers. */

#define GET "GET / HTTP/1.1\r\nHost: test\r\n\r\n"
#define V1 "PROXY TCP4 192.0.2.7 198.51.100.1 40000 443\r\n"
#define V1_ENDS "192.0.2.7:40000 198.51.100.1:443 192.0.2.7 http"
#define SIGNATURE "\r\n\r\n\0\r\nQUIT\n"

static int say_ends(lario_req *req)
{
    return lario_replyf(req, 200, NULL, "%s %s %s %s", lario_peer(req), lario_local(req),
                        lario_client(req), lario_scheme(req));
}

static void init(serving *server)
{
    serving_init(server);
    lario_get(server->app, "/", say_ends);
    lario_app_proxy_protocol(server->app, LARIO_PROXY_REQUIRED);
}

static void expect_body(test_client *client, const char *body)
{
    test_answer got = {0};

    client_answer(client, &got, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, body);
    answer_done(&got);
}

/* The connection's own addresses, which a header without addresses leaves. */
static void expect_own(test_client *client)
{
    test_answer got = {0};

    client_answer(client, &got, false);
    assert_int_equal(got.status, 200);
    assert_memory_equal(got.body, "127.0.0.1:", 10);
    assert_non_null(strstr(got.body, " 127.0.0.1 http"));
    answer_done(&got);
}

/* Closed without a word, whether in order or by a reset. */
static void expect_closed(test_client *client)
{
    (void)client_read_end(client);
    assert_int_equal(client->have, 0);
}

static void header_tells_the_addresses(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, V1 GET);
    expect_body(&client, V1_ENDS);
    /* For all requests of the connection. */
    client_puts(&client, GET GET);
    expect_body(&client, V1_ENDS);
    expect_body(&client, V1_ENDS);
    client_close(&client);
    serving_stop(&server);
}

static void header_and_request_may_come_in_any_pieces(void **state)
{
    static const char text[] = V1 GET;
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    for (size_t split = 1; split < sizeof text - 1; split++) {
        client_open(&client, server.address);
        client_send(&client, text, split);
        if (split % 8 == 0)
            assert_false(client_has_input(&client, 2));
        client_send(&client, text + split, sizeof text - 1 - split);
        expect_body(&client, V1_ENDS);
        client_close(&client);
    }
    serving_stop(&server);
}

static void version_2_tells_the_addresses_and_tls(void **state)
{
    static const char v6[] = SIGNATURE "\x21\x21\0\x24"
                                       "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
                                       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\x9c\x40\x01\xbb" GET;
    static const char tls[] =
        SIGNATURE "\x21\x11\0\x14\xc0\0\x02\x07\xc6\x33\x64\x01\x9c\x40\x01\xbb"
                  "\x20\0\x05\x01\0\0\0\0" GET;
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&client, server.address);
    client_send(&client, v6, sizeof v6 - 1);
    expect_body(&client, "[2001:db8::1]:40000 [::1]:443 2001:db8::1 http");
    client_close(&client);
    client_open(&client, server.address);
    client_send(&client, tls, sizeof tls - 1);
    expect_body(&client, "192.0.2.7:40000 198.51.100.1:443 192.0.2.7 https");
    client_close(&client);
    serving_stop(&server);
}

static void version_2_tells_unix_paths(void **state)
{
    char header[16 + 216] = SIGNATURE "\x21\x31\0\xd8/run/a";
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&client, server.address);
    client_send(&client, header, sizeof header);
    client_puts(&client, GET);
    expect_body(&client, "unix:/run/a unix unix http");
    client_close(&client);
    serving_stop(&server);
}

static void header_without_addresses_leaves_the_own(void **state)
{
    static const char local[] = SIGNATURE "\x20\0\0\0" GET;
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&client, server.address);
    client_send(&client, local, sizeof local - 1);
    expect_own(&client);
    client_close(&client);
    client_open(&client, server.address);
    client_puts(&client, "PROXY UNKNOWN\r\n" GET);
    expect_own(&client);
    client_close(&client);
    serving_stop(&server);
}

static void connection_without_a_header_is_closed(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    for (int i = 0; i < 3; i++) {
        client_open(&client, server.address);
        client_puts(&client, GET);
        expect_closed(&client);
        client_close(&client);
    }
    /* Once for a row of them. */
    assert_int_equal(logged("proxy_header_bad"), 1);
    client_open(&client, server.address);
    client_puts(&client, V1 GET);
    expect_body(&client, V1_ENDS);
    client_close(&client);
    client_open(&client, server.address);
    client_puts(&client, "PROXY TCP4 1.1.1.1 2.2.2.2 01 2\r\n" GET);
    expect_closed(&client);
    client_close(&client);
    assert_int_equal(logged("proxy_header_bad"), 2);
    serving_stop(&server);
}

static void client_that_leaves_before_its_header_is_forgotten(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&client, server.address);
    client_close(&client);
    client_open(&client, server.address);
    client_puts(&client, "PROXY ");
    client_reset(&client);
    client_open(&client, server.address);
    client_puts(&client, "PROXY ");
    client_half_close(&client);
    expect_closed(&client);
    client_close(&client);
    serving_stop(&server);
}

/* Trickling does not help: the time counts from the accept. */
static void header_over_its_deadline_closes(void **state)
{
    static const char text[] =
        "PROXY UNKNOWN and so on, and on, and on, and on, and on, and on, on";
    serving server;
    test_client client;
    uint64_t started = now_ms();
    (void)state;

    init(&server);
    server.limits.proxy_header_ms = 300;
    serving_start(&server);
    client_open(&client, server.address);
    for (size_t i = 0; i < sizeof text - 1 && !client_has_input(&client, 20); i++)
        client_send(&client, text + i, 1);
    expect_closed(&client);
    assert_in_range(now_ms() - started, 290, 5000);
    client_close(&client);
    serving_stop(&server);
}

static void header_within_its_deadline_is_taken(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    server.limits.proxy_header_ms = 3000;
    /* Nor does it shorten what comes after it. */
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "PROXY TCP4");
    assert_false(client_has_input(&client, 200));
    client_puts(&client, V1 + strlen("PROXY TCP4"));
    assert_false(client_has_input(&client, 200));
    client_puts(&client, GET);
    expect_body(&client, V1_ENDS);
    client_close(&client);
    serving_stop(&server);
}

static void header_from_elsewhere_than_a_trusted_proxy_is_refused(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    lario_app_trust_proxy(server.app, "192.0.2.0/24");
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, V1 GET);
    expect_closed(&client);
    client_close(&client);
    assert_int_equal(logged("proxy_header_bad"), 1);
    serving_stop(&server);
    init(&server);
    lario_app_trust_proxy(server.app, "127.0.0.0/8");
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, V1 GET);
    expect_body(&client, V1_ENDS);
    client_close(&client);
    serving_stop(&server);
}

/* Whoever waits for its header is one of the connections. */
static void waiting_connections_count(void **state)
{
    serving server;
    test_client first, second;
    (void)state;

    init(&server);
    server.limits.connections_a_loop_max = 1;
    serving_start(&server);
    client_open(&first, server.address);
    client_puts(&first, "PROXY ");
    client_open(&second, server.address);
    client_expect_last(&second, 503);
    client_close(&second);
    client_puts(&first, V1 + 6);
    client_puts(&first, GET);
    expect_body(&first, V1_ENDS);
    client_close(&first);
    serving_stop(&server);
}

/* By the address that the header tells; one that leaves makes room. */
static void connections_of_a_peer_are_limited(void **state)
{
    serving server;
    test_client clients[2], third, other;
    (void)state;

    init(&server);
    server.limits.connections_a_peer_max = 2;
    serving_start(&server);
    for (int i = 0; i < 2; i++) {
        client_open(&clients[i], server.address);
        client_puts(&clients[i], V1 GET);
        expect_body(&clients[i], V1_ENDS);
    }
    client_open(&third, server.address);
    client_puts(&third, V1 GET);
    client_expect_last(&third, 503);
    client_close(&third);
    assert_int_equal(logged("peer_connections_limit"), 1);
    client_open(&other, server.address);
    client_puts(&other, "PROXY TCP4 192.0.2.8 198.51.100.1 40000 443\r\n" GET);
    expect_body(&other, "192.0.2.8:40000 198.51.100.1:443 192.0.2.8 http");
    client_close(&other);
    client_puts(&clients[0], "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
    expect_body(&clients[0], V1_ENDS);
    assert_int_equal(client_read_end(&clients[0]), 0);
    client_close(&clients[0]);
    assert_false(client_has_input(&clients[1], 100));
    client_open(&third, server.address);
    client_puts(&third, V1 GET);
    expect_body(&third, V1_ENDS);
    client_close(&third);
    client_close(&clients[1]);
    serving_stop(&server);
}

/* The limit is the server's: it does not matter which loop takes a connection. */
static void connections_of_a_peer_are_limited_over_all_loops(void **state)
{
    enum { CONNS = 24, MAX = 5 };
    serving server;
    test_client clients[CONNS];
    int served = 0;
    (void)state;

    init(&server);
    lario_app_loops(server.app, 4);
    server.limits.connections_a_peer_max = MAX;
    serving_start(&server);
    for (int i = 0; i < CONNS; i++) {
        client_open(&clients[i], server.address);
        client_puts(&clients[i], V1 GET);
        int status = client_status(&clients[i]);

        assert_true(status == 200 || status == 503);
        served += status == 200;
    }
    assert_int_equal(served, MAX);
    assert_int_equal(logged("peer_connections_limit"), 1);
    for (int i = 0; i < CONNS; i++)
        client_close(&clients[i]);
    serving_stop(&server);
}

static void drain_closes_those_that_wait_without_a_word(void **state)
{
    serving server;
    test_client silent, served;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&served, server.address);
    client_puts(&served, V1 GET);
    expect_body(&served, V1_ENDS);
    client_open(&silent, server.address);
    serving_stop(&server);
    expect_closed(&silent);
    assert_int_equal(client_read_end(&served), 0);
    client_close(&silent);
    client_close(&served);
}

/* A header and a request that were sent before the stop are answered, however they meet. */
static void drain_answers_what_was_sent(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        serving server;
        test_client client;

        init(&server);
        serving_start(&server);
        client_open(&client, server.address);
        if (i % 2)
            assert_false(client_has_input(&client, 2));
        client_puts(&client, V1 GET);
        serving_stop(&server);
        expect_body(&client, V1_ENDS);
        assert_int_equal(client_read_end(&client), 0);
        client_close(&client);
    }
}

static void stop_at_once_ends_those_that_wait(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "PROXY ");
    assert_false(client_has_input(&client, 20));
    serving_end(&server);
    expect_closed(&client);
    client_close(&client);
}

static int echo_peer(lario_tcp *tcp)
{
    char line[128];
    int rc = lario_tcp_puts(tcp, lario_tcp_peer(tcp));

    if (rc == 0)
        rc = lario_tcp_read_line(tcp, line, sizeof line, 5000);
    return rc < 0 ? rc : lario_tcp_puts(tcp, line);
}

static void raw_tcp_has_the_headers_peer_and_the_rest_as_input(void **state)
{
    serving server;
    test_client client;
    (void)state;

    init(&server);
    lario_app_tcp(server.app, echo_peer);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, V1 "+hello\n");
    assert_int_equal(client_read_end(&client), 0);
    assert_int_equal(client.have, strlen("192.0.2.7:40000+hello"));
    assert_memory_equal(client.bytes, "192.0.2.7:40000+hello", client.have);
    client_close(&client);
    serving_stop(&server);
}

#define LONG_GET "GET /?0123456789012345678901234567890123456789 HTTP/1.1\r\nHost: t\r\n\r\n"

/* The mode, the limits and the data are those of the server that was reached. */
static void servers_of_one_program_have_their_own_modes(void **state)
{
    serving server;
    test_client client;
    lario_app *other = lario_app_new();
    lario_limits limits;
    (void)state;

    init(&server);
    assert_non_null(other);
    lario_limits_init(&limits);
    limits.request_line_bytes_max = 40;
    lario_app_limits(other, &limits);
    lario_app_listen(other, "127.0.0.1:0");
    lario_get(other, "/", say_ends);
    lario_app_add(server.app, other);
    serving_start(&server);
    const char *plain = lario_app_address(server.app, 1);

    client_open(&client, plain);
    client_puts(&client, GET);
    expect_own(&client);
    client_close(&client);
    client_open(&client, plain);
    client_puts(&client, V1 GET);
    client_expect_last(&client, 400);
    client_close(&client);
    client_open(&client, plain);
    client_puts(&client, LONG_GET);
    client_expect_last(&client, 414);
    client_close(&client);
    client_open(&client, server.address);
    client_puts(&client, V1 LONG_GET);
    expect_body(&client, V1_ENDS);
    client_close(&client);
    serving_stop(&server);
}

static void header_is_none_unless_asked_for(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", say_ends);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, V1 GET);
    client_expect_last(&client, 400);
    client_close(&client);
    serving_stop(&server);
}

static void wrong_set_up_fails_the_start(void **state)
{
    static const char *const bad[] = {"", "name", "10.0.0.1/8", "10.0.0.0/33", "unix:/x"};
    serving server;
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        serving_init(&server);
        lario_app_trust_proxy(server.app, bad[i]);
        assert_int_equal(lario_app_start(server.app), LARIO_EADDR);
        lario_app_free(server.app);
    }
    serving_init(&server);
    for (int i = 0; i < 65; i++)
        lario_app_trust_proxy(server.app, "10.0.0.0/8");
    assert_int_equal(lario_app_start(server.app), LARIO_EFULL);
    lario_app_free(server.app);
    serving_init(&server);
    lario_app_proxy_protocol(server.app, (enum lario_proxy_protocol)7);
    assert_int_equal(lario_app_start(server.app), LARIO_EINVAL);
    lario_app_free(server.app);
    serving_init(&server);
    lario_app_forwarded(server.app, (enum lario_forwarded)7);
    assert_int_equal(lario_app_start(server.app), LARIO_EINVAL);
    lario_app_free(server.app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_tells_the_addresses),
        cmocka_unit_test(header_and_request_may_come_in_any_pieces),
        cmocka_unit_test(version_2_tells_the_addresses_and_tls),
        cmocka_unit_test(version_2_tells_unix_paths),
        cmocka_unit_test(header_without_addresses_leaves_the_own),
        cmocka_unit_test(connection_without_a_header_is_closed),
        cmocka_unit_test(client_that_leaves_before_its_header_is_forgotten),
        cmocka_unit_test(header_over_its_deadline_closes),
        cmocka_unit_test(header_within_its_deadline_is_taken),
        cmocka_unit_test(header_from_elsewhere_than_a_trusted_proxy_is_refused),
        cmocka_unit_test(waiting_connections_count),
        cmocka_unit_test(connections_of_a_peer_are_limited),
        cmocka_unit_test(connections_of_a_peer_are_limited_over_all_loops),
        cmocka_unit_test(drain_closes_those_that_wait_without_a_word),
        cmocka_unit_test(drain_answers_what_was_sent),
        cmocka_unit_test(stop_at_once_ends_those_that_wait),
        cmocka_unit_test(raw_tcp_has_the_headers_peer_and_the_rest_as_input),
        cmocka_unit_test(servers_of_one_program_have_their_own_modes),
        cmocka_unit_test(header_is_none_unless_asked_for),
        cmocka_unit_test(wrong_set_up_fails_the_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
