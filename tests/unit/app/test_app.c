/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/app.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
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

/* The life of an app: set-up, start, stop, and what goes wrong in between. */

#define REQUEST "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

static int say_data(lario_req *req)
{
    const char *text = lario_data(req);

    return lario_reply(req, 200, NULL, text ? text : "nothing");
}

static int sleeps(lario_req *req)
{
    note(0);
    int rc = lario_sleep(60000);

    note(rc);
    return rc < 0 ? rc : lario_reply(req, 200, NULL, "slept");
}

static void check_answers(const char *address, const char *body)
{
    test_client client;
    test_answer got = {0};

    client_open(&client, address);
    client_puts(&client, REQUEST);
    client_answer(&client, &got, false);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.body, body);
    answer_done(&got);
    client_close(&client);
}

static lario_app *new_app(const char *address)
{
    lario_app *app = lario_app_new();

    assert_non_null(app);
    lario_app_listen(app, address);
    lario_app_loops(app, 2);
    lario_app_log(app, NULL, NULL);
    lario_get(app, "/", say_data);
    return app;
}

static void check_start_fails(lario_app *app, int rc, const char *part_of_text)
{
    assert_int_equal(lario_app_start(app), rc);
    if (!strstr(lario_app_error(app), part_of_text))
        fail_msg("'%s' does not have '%s'", lario_app_error(app), part_of_text);
    lario_app_free(app);
}

static void starting_twice_is_a_wrong_state(void **state)
{
    serving server;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", say_data);
    serving_start(&server);
    assert_int_equal(lario_app_start(server.app), LARIO_ESTATE);
    assert_true(strlen(lario_app_error(server.app)) > 0);
    check_answers(server.address, "nothing");
    serving_stop(&server);
}

/* One life is all that an app has. */
static void restart_is_a_wrong_state(void **state)
{
    lario_app *app = new_app("127.0.0.1:0");
    (void)state;

    assert_int_equal(lario_app_stop(app, 0), LARIO_ESTATE);
    assert_int_equal(lario_app_start(app), 0);
    assert_int_equal(lario_app_stop(app, 1000), 0);
    assert_int_equal(lario_app_stop(app, 1000), LARIO_ESTATE);
    check_start_fails(app, LARIO_ESTATE, "once");
}

static void bad_route_fails_the_start_and_is_named(void **state)
{
    lario_app *app = new_app("127.0.0.1:0");
    (void)state;

    lario_get(app, "no-slash", say_data);
    check_start_fails(app, LARIO_EROUTE, "no-slash");
    app = new_app("127.0.0.1:0");
    lario_get(app, "/", say_data);
    check_start_fails(app, LARIO_EROUTE, "/");
}

static void bad_address_fails_the_start_and_is_named(void **state)
{
    static const char *const bad[] = {
        "nonsense",     "127.0.0.1", "127.0.0.1:65536", "unix:",      "[::1",        "1.2.3:80",
        "localhost:80", "",          "127.0.0.1:80x",   "127.0.0.1:", "127.0.0.1:-1"};
    (void)state;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        check_start_fails(new_app(bad[i]), LARIO_EADDR, bad[i]);
}

static void port_in_use_fails_the_start(void **state)
{
    lario_app *first = new_app("127.0.0.1:0");
    (void)state;

    assert_int_equal(lario_app_start(first), 0);
    check_start_fails(new_app(lario_app_address(first, 0)), -EADDRINUSE,
                      lario_app_address(first, 0));
    check_answers(lario_app_address(first, 0), "nothing");
    assert_int_equal(lario_app_stop(first, 1000), 0);
    lario_app_free(first);
}

/* Also of a program that would share it. */
static void port_in_use_by_one_that_shares_fails_the_start(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    char text[32];
    (void)state;

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fd, 10), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    snprintf(text, sizeof text, "127.0.0.1:%u", ntohs(address.sin_port));
    check_start_fails(new_app(text), -EADDRINUSE, text);
    close(fd);
}

static void failed_start_leaves_no_listener(void **state)
{
    lario_app *first = new_app("127.0.0.1:0"), *second = new_app("127.0.0.1:0");
    char path[64];
    (void)state;

    snprintf(path, sizeof path, "unix:/tmp/lario-app-%d.sock", (int)getpid());
    assert_int_equal(lario_app_start(first), 0);
    lario_app_listen(second, path);
    lario_app_listen(second, lario_app_address(first, 0));
    check_start_fails(second, -EADDRINUSE, lario_app_address(first, 0));
    assert_int_equal(access(path + 5, F_OK), -1);
    assert_int_equal(lario_app_stop(first, 1000), 0);
    lario_app_free(first);
}

static void added_apps_share_the_loops_and_keep_their_own_things(void **state)
{
    lario_app *app = new_app("127.0.0.1:0"), *other = new_app("127.0.0.1:0");
    lario_app *third = new_app("127.0.0.1:0");
    (void)state;

    lario_app_listen(app, "127.0.0.1:0");
    lario_app_set_data(app, (void *)"first");
    lario_app_set_data(other, (void *)"other");
    lario_app_set_data(third, (void *)"third");
    lario_app_add(app, other);
    lario_app_add(app, third);
    assert_int_equal(lario_app_start(other), LARIO_ESTATE);
    assert_int_equal(lario_app_start(app), 0);
    const char *addresses[4];

    for (unsigned i = 0; i < 4; i++)
        addresses[i] = lario_app_address(app, i);
    assert_null(lario_app_address(app, 4));
    check_answers(addresses[0], "first");
    check_answers(addresses[1], "first");
    check_answers(addresses[2], "other");
    check_answers(addresses[3], "third");
    assert_string_not_equal(addresses[0], addresses[1]);
    assert_int_equal(lario_app_stop(app, 1000), 0);
    lario_app_free(app);
}

static void failure_of_an_added_app_fails_the_start(void **state)
{
    lario_app *app = new_app("127.0.0.1:0"), *other = new_app("127.0.0.1:0");
    (void)state;

    lario_get(other, "bad", say_data);
    lario_app_add(app, other);
    check_start_fails(app, LARIO_EROUTE, "bad");
    app = new_app("127.0.0.1:0");
    lario_app_add(app, app);
    check_start_fails(app, LARIO_ESTATE, "once");
}

static void stop_kills_a_handler_that_does_not_end(void **state)
{
    serving server;
    test_client client;
    uint64_t started;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", sleeps);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, REQUEST);
    assert_int_equal(next_note(), 0);
    started = now_ms();
    assert_int_equal(lario_app_stop(server.app, 100), LARIO_ETIMEDOUT);
    assert_in_range(now_ms() - started, 90, 1900);
    assert_int_equal(next_note(), LARIO_ECANCELED);
    lario_app_free(server.app);
    client_close(&client);
}

static atomic_bool may_give_way;

static int holds_its_loop_when_killed(lario_req *req)
{
    note(0);
    int rc = lario_sleep(60000);

    note(rc);
    while (!atomic_load(&may_give_way))
        usleep(1000);
    note(lario_data(req) ? 2 : 1);
    return rc;
}

static void app_with_a_held_loop_is_freed_when_it_gives_way(void **state)
{
    static char data[] = "still there";
    serving server;
    test_client client;
    (void)state;

    atomic_store(&may_give_way, false);
    serving_init(&server);
    lario_get(server.app, "/", holds_its_loop_when_killed);
    lario_app_set_data(server.app, data);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, REQUEST);
    assert_int_equal(next_note(), 0);
    lario_app_free(server.app);
    assert_int_equal(next_note(), LARIO_ECANCELED);
    assert_int_equal(lario_app_stop(server.app, 0), LARIO_ESTATE);
    atomic_store(&may_give_way, true);
    assert_int_equal(next_note(), 2);
    lario_app_free(server.app);
    client_close(&client);
}

static int work(void *arg)
{
    (void)arg;
    note(1);
    usleep(400000);
    return 5;
}

static int works(lario_req *req)
{
    int rc = lario_offload(work, NULL);

    note(rc);
    return lario_reply(req, 200, NULL, "worked");
}

/* Work on another thread uses the handler's stack: it is waited for, whatever is killed. */
static void stop_waits_for_work_that_has_begun(void **state)
{
    serving server;
    test_client client;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", works);
    serving_start(&server);
    client_open(&client, server.address);
    client_puts(&client, REQUEST);
    assert_int_equal(next_note(), 1);
    assert_int_equal(lario_app_stop(server.app, 50), LARIO_ETIMEDOUT);
    assert_int_equal(next_note(), 5);
    lario_app_free(server.app);
    client_close(&client);
}

static void stop_lets_a_running_request_finish_and_closes_idle_ones(void **state)
{
    serving server;
    test_client idle;
    (void)state;

    serving_init(&server);
    lario_get(server.app, "/", say_data);
    serving_start(&server);
    client_open(&idle, server.address);
    client_puts(&idle, REQUEST);
    assert_int_equal(client_status(&idle), 200);
    /* Sent before the stop: it is answered, however the two meet. */
    client_puts(&idle, REQUEST);
    assert_int_equal(lario_app_stop(server.app, CLIENT_PATIENCE_MS), 0);
    assert_int_equal(client_status(&idle), 200);
    assert_int_equal(client_read_end(&idle), 0);
    client_close(&idle);
    lario_app_free(server.app);
}

static unsigned open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void cycle(void)
{
    lario_app *app = new_app("127.0.0.1:0");

    lario_app_listen(app, "127.0.0.1:0");
    assert_int_equal(lario_app_start(app), 0);
    check_answers(lario_app_address(app, 0), "nothing");
    assert_int_equal(lario_app_stop(app, 5000), 0);
    lario_app_free(app);
}

static void cycles_leak_neither_descriptors_nor_memory(void **state)
{
    (void)state;
    cycle();
    cycle();
    unsigned descriptors = open_descriptors();
    size_t bytes = mallinfo2().uordblks;

    for (int i = 0; i < 20; i++)
        cycle();
    assert_int_equal(open_descriptors(), descriptors);
    /* The C library keeps something for threads that have ended; not for each of them. */
    assert_true(mallinfo2().uordblks <= bytes + 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting_twice_is_a_wrong_state),
        cmocka_unit_test(restart_is_a_wrong_state),
        cmocka_unit_test(bad_route_fails_the_start_and_is_named),
        cmocka_unit_test(bad_address_fails_the_start_and_is_named),
        cmocka_unit_test(port_in_use_fails_the_start),
        cmocka_unit_test(port_in_use_by_one_that_shares_fails_the_start),
        cmocka_unit_test(failed_start_leaves_no_listener),
        cmocka_unit_test(added_apps_share_the_loops_and_keep_their_own_things),
        cmocka_unit_test(failure_of_an_added_app_fails_the_start),
        cmocka_unit_test(stop_kills_a_handler_that_does_not_end),
        cmocka_unit_test(app_with_a_held_loop_is_freed_when_it_gives_way),
        cmocka_unit_test(stop_waits_for_work_that_has_begun),
        cmocka_unit_test(stop_lets_a_running_request_finish_and_closes_idle_ones),
        cmocka_unit_test(cycles_leak_neither_descriptors_nor_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
