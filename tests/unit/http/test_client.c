/* SPDX-License-Identifier: BSD-3-Clause */
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
#include "lario/proxy.h"
#include "serving.h"

/* Who the client is: by the fields of trusted proxies, and never by those of others. */

static int say_client(lario_req *req)
{
    return lario_replyf(req, 200, NULL, "%s %s", lario_client(req), lario_scheme(req));
}

static void start(serving *server, const char *const *trusted, enum lario_forwarded fields)
{
    serving_init(server);
    lario_get(server->app, "/", say_client);
    for (; *trusted; trusted++)
        lario_app_trust_proxy(server->app, *trusted);
    lario_app_forwarded(server->app, fields);
    serving_start(server);
}

static void check(serving *server, const char *fields, const char *expected)
{
    char request[1024];
    test_answer got = {0};
    test_client client;

    snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: test\r\n%s\r\n", fields);
    client_open(&client, server->address);
    client_puts(&client, request);
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, expected);
    answer_done(&got);
    client_close(&client);
}

static const char *const nobody[] = {NULL};
static const char *const elsewhere[] = {"10.0.0.0/8", "::1", "unix:", NULL};
static const char *const local_and_net[] = {"127.0.0.1", "10.0.0.0/8", "2001:db8::/32", NULL};

static void fields_of_others_are_not_believed(void **state)
{
    static const char fields[] = "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\n"
                                 "Forwarded: for=6.6.6.6;proto=https\r\n";
    serving server;
    (void)state;

    start(&server, nobody, LARIO_FORWARDED_X);
    check(&server, fields, "127.0.0.1 http");
    serving_stop(&server);
    start(&server, elsewhere, LARIO_FORWARDED_X);
    check(&server, fields, "127.0.0.1 http");
    serving_stop(&server);
    start(&server, elsewhere, LARIO_FORWARDED_RFC7239);
    check(&server, fields, "127.0.0.1 http");
    serving_stop(&server);
}

static void x_forwarded_for_gives_the_last_address_that_is_not_trusted(void **state)
{
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_X);
    check(&server, "", "127.0.0.1 http");
    check(&server, "X-Forwarded-For: 203.0.113.7\r\n", "203.0.113.7 http");
    check(&server, "X-Forwarded-For: 6.6.6.6, 203.0.113.7\r\n", "203.0.113.7 http");
    check(&server, "X-Forwarded-For: 6.6.6.6, 203.0.113.7, 10.1.1.1, 2001:db8::5\r\n",
          "203.0.113.7 http");
    check(&server, "X-Forwarded-For: 10.0.0.2, 10.0.0.1\r\n", "10.0.0.2 http");
    check(&server, "x-forwarded-FOR: [2001:db9::1]:4000\r\n", "2001:db9::1 http");
    serving_stop(&server);
}

static void lines_are_one_list(void **state)
{
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_X);
    check(&server,
          "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 203.0.113.7\r\nAccept: */*\r\n"
          "X-Forwarded-For: 10.1.1.1\r\nX-Forwarded-For: \r\n",
          "203.0.113.7 http");
    serving_stop(&server);
}

static void nothing_is_believed_behind_a_malformed_element(void **state)
{
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_X);
    check(&server, "X-Forwarded-For: 203.0.113.7, nonsense\r\n", "127.0.0.1 http");
    check(&server, "X-Forwarded-For: 203.0.113.7, nonsense, 10.0.0.1\r\n", "10.0.0.1 http");
    check(&server, "X-Forwarded-For: 203.0.113.7, unknown\r\n", "127.0.0.1 http");
    check(&server, "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 1.2.3.4.5\r\n",
          "127.0.0.1 http");
    serving_stop(&server);
}

static void list_is_followed_for_32_elements(void **state)
{
    char fields[1024] = "X-Forwarded-For: 203.0.113.7";
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_X);
    for (int i = 1; i < 32; i++)
        strcat(fields, ",10.0.0.1");
    char *end = fields + strlen(fields);

    strcpy(end, "\r\n");
    check(&server, fields, "203.0.113.7 http");
    strcpy(end, ",10.0.0.1\r\n");
    check(&server, fields, "10.0.0.1 http");
    serving_stop(&server);
}

static void x_forwarded_proto_of_a_trusted_peer_is_the_scheme(void **state)
{
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_X);
    check(&server, "X-Forwarded-Proto: https\r\n", "127.0.0.1 https");
    check(&server, "X-Forwarded-Proto: HTTPS\r\nX-Forwarded-For: 203.0.113.7\r\n",
          "203.0.113.7 https");
    check(&server, "X-Forwarded-Proto: https, http\r\n", "127.0.0.1 http");
    check(&server, "X-Forwarded-Proto: https\r\nX-Forwarded-Proto: http\r\n", "127.0.0.1 http");
    check(&server, "X-Forwarded-Proto: nonsense\r\n", "127.0.0.1 http");
    check(&server, "X-Forwarded-Proto: \r\n", "127.0.0.1 http");
    serving_stop(&server);
}

static void forwarded_tells_address_and_scheme_together(void **state)
{
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_RFC7239);
    check(&server, "", "127.0.0.1 http");
    check(&server, "Forwarded: for=203.0.113.7;proto=https, for=10.0.0.1;proto=http\r\n",
          "203.0.113.7 https");
    check(&server, "Forwarded: for=6.6.6.6;proto=https, for=203.0.113.7\r\n", "203.0.113.7 http");
    check(&server, "Forwarded: for=\"[2001:db9::1]:80\"\r\nForwarded: for=10.0.0.1\r\n",
          "2001:db9::1 http");
    check(&server, "Forwarded: for=_hidden;proto=https\r\n", "127.0.0.1 https");
    check(&server, "Forwarded: for=6.6.6.6, for=_hidden;proto=https, for=10.0.0.1\r\n",
          "10.0.0.1 https");
    check(&server, "Forwarded: for=6.6.6.6;proto=https, for=\"1.2\r\n", "127.0.0.1 http");
    check(&server, "Forwarded: for=\"6.6.6.6;proto=https, for=203.0.113.7\r\n", "203.0.113.7 http");
    serving_stop(&server);
}

/* A proxy passes on the field that it does not write. */
static void only_the_chosen_fields_are_read(void **state)
{
    serving server;
    (void)state;

    start(&server, local_and_net, LARIO_FORWARDED_X);
    check(&server, "Forwarded: for=6.6.6.6;proto=https\r\n", "127.0.0.1 http");
    serving_stop(&server);
    start(&server, local_and_net, LARIO_FORWARDED_RFC7239);
    check(&server, "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\n", "127.0.0.1 http");
    serving_stop(&server);
}

static void unix_peers_are_trusted_by_name(void **state)
{
    static const char *const by_unix[] = {"unix:", NULL};
    char path[64];
    serving server;
    (void)state;

    snprintf(path, sizeof path, "unix:/tmp/lario-client-%d.sock", (int)getpid());
    for (int is_trusted = 0; is_trusted < 2; is_trusted++) {
        serving_init(&server);
        lario_get(server.app, "/", say_client);
        lario_app_listen(server.app, path);
        if (is_trusted)
            lario_app_trust_proxy(server.app, by_unix[0]);
        serving_start(&server);
        serving by_path = {.address = path};

        check(&by_path, "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\n",
              is_trusted ? "203.0.113.7 https" : "unix http");
        /* The trust in unix sockets is none in addresses. */
        check(&server, "X-Forwarded-For: 203.0.113.7\r\n", "127.0.0.1 http");
        serving_stop(&server);
    }
}

/* A load balancer with PROXY headers before a proxy that speaks HTTP. */
static void fields_are_those_of_the_peer_that_a_proxy_header_tells(void **state)
{
    static const char from_proxy[] = "PROXY TCP4 10.0.0.9 198.51.100.1 1 2\r\n";
    static const char from_client[] = "PROXY TCP4 203.0.113.9 198.51.100.1 1 2\r\n";
    static const char get[] =
        "GET / HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n";
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", say_client);
    lario_app_proxy_protocol(server.app, LARIO_PROXY_REQUIRED);
    lario_app_trust_proxy(server.app, "127.0.0.1");
    lario_app_trust_proxy(server.app, "10.0.0.0/8");
    serving_start(&server);
    for (int i = 0; i < 2; i++) {
        client_open(&client, server.address);
        client_puts(&client, i ? from_client : from_proxy);
        client_puts(&client, get);
        client_answer(&client, &got, false);
        assert_string_equal(got.body, i ? "203.0.113.9 http" : "203.0.113.7 http");
        client_close(&client);
    }
    answer_done(&got);
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_others_are_not_believed),
        cmocka_unit_test(x_forwarded_for_gives_the_last_address_that_is_not_trusted),
        cmocka_unit_test(lines_are_one_list),
        cmocka_unit_test(nothing_is_believed_behind_a_malformed_element),
        cmocka_unit_test(list_is_followed_for_32_elements),
        cmocka_unit_test(x_forwarded_proto_of_a_trusted_peer_is_the_scheme),
        cmocka_unit_test(forwarded_tells_address_and_scheme_together),
        cmocka_unit_test(only_the_chosen_fields_are_read),
        cmocka_unit_test(unix_peers_are_trusted_by_name),
        cmocka_unit_test(fields_are_those_of_the_peer_that_a_proxy_header_tells),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
