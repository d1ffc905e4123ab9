/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client.h"
#include "lario/lario.h"
#include "serving.h"

/* A server that ends lets its requests end, those that wait for messages too. */

static int sends_later(void *arg)
{
    int rc = lario_sleep(200);

    return rc < 0 ? rc : lario_send(*(lario_pid *)arg, LARIO_USER, "late", 4);
}

static int waits_for_a_message(lario_req *req)
{
    lario_pid self = lario_self();
    lario_msg msg;
    int rc = lario_query(req, "child") ? lario_spawn(sends_later, &self, NULL) : 0;

    note(1);
    if (rc >= 0)
        rc = lario_receive(&msg, -1);
    note(rc);
    return rc < 0 ? rc : lario_reply_bytes(req, 200, NULL, msg.data, msg.len);
}

static void drain_lets_a_request_receive_what_it_waits_for(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_any(server.app, "/", waits_for_a_message);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "GET /?child HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_int_equal(next_note(), 1);
    serving_stop(&server);
    assert_int_equal(next_note(), LARIO_USER);
    client_expect_last(&client, 200);
    client_close(&client);
}

static void drain_ends_a_wait_for_messages_after_its_limit(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    server.limits.drain_wait_ms = 100;
    lario_any(server.app, "/", waits_for_a_message);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "GET / HTTP/1.1\r\nHost: test\r\n\r\n");
    assert_int_equal(next_note(), 1);
    serving_stop(&server);
    assert_int_equal(next_note(), LARIO_EDRAINING);
    client_expect_last(&client, 503);
    client_close(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drain_lets_a_request_receive_what_it_waits_for),
        cmocka_unit_test(drain_ends_a_wait_for_messages_after_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
