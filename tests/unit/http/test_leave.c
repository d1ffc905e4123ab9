/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "client.h"
#include "in_runtime.h"
#include "serving.h"

/*
 * How the calls of a handler tell that its client has left. A client leaves in one of three ways:
 *
 *     it half-closes      ends its direction and still reads: it wants its answer
 *     it closes           looks the same, until something is sent to it, which it answers by a
 * reset it resets           or its machine says that it is gone
 *
 * A row of docs/http.md for each call says what these tests hold it to.
 */

#define HOST "Host: test\r\n"

/* Long enough to tell what comes at once from what comes with the limit. */
#define HALF_CLOSE_MS 1000
#define AT_ONCE_MS 700

enum leaving { HALF_CLOSES, CLOSES, RESETS };

/* ---- Handlers: each notes that it begins, and what its call returns when it fails ---- */

static int by_receive(lario_req *req)
{
    lario_msg msg;
    (void)req;

    return lario_receive(&msg, -1);
}

static int by_receive_kind(lario_req *req)
{
    lario_msg msg;
    (void)req;

    return lario_receive_kind(LARIO_USER, &msg, -1);
}

static int by_sleep(lario_req *req)
{
    (void)req;
    return lario_sleep(60000);
}

static int by_yield(lario_req *req)
{
    (void)req;
    return lario_yield();
}

static int never_answers(void *arg)
{
    lario_msg msg;
    int rc;
    (void)arg;

    do
        rc = lario_receive(&msg, -1);
    while (rc > 0);
    return rc;
}

static lario_pid silent;

static int by_call(lario_req *req)
{
    lario_msg reply;
    (void)req;

    return lario_call(silent, LARIO_USER, NULL, 0, &reply, -1);
}

static int nap(void *arg)
{
    (void)arg;
    usleep(20000);
    return 7;
}

/* What has begun is waited for, so that it is the next call that tells. */
static int by_offload(lario_req *req)
{
    int rc = lario_offload(nap, NULL);
    (void)req;

    return rc == 7 || rc == LARIO_ECANCELED ? rc : LARIO_EINVAL;
}

static int by_body(lario_req *req)
{
    const char *body;

    return lario_body(req, &body, NULL);
}

static int by_body_read(lario_req *req)
{
    char buffer[16];

    return lario_body_read(req, buffer, sizeof buffer);
}

static int by_part(lario_req *req)
{
    lario_part part;

    return lario_part_next(req, &part);
}

static int by_event(lario_req *req)
{
    static const lario_event event = {.data = "news"};

    lario_sleep(5);
    return lario_event_send(req, &event);
}

/* Now and then, as a source of events does; it is the write that tells. */
static int by_write(lario_req *req)
{
    static const char part[1000];

    lario_sleep(5);
    return lario_reply_write(req, part, sizeof part);
}

/* Without parking in between: the room that is left is all it asks for. */
static int by_full_write(lario_req *req)
{
    static const char part[50000];

    return lario_reply_write(req, part, sizeof part);
}

static int (*call)(lario_req *req);

static int handle(lario_req *req)
{
    int rc = 0;

    if (call == by_write || call == by_full_write)
        rc = lario_reply_start(req, 200, NULL);
    else if (call == by_event)
        rc = lario_events_start(req);

    note(0);
    while (rc >= 0)
        rc = call(req);
    note(rc);
    return rc;
}

/* ---- Clients ---- */

static void leave(test_client *client, enum leaving how)
{
    if (how == HALF_CLOSES)
        client_half_close(client);
    else if (how == CLOSES)
        client_close(client);
    else
        client_reset(client);
}

/*
 * The handler's call fails with `rc`: at once, or as late as half_close_ms says. What follows a
 * failure is the process' end, whatever it was.
 */
static void expect_notice(int (*next_call)(lario_req *req), enum leaving how, int rc, bool at_once)
{
    serving server;
    test_client client;

    call = next_call;
    serving_init(&server);
    server.limits.half_close_ms = HALF_CLOSE_MS;
    lario_any(server.app, "/", handle);
    serving_start(&server);
    assert_int_equal(
        lario_runtime_spawn(lario_app_runtime(server.app), never_answers, NULL, NULL, &silent), 0);
    client_open(&client, server.address);
    if (call == by_body || call == by_body_read)
        client_puts(&client, "POST / HTTP/1.1\r\n" HOST "Content-Length: 1000\r\n\r\nsome");
    else if (call == by_part)
        client_puts(&client, "POST / HTTP/1.1\r\n" HOST "Content-Length: 1000\r\n"
                             "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
                             "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nsome");
    else
        client_puts(&client, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(next_note(), 0);
    uint64_t started = now_ms();

    leave(&client, how);
    assert_int_equal(next_note(), rc);
    if (at_once)
        assert_in_range(now_ms() - started, 0, AT_ONCE_MS);
    else
        assert_in_range(now_ms() - started, HALF_CLOSE_MS - 50, 8 * HALF_CLOSE_MS);
    if (how == HALF_CLOSES)
        client_close(&client);
    serving_end(&server);
}

static void receive_is_told_at_once(void **state)
{
    (void)state;
    expect_notice(by_receive, HALF_CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_receive, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_receive, RESETS, LARIO_ECANCELED, true);
    expect_notice(by_receive_kind, HALF_CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_receive_kind, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_receive_kind, RESETS, LARIO_ECANCELED, true);
}

static void sleep_is_ended_by_a_reset_or_the_limit(void **state)
{
    (void)state;
    expect_notice(by_sleep, HALF_CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_sleep, CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_sleep, RESETS, LARIO_ECANCELED, true);
}

static void yield_is_ended_by_a_reset_or_the_limit(void **state)
{
    (void)state;
    expect_notice(by_yield, HALF_CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_yield, CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_yield, RESETS, LARIO_ECANCELED, true);
}

static void call_is_ended_by_a_reset_or_the_limit(void **state)
{
    (void)state;
    expect_notice(by_call, HALF_CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_call, CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_call, RESETS, LARIO_ECANCELED, true);
}

static void offload_is_waited_for_and_then_ended(void **state)
{
    (void)state;
    expect_notice(by_offload, HALF_CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_offload, CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_offload, RESETS, LARIO_ECANCELED, true);
}

static void reading_a_body_is_told_at_once(void **state)
{
    (void)state;
    expect_notice(by_body, HALF_CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_body, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_body, RESETS, LARIO_ECLOSED, true);
    expect_notice(by_body_read, HALF_CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_body_read, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_body_read, RESETS, LARIO_ECLOSED, true);
}

static void reading_parts_is_told_at_once(void **state)
{
    (void)state;
    expect_notice(by_part, HALF_CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_part, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_part, RESETS, LARIO_ECLOSED, true);
}

static void writing_is_told_when_the_client_takes_no_more(void **state)
{
    (void)state;
    expect_notice(by_write, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_write, RESETS, LARIO_ECLOSED, true);
    expect_notice(by_write, HALF_CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_full_write, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_full_write, RESETS, LARIO_ECLOSED, true);
    expect_notice(by_full_write, HALF_CLOSES, LARIO_ECANCELED, false);
    expect_notice(by_event, CLOSES, LARIO_ECLOSED, true);
    expect_notice(by_event, RESETS, LARIO_ECLOSED, true);
    expect_notice(by_event, HALF_CLOSES, LARIO_ECANCELED, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_is_told_at_once),
        cmocka_unit_test(sleep_is_ended_by_a_reset_or_the_limit),
        cmocka_unit_test(yield_is_ended_by_a_reset_or_the_limit),
        cmocka_unit_test(call_is_ended_by_a_reset_or_the_limit),
        cmocka_unit_test(offload_is_waited_for_and_then_ended),
        cmocka_unit_test(reading_a_body_is_told_at_once),
        cmocka_unit_test(reading_parts_is_told_at_once),
        cmocka_unit_test(writing_is_told_when_the_client_takes_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
