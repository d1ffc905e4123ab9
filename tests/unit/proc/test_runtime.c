/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/runtime.h"

#include <pthread.h>
#include <semaphore.h>
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

#include "in_runtime.h"
#include "proc/context.h"

#define LONG_MS 10000

static atomic_int runs;

static int count_run(void *arg)
{
    (void)arg;
    runs++;
    return 0;
}

static int park_for_ever(void *arg)
{
    lario_msg msg;
    (void)arg;

    runs++;
    while (lario_receive(&msg, -1) > 0)
        continue;
    return 0;
}

static lario_runtime *new_runtime(unsigned loops)
{
    lario_runtime_opts opts = {.loops = loops, .workers = 1, .stall_ms = 60000};

    return lario_runtime_new(&opts);
}

static void wait_for_runs(int count)
{
    for (int i = 0; runs < count && i < LONG_MS; i++)
        usleep(1000);
    assert_int_equal(runs, count);
}

static void runtime_starts_and_stops_again_and_again(void **state)
{
    lario_runtime *runtime = new_runtime(2);
    lario_pid last = {0};

    (void)state;
    assert_non_null(runtime);
    assert_int_equal(lario_runtime_loops(runtime), 2);
    for (int i = 0; i < 3; i++) {
        lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
        lario_pid pid;

        assert_int_equal(lario_runtime_stop(runtime, 0), LARIO_ESTATE);
        assert_int_equal(lario_runtime_spawn(runtime, count_run, NULL, NULL, NULL), LARIO_ESTATE);
        assert_int_equal(lario_runtime_start(runtime), 0);
        assert_int_equal(lario_runtime_start(runtime), LARIO_ESTATE);
        runs = 0;
        for (opts.loop = -1; opts.loop < 2; opts.loop++)
            assert_int_equal(lario_runtime_spawn(runtime, park_for_ever, NULL, &opts, &pid), 0);
        wait_for_runs(3);
        assert_false(lario_pid_equal(pid, last));
        last = pid;
        assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
    }
    lario_runtime_free(runtime);
}

static void runtime_that_never_ran_is_freed(void **state)
{
    (void)state;
    lario_runtime_free(new_runtime(3));
    lario_runtime_free(NULL);
}

static void bad_spawn_options_are_refused(void **state)
{
    lario_runtime *runtime = new_runtime(2);
    lario_spawn_options bad[] = {
        {.loop = -2},
        {.loop = 2},
        {.loop = 0, .link = true},
        {.loop = 0, .monitor = true},
        {.loop = 0, .stack_bytes = 16383},
        {.loop = 0, .stack_bytes = (64u << 20) + 1},
    };

    (void)state;
    assert_non_null(runtime);
    assert_int_equal(lario_runtime_start(runtime), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(lario_runtime_spawn(runtime, count_run, NULL, &bad[i], NULL),
                         LARIO_EINVAL);
    assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
    lario_runtime_free(runtime);
}

/* ---- Identity ---- */

static int tell_here(void *arg)
{
    *(lario_runtime **)arg = lario_runtime_here();
    runs++;
    return 0;
}

static void several_runtimes_live_side_by_side(void **state)
{
    lario_runtime *runtimes[3], *heres[3] = {NULL, NULL, NULL};
    lario_pid pids[3];

    (void)state;
    runs = 0;
    for (int i = 0; i < 3; i++) {
        runtimes[i] = new_runtime(2);
        assert_non_null(runtimes[i]);
        assert_int_equal(lario_runtime_start(runtimes[i]), 0);
        assert_int_equal(lario_runtime_spawn(runtimes[i], tell_here, &heres[i], NULL, &pids[i]), 0);
    }
    wait_for_runs(3);
    for (int i = 0; i < 3; i++) {
        assert_ptr_equal(heres[i], runtimes[i]);
        for (int k = 0; k < i; k++)
            assert_false(lario_pid_equal(pids[i], pids[k]));
        /* A pid of another runtime names nobody here. */
        assert_int_equal(lario_runtime_send(runtimes[i], pids[(i + 1) % 3], LARIO_USER, "x", 1), 0);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lario_runtime_stop(runtimes[i], LONG_MS), 0);
        lario_runtime_free(runtimes[i]);
    }
    assert_null(lario_runtime_here());
}

static void pid_is_formatted_in_hexadecimal(void **state)
{
    lario_pid pid = {{0x0123456789abcdefu, 0xfu}, 0x1au, 0x0100000200000003u};
    lario_pid longest = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, UINT64_MAX};
    char text[LARIO_PID_TEXT_BYTES];

    (void)state;
    assert_ptr_equal(lario_pid_format(pid, text), text);
    assert_string_equal(text, "0123456789abcdef000000000000000f.1a.100000200000003");
    assert_int_equal(strlen(lario_pid_format(longest, text)), 66);
    assert_string_equal(lario_pid_format((lario_pid){0}, text),
                        "00000000000000000000000000000000.0.0");
}

/* ThreadSanitizer takes a millisecond and more for each new stack. */
#ifdef LARIO_TSAN
#define GENERATIONS 2000
#else
#define GENERATIONS 100000
#endif

static int compare_serials(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static int no_pid_is_ever_used_again(void)
{
    static uint64_t serials[GENERATIONS];
    lario_pid pid, first;

    runs = 0;
    check(lario_spawn(count_run, NULL, &first) == 0);
    for (int i = 0; i < GENERATIONS; i++) {
        check(lario_spawn(count_run, NULL, &pid) == 0);
        serials[i] = pid.serial;
        if (i % 7 == 0)
            check(lario_yield() == 0);
    }
    qsort(serials, GENERATIONS, sizeof serials[0], compare_serials);
    for (int i = 1; i < GENERATIONS; i++)
        check(serials[i] != serials[i - 1]);
    while (runs <= GENERATIONS)
        check(lario_yield() == 0);
    check(!lario_is_alive(first));
    return 0;
}

IN_RUNTIME(no_pid_is_ever_used_again)

static int spawn_until_full(void *arg)
{
    int *rcs = arg;

    rcs[0] = lario_spawn(park_for_ever, NULL, NULL);
    rcs[1] = lario_spawn(park_for_ever, NULL, NULL);
    runs++;
    return 0;
}

static void processes_max_is_a_limit_of_each_loop(void **state)
{
    lario_runtime_opts opts = {.loops = 1, .workers = 1, .processes_max = 2};
    lario_runtime *runtime = lario_runtime_new(&opts);
    int rcs[2];

    (void)state;
    assert_non_null(runtime);
    runs = 0;
    assert_int_equal(lario_runtime_start(runtime), 0);
    assert_int_equal(lario_runtime_spawn(runtime, spawn_until_full, rcs, NULL, NULL), 0);
    wait_for_runs(2);
    assert_int_equal(rcs[0], 0);
    assert_int_equal(rcs[1], LARIO_EFULL);
    /* The first has ended by now: there is room for one. */
    assert_int_equal(lario_runtime_spawn(runtime, park_for_ever, NULL, NULL, NULL), 0);
    assert_int_equal(lario_runtime_spawn(runtime, park_for_ever, NULL, NULL, NULL), LARIO_EFULL);
    assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
    lario_runtime_free(runtime);
}

/* ---- From threads outside ---- */

#define SENDERS 4
#define MESSAGES 2000

static atomic_int received, disorders;

static int receive_numbers(void *arg)
{
    int next[SENDERS] = {0};
    lario_msg msg;
    int rc;
    (void)arg;

    while ((rc = lario_receive(&msg, -1)) > 0) {
        int sender = msg.kind - LARIO_USER;

        if (*(const int *)(const void *)msg.data != next[sender]++ || lario_pid_is_set(msg.from))
            disorders++;
        received++;
    }
    return rc;
}

typedef struct outside {
    lario_runtime *runtime;
    lario_pid to;
    int number;
} outside;

static void *send_and_spawn(void *arg)
{
    outside *at = arg;
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    for (int i = 0; i < MESSAGES; i++) {
        if (lario_runtime_send(at->runtime, at->to, LARIO_USER + at->number, &i, sizeof i) < 0)
            disorders++;
        opts.loop = i & 1;
        if (i % 20 == 0 && lario_runtime_spawn(at->runtime, count_run, NULL, &opts, NULL) < 0)
            disorders++;
    }
    return NULL;
}

static void threads_send_in_order_and_spawn(void **state)
{
    lario_runtime *runtime = new_runtime(2);
    outside senders[SENDERS];
    pthread_t threads[SENDERS];
    lario_pid to;

    (void)state;
    assert_non_null(runtime);
    runs = received = disorders = 0;
    assert_int_equal(lario_runtime_start(runtime), 0);
    assert_int_equal(lario_runtime_spawn(runtime, receive_numbers, NULL, NULL, &to), 0);
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = (outside){runtime, to, i};
        assert_int_equal(pthread_create(&threads[i], NULL, send_and_spawn, &senders[i]), 0);
    }
    for (int i = 0; i < SENDERS; i++)
        pthread_join(threads[i], NULL);
    wait_for_runs(SENDERS * MESSAGES / 20);
    for (int i = 0; received < SENDERS * MESSAGES && i < LONG_MS; i++)
        usleep(1000);
    assert_int_equal(received, SENDERS * MESSAGES);
    assert_int_equal(disorders, 0);
    assert_int_equal(lario_runtime_send(runtime, to, LARIO_DOWN, NULL, 0), LARIO_EINVAL);
    assert_int_equal(lario_runtime_send(runtime, to, LARIO_USER, "", (16u << 20) + 1),
                     LARIO_ETOOBIG);
    assert_int_equal(lario_runtime_send(runtime, (lario_pid){0}, LARIO_USER, NULL, 0), 0);
    assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
    lario_runtime_free(runtime);
}

/* ---- Stops that do not get what they want ---- */

static atomic_bool may_end;

static int ignore_the_kill(void *arg)
{
    lario_msg msg;
    uint64_t ref;
    char text[100] = "left behind";
    (void)arg;

    /* Things that an abandoned process leaves: messages, one that it looks at, monitors, links. */
    if (lario_monitor(lario_self(), &ref) < 0 || lario_link(lario_self()) < 0 ||
        lario_send(lario_self(), LARIO_USER, text, sizeof text) < 0 ||
        lario_send(lario_self(), LARIO_USER, text, sizeof text) < 0 ||
        lario_receive(&msg, 0) != LARIO_USER)
        return -1;
    runs++;
    while (!may_end)
        if (lario_receive_kind(LARIO_USER + 1, &msg, -1) > 0)
            return -1;
    return 0;
}

static void stop_times_out_when_a_process_does_not_end(void **state)
{
    lario_runtime *runtime = new_runtime(2);
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    (void)state;
    assert_non_null(runtime);
    runs = 0;
    may_end = false;
    assert_int_equal(lario_runtime_start(runtime), 0);
    for (opts.loop = 0; opts.loop < 2; opts.loop++)
        assert_int_equal(lario_runtime_spawn(runtime, ignore_the_kill, NULL, &opts, NULL), 0);
    wait_for_runs(2);
    assert_int_equal(lario_runtime_stop(runtime, 30), LARIO_ETIMEDOUT);
    /* What was abandoned must not come to life again. */
    assert_int_equal(lario_runtime_start(runtime), LARIO_ESTATE);
    assert_int_equal(lario_runtime_stop(runtime, 30), LARIO_ESTATE);
    lario_runtime_free(runtime);
}

static int hold_the_loop(void *arg)
{
    (void)arg;
    runs++;
    while (!may_end)
        usleep(100);
    return 0;
}

static void stop_times_out_when_a_loop_is_held(void **state)
{
    lario_runtime *runtime = new_runtime(2);
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    (void)state;
    assert_non_null(runtime);
    runs = 0;
    may_end = false;
    opts.loop = 1;
    assert_int_equal(lario_runtime_start(runtime), 0);
    assert_int_equal(lario_runtime_spawn(runtime, hold_the_loop, NULL, &opts, NULL), 0);
    wait_for_runs(1);
    assert_int_equal(lario_runtime_stop(runtime, 20), LARIO_ETIMEDOUT);
    assert_int_equal(lario_runtime_stop(runtime, 0), LARIO_ETIMEDOUT);
    may_end = true;
    assert_int_equal(lario_runtime_stop(runtime, -1), 0);
    lario_runtime_free(runtime);
}

static int spawn_while_stopping(void *arg)
{
    lario_msg msg;

    runs++;
    while (lario_receive(&msg, -1) > 0)
        continue;
    *(int *)arg = lario_spawn(count_run, NULL, NULL);
    return 0;
}

static void stopping_runtime_refuses_new_processes(void **state)
{
    lario_runtime *runtime = new_runtime(1);
    int rc = 1;

    (void)state;
    assert_non_null(runtime);
    runs = 0;
    assert_int_equal(lario_runtime_start(runtime), 0);
    assert_int_equal(lario_runtime_spawn(runtime, spawn_while_stopping, &rc, NULL, NULL), 0);
    wait_for_runs(1);
    assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
    assert_int_equal(rc, LARIO_ECANCELED);
    lario_runtime_free(runtime);
}

/* Ends of many, linked and monitored over and back between the loops, as the runtime stops. */
static int watch_many(void *arg)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    (void)arg;

    lario_trap_exits(true);
    opts.monitor = opts.link = true;
    for (int i = 0; i < 300; i++) {
        opts.loop = i & 1;
        if (lario_spawn_opts(park_for_ever, NULL, &opts, NULL) < 0)
            return -1;
    }
    return park_for_ever(NULL);
}

static void stop_amid_notices_loses_no_memory(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        lario_runtime *runtime = new_runtime(2);

        assert_non_null(runtime);
        runs = 0;
        assert_int_equal(lario_runtime_start(runtime), 0);
        assert_int_equal(lario_runtime_spawn(runtime, watch_many, NULL, NULL, NULL), 0);
        wait_for_runs(301);
        assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
        lario_runtime_free(runtime);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtime_starts_and_stops_again_and_again),
        cmocka_unit_test(runtime_that_never_ran_is_freed),
        cmocka_unit_test(bad_spawn_options_are_refused),
        cmocka_unit_test(several_runtimes_live_side_by_side),
        cmocka_unit_test(pid_is_formatted_in_hexadecimal),
        RUNTIME_TEST(no_pid_is_ever_used_again),
        cmocka_unit_test(processes_max_is_a_limit_of_each_loop),
        cmocka_unit_test(threads_send_in_order_and_spawn),
        cmocka_unit_test(stop_times_out_when_a_process_does_not_end),
        cmocka_unit_test(stop_times_out_when_a_loop_is_held),
        cmocka_unit_test(stopping_runtime_refuses_new_processes),
        cmocka_unit_test(stop_amid_notices_loses_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
