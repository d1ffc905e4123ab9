/* SPDX-License-Identifier: BSD-3-Clause */
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
#include "serving.h"

/*
 * What handlers may do and what becomes of it. The handler of a test is one function, at "/"; it
 * reports by what it answers, or by note().
 */

#define HOST "Host: test\r\n"
#define GET "GET / HTTP/1.1\r\n" HOST "\r\n"

static void start(serving *server, test_client *client, lario_handler handler)
{
    serving_init(server);
    lario_any(server->app, "/", handler);
    serving_start(server);
    client_open(client, server->address);
}

static void stop(serving *server, test_client *client)
{
    client_close(client);
    serving_stop(server);
}

/* The body of the answer to `request`, on its own server. */
static void check_body(lario_handler handler, const char *request, const char *body)
{
    serving server;
    test_client client;
    test_answer got = {0};

    start(&server, &client, handler);
    client_puts(&client, request);
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, body);
    answer_done(&got);
    stop(&server, &client);
}

/* ---- Failures ---- */

static int fails_as_asked(lario_req *req)
{
    return atoi(lario_query(req, "rc"));
}

static void failure_before_the_answer_gives_the_fitting_status(void **state)
{
    static const struct {
        int rc, status;
    } cases[] = {
        {-EIO, 500},
        {LARIO_ENOTFOUND, 500},
        {0, 500},
        {7, 500},
        {LARIO_ETOOBIG, 413},
        {LARIO_EINVAL, 400},
        {LARIO_EPROTO, 400},
        {LARIO_ETIMEDOUT, 408},
    };
    serving server;
    test_client client;
    char text[128];
    (void)state;

    start(&server, &client, fails_as_asked);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "GET /?rc=%d HTTP/1.1\r\n" HOST "\r\n", cases[i].rc);
        client_puts(&client, text);
        assert_int_equal(client_status(&client), cases[i].status);
        assert_int_equal(logged("handler_failed"), (int)i + 1);
        if (cases[i].status == 500)
            continue; /* the framing is not in doubt: the connection goes on */
        assert_int_equal(client_read_end(&client), 0);
        client_close(&client);
        client_open(&client, server.address);
    }
    stop(&server, &client);
}

static int fails_after_the_head(lario_req *req)
{
    int rc = lario_query(req, "sized") ? lario_reply_start_sized(req, 200, NULL, 10)
                                       : lario_reply_start(req, 200, NULL);

    if (rc == 0)
        rc = lario_reply_puts(req, "part");
    if (rc == 0 && lario_query(req, "flushed"))
        rc = lario_sleep(20);
    return rc < 0 ? rc : -EIO;
}

/* The client sees that the answer is not whole, also where only the end of the stream tells it. */
static void failure_after_the_head_cuts_the_connection(void **state)
{
    static const char *const targets[] = {"/ HTTP/1.1",         "/?flushed HTTP/1.1",
                                          "/?sized HTTP/1.1",   "/?sized&flushed HTTP/1.1",
                                          "/?flushed HTTP/1.0", "/ HTTP/1.0"};
    serving server;
    test_client client;
    char text[128];
    (void)state;

    start(&server, &client, fails_after_the_head);
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        client_close(&client);
        client_open(&client, server.address);
        snprintf(text, sizeof text, "GET %s\r\n" HOST "\r\n", targets[i]);
        client_puts(&client, text);
        int end = client_read_end(&client);

        assert_true(end == -ECONNRESET || strstr(targets[i], "1.1"));
        assert_null(client.have ? memmem(client.bytes, client.have, "\r\n0\r\n", 5) : NULL);
        assert_null(client.have ? memmem(client.bytes, client.have, " 500 ", 5) : NULL);
    }
    stop(&server, &client);
}

/* ---- Answers ---- */

static int answers_twice(lario_req *req)
{
    int rc = lario_reply(req, 200, NULL, "once");

    note(rc);
    note(lario_reply(req, 200, NULL, "twice"));
    note(lario_reply_start(req, 200, NULL));
    note(lario_reply_puts(req, "more"));
    note(lario_add_header(req, "X-Late", "1"));
    note(lario_reply_end(req));
    return 0;
}

static void answering_twice_is_a_wrong_state(void **state)
{
    (void)state;
    check_body(answers_twice, GET, "once");
    assert_int_equal(next_note(), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(next_note(), LARIO_ESTATE);
    assert_int_equal(next_note(), 0);
}

static int bad_statuses(lario_req *req)
{
    note(lario_reply(req, 199, NULL, ""));
    note(lario_reply(req, 600, NULL, ""));
    note(lario_reply_start(req, 101, NULL));
    return lario_reply(req, 200, NULL, "fine");
}

static void status_outside_200_to_599_is_refused(void **state)
{
    (void)state;
    check_body(bad_statuses, GET, "fine");
    for (int i = 0; i < 3; i++)
        assert_int_equal(next_note(), LARIO_EINVAL);
}

static int sized_as_asked(lario_req *req)
{
    int rc = lario_reply_start_sized(req, 200, NULL, 4);

    if (rc < 0)
        return rc;
    if (lario_query(req, "long")) {
        note(lario_reply_puts(req, "12345"));
        return lario_reply_puts(req, "1234");
    }
    if (lario_query(req, "short"))
        return lario_reply_puts(req, "123");
    rc = lario_reply_puts(req, "12");
    return rc < 0 ? rc : lario_reply_puts(req, "34");
}

static void sized_answer_takes_exactly_its_size(void **state)
{
    serving server;
    test_client client;
    (void)state;

    check_body(sized_as_asked, GET, "1234");
    check_body(sized_as_asked, "GET /?long HTTP/1.1\r\n" HOST "\r\n", "1234");
    assert_int_equal(next_note(), LARIO_EINVAL);
    start(&server, &client, sized_as_asked);
    client_puts(&client, "GET /?short HTTP/1.1\r\n" HOST "\r\n" GET);
    (void)client_read_end(&client);
    /* Not a byte of the next answer completes the one that is short. */
    assert_null(client.have ? memmem(client.bytes, client.have, "1231", 4) : NULL);
    assert_null(client.have ? memmem(client.bytes, client.have, "1234", 4) : NULL);
    stop(&server, &client);
}

static int bad_fields(lario_req *req)
{
    static const char *const names[] = {"",
                                        "a b",
                                        "a:",
                                        "a\r\nb",
                                        "Content-Length",
                                        "dAtE",
                                        "Date",
                                        "upgrade",
                                        "Transfer-Encoding",
                                        "CONNECTION"};
    static const char *const values[] = {"a\r\nX: y", "a\rb", "a\nb", "\x01", "\x7f"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        note(lario_add_header(req, names[i], "x"));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        note(lario_add_header(req, "X", values[i]));
        note(lario_reply(req, 200, values[i], ""));
    }
    int rc = lario_add_header(req, "X-Good", "a\tb; \"c\" \xc3\xa4");

    return rc < 0 ? rc : lario_reply(req, 200, "text/plain", "clean");
}

static void fields_that_would_part_an_answer_are_refused(void **state)
{
    (void)state;
    check_body(bad_fields, GET, "clean");
    for (int i = 0; i < 20; i++)
        assert_int_equal(next_note(), LARIO_EHEADER);
}

static int many_fields(lario_req *req)
{
    static char value[16385];
    int count = 0;

    memset(value, 'v', sizeof value - 1);
    note(lario_add_header(req, "X-Big", value));
    while (lario_add_header(req, "X-Many", "v") == 0)
        count++;
    note(count);
    note(lario_add_header(req, "X-Many", "v"));
    return lario_reply(req, 200, NULL, "many");
}

static void added_fields_are_limited(void **state)
{
    (void)state;
    check_body(many_fields, GET, "many");
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    assert_int_equal(next_note(), 64);
    assert_int_equal(next_note(), LARIO_ETOOBIG);
}

static int big_format(lario_req *req)
{
    note(lario_replyf(req, 200, NULL, "%*s", (1 << 20) + 1, "x"));
    note(lario_replyf(req, 200, NULL, "%*s", 5 << 20, "x")); /* more than the arena can hold */
    return lario_replyf(req, 200, NULL, "%s %d", "small", 5);
}

static void formatted_body_is_limited(void **state)
{
    (void)state;
    check_body(big_format, GET, "small 5");
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    assert_int_equal(next_note(), LARIO_ETOOBIG);
}

static char big_bytes[5u << 20];

static int one_big_answer(lario_req *req)
{
    return lario_reply_bytes(req, 200, NULL, big_bytes, sizeof big_bytes);
}

static void big_answer_reaches_a_slow_reader_intact(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    for (size_t i = 0; i < sizeof big_bytes; i++)
        big_bytes[i] = (char)(i * 2654435761u >> 13);
    serving_init(&server);
    lario_get(server.app, "/", one_big_answer);
    serving_start(&server);
    client_open_narrow(&client, server.address, 16384);
    client_puts(&client, GET GET);
    for (int i = 0; i < 2; i++) {
        client_answer(&client, &got, false);
        assert_int_equal(got.body_len, sizeof big_bytes);
        assert_memory_equal(got.body, big_bytes, sizeof big_bytes);
    }
    answer_done(&got);
    stop(&server, &client);
}

/* ---- Bodies ---- */

static int body_twice(lario_req *req)
{
    const char *first, *second;
    size_t len;
    char byte;
    int rc = lario_body(req, &first, NULL);

    if (rc == 0)
        rc = lario_body(req, &second, &len);
    if (rc < 0)
        return rc;
    note(first == second);
    note((int)strlen(first));
    note(lario_body_read(req, &byte, 1));
    return lario_reply_bytes(req, 200, NULL, second, len);
}

static void body_is_the_same_the_second_time(void **state)
{
    (void)state;
    check_body(body_twice, "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello", "hello");
    assert_int_equal(next_note(), 1);
    assert_int_equal(next_note(), 5);
    assert_int_equal(next_note(), LARIO_ESTATE);
    check_body(body_twice, GET, "");
}

static int read_then_whole(lario_req *req)
{
    const char *body;
    char byte;

    note(lario_body_read(req, &byte, 1));
    note(lario_body(req, &body, NULL));
    note(lario_body_read(req, &byte, 0));
    return lario_reply(req, 200, NULL, "mixed");
}

static void reading_in_parts_and_whole_do_not_mix(void **state)
{
    (void)state;
    check_body(read_then_whole, "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello",
               "mixed");
    assert_int_equal(next_note(), 1);
    assert_int_equal(next_note(), LARIO_ESTATE);
    assert_int_equal(next_note(), LARIO_EINVAL);
}

/* Reads by a buffer of ?size= bytes and answers what it read. */
static int read_in_parts(lario_req *req)
{
    char body[256], buffer[7];
    size_t size = (size_t)atoi(lario_query(req, "size")), total = 0;
    int rc;

    while ((rc = lario_body_read(req, buffer, size)) > 0) {
        if ((size_t)rc > size || total + (size_t)rc > sizeof body)
            return -EIO;
        memcpy(body + total, buffer, (size_t)rc);
        total += (size_t)rc;
    }
    return rc < 0 ? rc : lario_reply_bytes(req, 200, NULL, body, total);
}

static void chunks_cut_anywhere_read_the_same(void **state)
{
    static const int sizes[] = {1, 3, 7};
    static const char body[] =
        "5;a=b\r\nhello\r\n1\r\n \r\n10\r\nworld, in chunks\r\n0\r\nT: 1\r\n\r\n";
    serving server;
    test_client client;
    test_answer got = {0};
    char head[256];
    (void)state;

    start(&server, &client, read_in_parts);
    for (size_t i = 0; i < 3; i++)
        for (size_t cut = 0; cut < sizeof body; cut++) {
            snprintf(head, sizeof head,
                     "POST /?size=%d HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n%.*s",
                     sizes[i], (int)cut, body);
            client_puts(&client, head);
            /* The first part has been read when the answer to the second part is awaited. */
            if (cut < sizeof body - 1 && cut % 4 == 0)
                assert_false(client_has_input(&client, 1));
            client_send(&client, body + cut, sizeof body - 1 - cut);
            client_answer(&client, &got, false);
            assert_string_equal(got.body, "hello world, in chunks");
        }
    answer_done(&got);
    stop(&server, &client);
}

static int notes_body(lario_req *req)
{
    const char *body;
    int rc = lario_body(req, &body, NULL);

    note(rc);
    return rc < 0 ? rc : lario_reply(req, 200, NULL, body);
}

static void body_that_ends_early_is_told(void **state)
{
    static const char *const requests[] = {
        "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhell",
        "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n",
        "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    };
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, notes_body);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        client_close(&client);
        client_open(&client, server.address);
        client_puts(&client, requests[i]);
        client_half_close(&client);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        client_close(&client);
        client_open(&client, server.address);
        client_puts(&client, requests[i]);
        assert_false(note_comes(20));
        client_reset(&client);
        assert_int_equal(next_note(), LARIO_ECLOSED);
        client_open(&client, server.address);
    }
    stop(&server, &client);
}

static void bad_chunk_is_told_and_400(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, notes_body);
    client_puts(&client, "POST / HTTP/1.1\r\n" HOST
                         "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxx\r\n");
    assert_int_equal(next_note(), LARIO_EPROTO);
    client_expect_last(&client, 400);
    stop(&server, &client);
}

/* ---- Others ---- */

static lario_pid waiting;

static int waits_for_message(lario_req *req)
{
    lario_msg msg;

    waiting = lario_self();
    note(0);
    int rc = lario_receive(&msg, 10000);

    return rc < 0 ? rc : lario_reply_bytes(req, 200, NULL, msg.data, msg.len);
}

static void others_send_to_the_process_of_a_request(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    (void)state;

    start(&server, &client, waits_for_message);
    client_puts(&client, GET);
    assert_int_equal(next_note(), 0);
    assert_int_equal(
        lario_runtime_send(lario_app_runtime(server.app), waiting, LARIO_USER, "hi", 2), 0);
    client_answer(&client, &got, false);
    assert_string_equal(got.body, "hi");
    answer_done(&got);
    stop(&server, &client);
}

static int addresses(lario_req *req)
{
    return lario_replyf(req, 200, NULL, "%s %s %d", lario_peer(req), lario_local(req),
                        lario_peer(req) == lario_peer(req));
}

static void request_knows_both_addresses(void **state)
{
    serving server;
    test_client client;
    test_answer got = {0};
    char peer[64], local[64], path[64], unix_address[80];
    int same;
    (void)state;

    snprintf(path, sizeof path, "/tmp/lario-test-%d.sock", (int)getpid());
    snprintf(unix_address, sizeof unix_address, "unix:%s", path);
    serving_init(&server);
    lario_get(server.app, "/", addresses);
    lario_app_listen(server.app, unix_address);
    serving_start(&server);
    client_open(&client, lario_app_address(server.app, 0));
    client_puts(&client, GET);
    client_answer(&client, &got, false);
    assert_int_equal(sscanf(got.body, "%63s %63s %d", peer, local, &same), 3);
    assert_memory_equal(peer, "127.0.0.1:", 10);
    assert_string_equal(local, lario_app_address(server.app, 0));
    assert_int_equal(same, 1);
    client_close(&client);
    client_open(&client, unix_address);
    client_puts(&client, GET);
    client_answer(&client, &got, false);
    assert_memory_equal(got.body, "unix unix:", 10);
    answer_done(&got);
    stop(&server, &client);
    assert_int_equal(access(path, F_OK), -1);
}

static int list_fields(lario_req *req)
{
    const char *name, *value;
    const char *text = "";

    for (size_t i = 0; lario_header_at(req, i, &name, &value) == 0; i++)
        text = lario_format(req, "%s[%s=%s]", text, name, value);
    note(lario_header_at(req, 1000, &name, &value));
    return lario_replyf(req, 200, NULL, "%s %s %d", text, lario_header(req, "ACCEPT"),
                        lario_header(req, "none") == NULL);
}

static void fields_come_in_their_order_and_by_any_case(void **state)
{
    (void)state;
    check_body(list_fields, "GET / HTTP/1.1\r\n" HOST "accept: a\r\nB:\r\nAccept: second\r\n\r\n",
               "[Host=test][accept=a][B=][Accept=second] a 1");
    assert_int_equal(next_note(), LARIO_ENOTFOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failure_before_the_answer_gives_the_fitting_status),
        cmocka_unit_test(failure_after_the_head_cuts_the_connection),
        cmocka_unit_test(answering_twice_is_a_wrong_state),
        cmocka_unit_test(status_outside_200_to_599_is_refused),
        cmocka_unit_test(sized_answer_takes_exactly_its_size),
        cmocka_unit_test(fields_that_would_part_an_answer_are_refused),
        cmocka_unit_test(added_fields_are_limited),
        cmocka_unit_test(formatted_body_is_limited),
        cmocka_unit_test(big_answer_reaches_a_slow_reader_intact),
        cmocka_unit_test(body_is_the_same_the_second_time),
        cmocka_unit_test(reading_in_parts_and_whole_do_not_mix),
        cmocka_unit_test(chunks_cut_anywhere_read_the_same),
        cmocka_unit_test(body_that_ends_early_is_told),
        cmocka_unit_test(bad_chunk_is_told_and_400),
        cmocka_unit_test(others_send_to_the_process_of_a_request),
        cmocka_unit_test(request_knows_both_addresses),
        cmocka_unit_test(fields_come_in_their_order_and_by_any_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
