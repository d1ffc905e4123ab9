/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "in_runtime.h"
#include "lario/runtime.h"

/* Every test body is a process of a runtime with two loops; see in_runtime.h. */

static int count_up(void *arg)
{
    ++*(int *)arg;
    return 0;
}

static int spawned_process_runs(void)
{
    int count = 0;
    lario_pid pid;

    check(lario_spawn(count_up, &count, &pid) == 0);
    check(lario_is_alive(pid));
    check(lario_yield() == 0);
    check(count == 1);
    check(!lario_is_alive(pid));
    return 0;
}

static int spawn_without_options_has_the_defaults(void)
{
    int count = 0;
    lario_pid pid;

    check(lario_spawn_opts(count_up, &count, NULL, &pid) == 0);
    check(lario_is_alive(pid));
    check(lario_yield() == 0);
    check(count == 1);
    check(!lario_is_alive(pid));
    return 0;
}

static int spawn_on_other_loop_runs_there(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_pid pid;
    lario_msg msg;
    int count = 0;

    opts.loop = 1;
    opts.monitor = true;
    check(lario_spawn_opts(count_up, &count, &opts, &pid) == 0);
    check(lario_receive(&msg, 5000) == LARIO_DOWN);
    check(msg.code == 0 || msg.code == LARIO_ENOPROC);
    check(count == 1);
    opts.loop = 2;
    check(lario_spawn_opts(count_up, &count, &opts, &pid) == LARIO_EINVAL);
    return 0;
}

static int bad_stack_size_is_refused(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    opts.stack_bytes = 100;
    check(lario_spawn_opts(count_up, NULL, &opts, NULL) == LARIO_EINVAL);
    return 0;
}

static int use_deep_stack(void *arg)
{
    volatile char frame[900 * 1024];

    frame[0] = 1;
    frame[sizeof frame - 1] = 2;
    *(int *)arg = frame[0] + frame[sizeof frame - 1];
    return 0;
}

static int own_stack_size_is_usable(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    int result = 0;

    opts.stack_bytes = 1 << 20;
    check(lario_spawn_opts(use_deep_stack, &result, &opts, NULL) == 0);
    check(lario_yield() == 0);
    check(result == 3);
    return 0;
}

static int answer_sum(void *arg)
{
    lario_msg msg;
    (void)arg;

    while (lario_receive(&msg, -1) >= 0) {
        int sum =
            ((const int *)(const void *)msg.data)[0] + ((const int *)(const void *)msg.data)[1];

        if (lario_answer(&msg, &sum, sizeof sum) < 0)
            return -1;
    }
    return 0;
}

static int call_gets_its_answer(void)
{
    int numbers[2] = {20, 22};
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_pid pid;
    lario_msg reply;

    for (opts.loop = 0; opts.loop < 2; opts.loop++) {
        check(lario_spawn_opts(answer_sum, NULL, &opts, &pid) == 0);
        for (int i = 0; i < 100; i++) {
            numbers[0] = i;
            check(lario_call(pid, LARIO_USER, numbers, sizeof numbers, &reply, 5000) == 0);
            check(reply.len == sizeof(int) && *(const int *)(const void *)reply.data == i + 22);
        }
        check(lario_kill(pid, LARIO_ECANCELED) == 0);
        /* Dead or dying, it does not answer any more. */
        int rc = lario_call(pid, LARIO_USER, numbers, sizeof numbers, &reply, 5000);

        check(rc == LARIO_ENOPROC);
    }
    return 0;
}

static int ignore_messages(void *arg)
{
    (void)arg;
    return lario_sleep(100000);
}

static int call_times_out(void)
{
    lario_pid pid;
    lario_msg reply;

    check(lario_spawn(ignore_messages, NULL, &pid) == 0);
    check(lario_call(pid, LARIO_USER, NULL, 0, &reply, 20) == LARIO_ETIMEDOUT);
    check(lario_kill(pid, -1) == 0);
    return 0;
}

static int messages_arrive_in_order(void)
{
    lario_pid self = lario_self();
    lario_msg msg;

    for (int i = 0; i < 1000; i++)
        check(lario_send(self, LARIO_USER + (i & 1), &i, sizeof i) == 0);
    for (int i = 0; i < 1000; i++) {
        check(lario_receive(&msg, 0) == LARIO_USER + (i & 1));
        check(*(const int *)(const void *)msg.data == i);
        check(lario_pid_equal(msg.from, self));
    }
    check(lario_receive(&msg, 0) == LARIO_ETIMEDOUT);
    return 0;
}

static int receive_of_one_kind_leaves_the_others(void)
{
    lario_pid self = lario_self();
    lario_msg msg;

    for (int i = 0; i < 4; i++)
        check(lario_send(self, LARIO_USER + i, NULL, 0) == 0);
    check(lario_receive_kind(LARIO_USER + 2, &msg, 0) == LARIO_USER + 2);
    check(lario_receive_kind(LARIO_USER + 3, &msg, 0) == LARIO_USER + 3);
    check(lario_receive_kind(LARIO_USER + 3, &msg, 1) == LARIO_ETIMEDOUT);
    check(lario_receive(&msg, 0) == LARIO_USER);
    check(lario_receive(&msg, 0) == LARIO_USER + 1);
    check(lario_send(self, LARIO_USER, "x", 1) == 0);
    check(lario_receive(&msg, 0) == LARIO_USER && msg.len == 1 && msg.data[0] == 'x');
    return 0;
}

static int park(void *arg)
{
    lario_msg msg;
    (void)arg;

    return lario_receive_kind(LARIO_USER + 9, &msg, -1);
}

static int full_mailbox_drops_and_counts(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_process_info infos[16];
    lario_pid pid;
    int count, found = 0;

    opts.mailbox_max = 3;
    opts.mailbox_bytes_max = 10;
    check(lario_spawn_opts(park, NULL, &opts, &pid) == 0);
    check(lario_send(pid, LARIO_USER, "12345678", 8) == 0);
    check(lario_send(pid, LARIO_USER, "123", 3) == LARIO_EFULL);
    check(lario_send(pid, LARIO_USER, "12", 2) == 0);
    check(lario_send(pid, LARIO_USER, "", 0) == 0);
    check(lario_send(pid, LARIO_USER, "", 0) == LARIO_EFULL);
    count = lario_process_list(infos, 16);
    check(count >= 2);
    for (int i = 0; i < count; i++)
        if (lario_pid_equal(infos[i].pid, pid)) {
            found++;
            check(infos[i].mailbox == 3 && infos[i].mailbox_drops == 2);
        }
    check(found == 1);
    check(lario_kill(pid, -1) == 0);
    return 0;
}

static int sleep_is_never_short(void)
{
    for (int ms = 0; ms < 12; ms += 3) {
        uint64_t before = now_ms();

        check(lario_sleep(ms) == 0);
        check(now_ms() - before >= (uint64_t)ms);
    }
    return 0;
}

static int bad_messages_are_refused(void)
{
    static char byte;

    check(lario_send(lario_self(), LARIO_USER - 1, NULL, 0) == LARIO_EINVAL);
    check(lario_send(lario_self(), LARIO_USER, &byte, (16u << 20) + 1) == LARIO_ETOOBIG);
    check(lario_send((lario_pid){0}, LARIO_USER, NULL, 0) == 0);
    return 0;
}

static int listing_shows_the_own_process(void)
{
    lario_process_info infos[8];
    int count = lario_process_list(infos, 8);

    check(count >= 1);
    for (int i = 0; i < count; i++)
        if (lario_pid_equal(infos[i].pid, lario_self())) {
            check(strcmp(infos[i].state, "running") == 0);
            check(strcmp(infos[i].label, "test") == 0);
            return 0;
        }
    return -1; /* it is not in its own listing */
}

static int add_offloaded(void *arg)
{
    *(int *)arg += 1;
    return 42;
}

static int offload_runs_elsewhere_and_returns(void)
{
    int value = 1;

    check(lario_offload(add_offloaded, &value) == 42);
    check(value == 2);
    return 0;
}

/* ThreadSanitizer knows at most 8,128 stacks at a time. */
#ifdef __SANITIZE_THREAD__
#define MANY 4000
#else
#define MANY 20000
#endif

static int spawn_many_processes(void)
{
    int count = 0;

    for (int i = 0; i < MANY; i++)
        check(lario_spawn(count_up, &count, NULL) == 0);
    while (count < MANY)
        check(lario_yield() == 0);
    return 0;
}

IN_RUNTIME(spawned_process_runs)
IN_RUNTIME(spawn_without_options_has_the_defaults)
IN_RUNTIME(spawn_on_other_loop_runs_there)
IN_RUNTIME(bad_stack_size_is_refused)
IN_RUNTIME(own_stack_size_is_usable)
IN_RUNTIME(call_gets_its_answer)
IN_RUNTIME(call_times_out)
IN_RUNTIME(messages_arrive_in_order)
IN_RUNTIME(receive_of_one_kind_leaves_the_others)
IN_RUNTIME(full_mailbox_drops_and_counts)
IN_RUNTIME(sleep_is_never_short)
IN_RUNTIME(bad_messages_are_refused)
IN_RUNTIME(listing_shows_the_own_process)
IN_RUNTIME(offload_runs_elsewhere_and_returns)
IN_RUNTIME(spawn_many_processes)

static void calls_outside_a_process_say_so(void **state)
{
    lario_msg msg;
    (void)state;

    assert_int_equal(lario_spawn(count_up, NULL, NULL), LARIO_ENOTPROC);
    assert_int_equal(lario_receive(&msg, 0), LARIO_ENOTPROC);
    assert_int_equal(lario_send((lario_pid){0}, LARIO_USER, NULL, 0), LARIO_ENOTPROC);
    assert_int_equal(lario_sleep(0), LARIO_ENOTPROC);
    assert_false(lario_pid_is_set(lario_self()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(spawned_process_runs),
        RUNTIME_TEST(spawn_without_options_has_the_defaults),
        RUNTIME_TEST(spawn_on_other_loop_runs_there),
        RUNTIME_TEST(bad_stack_size_is_refused),
        RUNTIME_TEST(own_stack_size_is_usable),
        RUNTIME_TEST(call_gets_its_answer),
        RUNTIME_TEST(call_times_out),
        RUNTIME_TEST(messages_arrive_in_order),
        RUNTIME_TEST(receive_of_one_kind_leaves_the_others),
        RUNTIME_TEST(full_mailbox_drops_and_counts),
        RUNTIME_TEST(sleep_is_never_short),
        RUNTIME_TEST(bad_messages_are_refused),
        RUNTIME_TEST(listing_shows_the_own_process),
        RUNTIME_TEST(offload_runs_elsewhere_and_returns),
        RUNTIME_TEST(spawn_many_processes),
        cmocka_unit_test(calls_outside_a_process_say_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
