/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/tcp.h"

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

/* Raw TCP: each test has a handler of its own, which reports by note() and what it writes. */

static void start(serving *server, test_client *client, lario_tcp_handler handler)
{
    serving_init(server);
    lario_app_tcp(server->app, handler);
    server->limits.tcp_line_bytes_max = 20;
    server->limits.output_bytes_max = 50000;
    server->limits.write_stall_ms = 400;
    serving_start(server);
    client_open(client, server->address);
}

static void stop(serving *server, test_client *client)
{
    client_close(client);
    serving_stop(server);
}

static void expect_text(test_client *client, const char *text)
{
    assert_true(client_fill(client, strlen(text)));
    assert_memory_equal(client->bytes, text, strlen(text));
    client_take(client, strlen(text));
}

static int echo_bytes(lario_tcp *tcp)
{
    char buffer[3];
    int rc;

    while ((rc = lario_tcp_read(tcp, buffer, sizeof buffer, -1)) > 0) {
        rc = lario_tcp_write(tcp, buffer, (size_t)rc);
        if (rc < 0)
            break;
    }
    note(rc);
    return rc;
}

static void read_gives_what_is_there(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, echo_bytes);
    client_puts(&client, "hello, world");
    expect_text(&client, "hello, world");
    client_puts(&client, "last words");
    client_half_close(&client);
    expect_text(&client, "last words");
    assert_int_equal(client_read_end(&client), 0);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    stop(&server, &client);
}

static void reset_is_the_end_to_a_reader(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, echo_bytes);
    client_puts(&client, "x");
    expect_text(&client, "x");
    client_reset(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    serving_stop(&server);
}

static int read_in_time(lario_tcp *tcp)
{
    char buffer[8];
    int rc = lario_tcp_read(tcp, buffer, 0, -1);

    note(rc);
    rc = lario_tcp_read(tcp, buffer, sizeof buffer, 50);
    note(rc);
    rc = lario_tcp_puts(tcp, "go");
    /* A look costs no wait and still sees what comes, also what one read left. */
    for (int read = 0; rc >= 0 && read < 4;) {
        rc = lario_tcp_read(tcp, buffer, 1, 0);
        if (rc == 1)
            read++;
        if (rc >= 0 || rc == LARIO_ETIMEDOUT)
            rc = lario_sleep(1);
    }
    note(rc);
    return rc;
}

static void read_has_a_deadline(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, read_in_time);
    assert_int_equal(next_note(), LARIO_EINVAL);
    assert_int_equal(next_note(), LARIO_ETIMEDOUT);
    expect_text(&client, "go");
    client_puts(&client, "ab");
    (void)client_has_input(&client, 30);
    client_puts(&client, "cd");
    assert_int_equal(next_note(), 0);
    stop(&server, &client);
}

static int read_lines(lario_tcp *tcp)
{
    char line[40];
    int rc;

    while ((rc = lario_tcp_read_line(tcp, line, sizeof line, 5000)) >= 0) {
        char text[64];

        if ((size_t)rc != strlen(line))
            return -EIO;
        snprintf(text, sizeof text, "<%s>", line);
        rc = lario_tcp_puts(tcp, text);
        if (rc < 0)
            return rc;
    }
    note(rc);
    return rc;
}

static void lines_are_cut_at_lf_and_crlf(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, read_lines);
    client_puts(&client, "one\r\n\ntwo\nth");
    expect_text(&client, "<one><><two>");
    client_puts(&client, "ree\r\r\n12345678901234567890\nrest");
    expect_text(&client, "<three\r><12345678901234567890>");
    client_half_close(&client);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    stop(&server, &client);
}

static void line_over_its_limit_is_too_big(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, read_lines);
    client_puts(&client, "123456789012345678901\n");
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    client_close(&client);
    client_open(&client, server.address);
    client_puts(&client, "1234567890123456789012345");
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    stop(&server, &client);
}

static int read_short_lines(lario_tcp *tcp)
{
    char line[4];

    for (int i = 0; i < 3; i++)
        note(lario_tcp_read_line(tcp, line, sizeof line, 100));
    return 0;
}

static void line_over_the_buffer_is_too_big_and_late_is_timed_out(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, read_short_lines);
    client_puts(&client, "abc\r\nab");
    assert_int_equal(next_note(), 3);
    assert_int_equal(next_note(), LARIO_ETIMEDOUT);
    client_puts(&client, "cd\n");
    assert_int_equal(next_note(), LARIO_ETOOBIG);
    stop(&server, &client);
}

static lario_pid connection;

static int receives(lario_tcp *tcp)
{
    lario_msg msg;
    int rc;

    connection = lario_self();
    note(0);
    while ((rc = lario_receive(&msg, -1)) > 0) {
        rc = lario_tcp_puts(tcp, rc == LARIO_TCP_DATA ? "data:" : "message:");
        if (rc == 0)
            rc = lario_tcp_write(tcp, msg.data, msg.len);
        if (rc < 0)
            break;
    }
    note(rc);
    return rc;
}

static void data_arrives_beside_the_mailbox(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, receives);
    assert_int_equal(next_note(), 0);
    client_puts(&client, "abc");
    expect_text(&client, "data:abc");
    assert_int_equal(
        lario_runtime_send(lario_app_runtime(server.app), connection, LARIO_USER, "hi", 2), 0);
    expect_text(&client, "message:hi");
    client_puts(&client, "def");
    client_half_close(&client);
    expect_text(&client, "data:def");
    assert_int_equal(next_note(), LARIO_ECLOSED);
    assert_int_equal(client_read_end(&client), 0);
    stop(&server, &client);
}

static int pours(lario_tcp *tcp)
{
    static const char part[10000];
    size_t *written = lario_tcp_data(tcp);
    int rc;

    while ((rc = lario_tcp_write(tcp, part, sizeof part)) == 0)
        __atomic_fetch_add(written, sizeof part, __ATOMIC_SEQ_CST);
    note(rc);
    return rc;
}

static void writer_parks_and_its_stall_is_told(void **state)
{
    size_t written = 0, before;
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_app_tcp(server.app, pours);
    lario_app_set_data(server.app, &written);
    server.limits.output_bytes_max = 50000;
    server.limits.write_stall_ms = 600;
    serving_start(&server);
    client_open_narrow(&client, server.address, 8192);
    do
        before = __atomic_load_n(&written, __ATOMIC_SEQ_CST);
    while (before == 0 ||
           (!note_comes(100) && __atomic_load_n(&written, __ATOMIC_SEQ_CST) != before));
    assert_true(client_fill(&client, before));
    assert_int_equal(next_note(), LARIO_ETIMEDOUT);
    assert_true(__atomic_load_n(&written, __ATOMIC_SEQ_CST) < 32u << 20);
    assert_int_equal(client_read_end(&client), -ECONNRESET);
    stop(&server, &client);
}

static int waits_by_reading(lario_tcp *tcp)
{
    char byte;
    int rc = lario_tcp_puts(tcp, "hi");

    if (rc == 0)
        rc = lario_tcp_read(tcp, &byte, 1, -1);
    note(rc);
    return lario_tcp_puts(tcp, "bye");
}

static void drain_ends_a_read_and_flushes_last_words(void **state)
{
    serving server;
    test_client client;
    (void)state;

    start(&server, &client, waits_by_reading);
    expect_text(&client, "hi");
    assert_int_equal(lario_app_stop(server.app, CLIENT_PATIENCE_MS), 0);
    assert_int_equal(next_note(), LARIO_ECLOSED);
    expect_text(&client, "bye");
    assert_int_equal(client_read_end(&client), 0);
    client_close(&client);
    lario_app_free(server.app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_gives_what_is_there),
        cmocka_unit_test(reset_is_the_end_to_a_reader),
        cmocka_unit_test(read_has_a_deadline),
        cmocka_unit_test(lines_are_cut_at_lf_and_crlf),
        cmocka_unit_test(line_over_its_limit_is_too_big),
        cmocka_unit_test(line_over_the_buffer_is_too_big_and_late_is_timed_out),
        cmocka_unit_test(data_arrives_beside_the_mailbox),
        cmocka_unit_test(writer_parks_and_its_stall_is_told),
        cmocka_unit_test(drain_ends_a_read_and_flushes_last_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
