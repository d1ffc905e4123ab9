/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "serving.h"

/* Server-Sent Events. */

#define HOST "Host: test\r\n"
#define TEXT_BYTES 20000

static char content[TEXT_BYTES + 1];

static int make_content(void **state)
{
    (void)state;
    memset(content, 'e', TEXT_BYTES);
    return 0;
}

static int sends_events(lario_req *req)
{
    int rc = lario_events_start(req);

    if (rc == 0)
        rc = lario_event_send(req, &(lario_event){.data = "one\ntwo\r\nthree\rfour"});
    if (rc == 0)
        rc = lario_event_send(req, &(lario_event){"", "named", "7", 1500});
    if (rc == 0)
        rc = lario_event_send(req, &(lario_event){.id = lario_events_last_id(req)});
    if (rc == 0)
        rc = lario_event_comment(req, "here");
    if (rc == 0)
        rc = lario_event_send(req, &(lario_event){.data = content});
    note(lario_event_send(req, &(lario_event){.name = "a\nb"}));
    note(lario_event_send(req, &(lario_event){.id = "a\rb"}));
    note(lario_event_send(req, &(lario_event){.retry_ms = -1}));
    note(lario_event_comment(req, "a\n\ndata: b"));
    return rc;
}

static void events_have_their_form(void **state)
{
    static const char text[] = "data: one\ndata: two\ndata: three\ndata: four\n\n"
                               "event: named\nid: 7\nretry: 1500\ndata: \n\n"
                               "id: 5\n\n"
                               ":here\n\n"
                               "data: ";
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", sends_events);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "GET / HTTP/1.1\r\n" HOST "Last-Event-ID: 5\r\n\r\n");
    client_answer(&client, &got, false);
    assert_non_null(strstr(got.head, "Content-Type: text/event-stream\r\n"));
    assert_non_null(strstr(got.head, "Cache-Control: no-cache\r\n"));
    assert_memory_equal(got.body, text, sizeof text - 1);
    assert_int_equal(got.body_len, sizeof text - 1 + TEXT_BYTES + 2);
    for (int i = 0; i < 4; i++)
        assert_int_equal(next_note(), LARIO_EINVAL);
    answer_done(&got);
    client_close(&client);
    serving_stop(&server);
}

static int waits_for_events(lario_req *req)
{
    lario_msg msg;
    int rc = lario_events_start(req);

    while (rc >= 0) {
        rc = lario_receive(&msg, 10);
        if (rc == LARIO_ETIMEDOUT)
            rc = lario_event_comment(req, "");
    }
    note(rc);
    return rc;
}

static void handler_of_events_learns_that_the_client_left(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", waits_for_events);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_true(client_fill(&client, 100));
    client_close(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    serving_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_have_their_form),
        cmocka_unit_test(handler_of_events_learns_that_the_client_left),
    };

    return cmocka_run_group_tests(tests, make_content, NULL);
}
