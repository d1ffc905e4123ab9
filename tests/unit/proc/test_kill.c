/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "in_runtime.h"

/* A kill ends each kind of wait, and no parking call works any more from then on. */

#define REASON (-4321)
#define LONG_MS 10000

static int do_nothing(void *arg)
{
    (void)arg;
    return 0;
}

/* Every parking call, each twice: LARIO_ECANCELED at once and ever after. */
static int check_all_canceled(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_process_info infos[4];
    uint64_t began = now_ms();
    lario_msg msg;

    opts.loop = 1;
    for (int i = 0; i < 2; i++) {
        check(lario_receive(&msg, -1) == LARIO_ECANCELED);
        check(lario_receive(&msg, 0) == LARIO_ECANCELED);
        check(lario_receive_kind(LARIO_USER, &msg, 5000) == LARIO_ECANCELED);
        check(lario_sleep(5000) == LARIO_ECANCELED);
        check(lario_sleep(0) == LARIO_ECANCELED);
        check(lario_yield() == LARIO_ECANCELED);
        check(lario_call(lario_self(), LARIO_USER, NULL, 0, &msg, -1) == LARIO_ECANCELED);
        check(lario_offload(do_nothing, NULL) == LARIO_ECANCELED);
        check(lario_process_list(infos, 4) == LARIO_ECANCELED);
        check(lario_spawn_opts(do_nothing, NULL, &opts, NULL) == LARIO_ECANCELED);
    }
    check(now_ms() - began < 4000);
    return 0;
}

typedef struct victim {
    int (*wait)(void);     /* what it is killed in */
    int rc;                /* of that call */
    int is_canceled;       /* 0: every later call was refused */
    atomic_bool has_begun; /* to wait */
} victim;

static int run_victim(void *arg)
{
    victim *at = arg;

    at->has_begun = true;
    at->rc = at->wait();
    at->is_canceled = check_all_canceled();
    return 0; /* the reason of the kill stands, whatever it returns */
}

/* Kills one that waits on `loop`, and checks what it and its watcher see. */
static int kill_on(int loop, int (*wait)(void), int rc)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    victim at = {.wait = wait, .rc = 1, .is_canceled = -1};
    lario_msg msg;
    lario_pid pid;

    opts.loop = loop;
    opts.monitor = true;
    check(lario_spawn_opts(run_victim, &at, &opts, &pid) == 0);
    while (!at.has_begun)
        check(lario_yield() == 0);
    check(lario_sleep(5) == 0);
    check(lario_kill(pid, REASON) == 0);
    check(lario_kill(pid, REASON - 1) == 0); /* the first one counts */
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
    check(msg.code == REASON && lario_pid_equal(msg.from, pid));
    check(at.rc == rc);
    check(at.is_canceled == 0);
    return 0;
}

static int kill_on_both(int (*wait)(void), int rc)
{
    check(kill_on(0, wait, rc) == 0);
    check(kill_on(1, wait, rc) == 0);
    return 0;
}

static int receive_any(void)
{
    lario_msg msg;

    return lario_receive(&msg, -1);
}

static int receive_one_kind(void)
{
    lario_msg msg;

    return lario_receive_kind(LARIO_USER, &msg, 60000);
}

static int sleep_long(void)
{
    return lario_sleep(60000);
}

/* The callee never answers. */
static int wait_for_ever(void *arg)
{
    lario_msg msg;
    (void)arg;

    while (lario_receive(&msg, -1) > 0)
        continue;
    return 0;
}

static int call_one_that_is_silent(void)
{
    lario_pid pid;
    lario_msg msg;

    check(lario_spawn(wait_for_ever, NULL, &pid) == 0);
    return lario_call(pid, LARIO_USER, NULL, 0, &msg, -1);
}

static int yield_until_killed(void)
{
    int rc;

    while ((rc = lario_yield()) == 0)
        continue;
    return rc;
}

static int kill_ends_a_receive(void)
{
    check(kill_on_both(receive_any, LARIO_ECANCELED) == 0);
    check(kill_on_both(receive_one_kind, LARIO_ECANCELED) == 0);
    return 0;
}

static int kill_ends_a_sleep(void)
{
    return kill_on_both(sleep_long, LARIO_ECANCELED);
}

static int kill_ends_a_call(void)
{
    return kill_on_both(call_one_that_is_silent, LARIO_ECANCELED);
}

static int kill_ends_yielding(void)
{
    return kill_on_both(yield_until_killed, LARIO_ECANCELED);
}

static int run_killed_self(void *arg)
{
    check(lario_kill(lario_self(), REASON) == 0);
    *(int *)arg = check_all_canceled();
    return 12;
}

static int kill_of_the_running_process_itself(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    int is_canceled = -1;
    lario_msg msg;

    opts.monitor = true;
    check(lario_spawn_opts(run_killed_self, &is_canceled, &opts, NULL) == 0);
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == REASON);
    check(is_canceled == 0);
    return 0;
}

/* Killed before its first instruction: it runs all the same, to unwind by its own path. */
static int kill_of_one_that_has_not_run(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    victim at = {.wait = receive_any, .rc = 1, .is_canceled = -1};
    lario_msg msg;
    lario_pid pid;

    opts.monitor = true;
    check(lario_spawn_opts(run_victim, &at, &opts, &pid) == 0);
    check(lario_kill(pid, REASON) == 0);
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == REASON);
    check(at.rc == LARIO_ECANCELED && at.is_canceled == 0);
    return 0;
}

/* A message has made it ready, but it is killed before it runs: the kill is seen first. */
static int kill_of_one_that_is_ready(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    victim at = {.wait = receive_any, .rc = 1, .is_canceled = -1};
    lario_msg msg;
    lario_pid pid;

    opts.monitor = true;
    check(lario_spawn_opts(run_victim, &at, &opts, &pid) == 0);
    check(lario_yield() == 0);
    check(lario_send(pid, LARIO_USER, NULL, 0) == 0);
    check(lario_kill(pid, REASON) == 0);
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == REASON);
    check(at.rc == LARIO_ECANCELED && at.is_canceled == 0);
    return 0;
}

static int sleep_shortly(void)
{
    return lario_sleep(15);
}

static int hold_the_loop(void *arg)
{
    (void)arg;
    check(lario_sleep(2) == 0);
    uint64_t began = now_ms();

    while (now_ms() - began < 30)
        continue;
    return 0;
}

/*
 * A third process holds the loop until the timers of both others have passed: they become ready in
 * one turn, the killer first.
 */
static int kill_of_a_sleeper_that_is_ready(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    victim at = {.wait = sleep_shortly, .rc = 1, .is_canceled = -1};
    lario_msg msg;
    lario_pid pid;

    opts.monitor = true;
    check(lario_spawn_opts(run_victim, &at, &opts, &pid) == 0);
    check(lario_spawn(hold_the_loop, NULL, NULL) == 0);
    check(lario_sleep(10) == 0);
    check(at.rc == 1);
    check(lario_kill(pid, REASON) == 0);
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
    check(msg.code == REASON && at.rc == LARIO_ECANCELED);
    return 0;
}

/* A kill of one that has ended, or a reason that is none. */
static int kill_of_the_dead_is_harmless(void)
{
    lario_pid pid;

    for (int loop = 0; loop < 2; loop++) {
        lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
        lario_msg msg;

        opts.monitor = true;
        opts.loop = loop;
        check(lario_spawn_opts(do_nothing, NULL, &opts, &pid) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
        check(lario_kill(pid, -1) == 0);
    }
    check(lario_kill(pid, 0) == LARIO_EINVAL);
    check(lario_kill(pid, 1) == LARIO_EINVAL);
    return 0;
}

/* Does not heed that it was killed for a while; the loop must go on all the same. */
static int ignore_the_kill(void *arg)
{
    atomic_int *ends = arg;
    lario_msg msg;

    while (*ends == 0) {
        if (lario_sleep(1000) == 0 || lario_receive(&msg, -1) > 0 ||
            lario_offload(do_nothing, NULL) == 0)
            continue;
    }
    return 0;
}

static int process_that_ignores_its_kill_does_not_hold_the_loop(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    atomic_int ends = 0;
    lario_msg msg;
    lario_pid pid;

    opts.monitor = true;
    check(lario_spawn_opts(ignore_the_kill, &ends, &opts, &pid) == 0);
    check(lario_yield() == 0);
    check(lario_kill(pid, REASON) == 0);
    check(lario_receive(&msg, 30) == LARIO_ETIMEDOUT);
    check(lario_is_alive(pid));
    ends = 1;
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == REASON);
    return 0;
}

/* ---- Killed while offloading; the runtime of these tests has two workers ---- */

typedef struct job {
    atomic_bool begun;
    atomic_bool may_end;
} job;

static int wait_for_leave(void *arg)
{
    job *at = arg;

    at->begun = true;
    while (!at->may_end)
        usleep(500);
    return 33;
}

static int offload_job(void *arg)
{
    int rc = lario_offload(wait_for_leave, arg);
    lario_msg msg;

    /* The work was done, so its result counts; the kill shows in the next call. */
    check(rc == 33);
    check(lario_receive(&msg, 0) == LARIO_ECANCELED);
    return 0;
}

static int offload_that_has_begun_is_waited_for(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    opts.monitor = true;
    for (opts.loop = 0; opts.loop < 2; opts.loop++) {
        job at = {false, false};
        lario_msg msg;
        lario_pid pid;

        check(lario_spawn_opts(offload_job, &at, &opts, &pid) == 0);
        while (!at.begun)
            check(lario_sleep(1) == 0);
        check(lario_kill(pid, REASON) == 0);
        check(lario_receive(&msg, 20) == LARIO_ETIMEDOUT);
        check(lario_kill(pid, REASON) == 0);
        at.may_end = true;
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == REASON);
    }
    return 0;
}

static int note_begin(void *arg)
{
    ((job *)arg)->begun = true;
    return 0;
}

static int offload_note(void *arg)
{
    check(lario_offload(note_begin, arg) == LARIO_ECANCELED);
    return 0;
}

static int offload_that_is_queued_is_withdrawn(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    job busy[2] = {{false, false}, {false, false}}, queued = {false, false};
    lario_msg msg;
    lario_pid pid, workers[2];

    for (int i = 0; i < 2; i++)
        check(lario_spawn(offload_job, &busy[i], &workers[i]) == 0);
    while (!busy[0].begun || !busy[1].begun)
        check(lario_sleep(1) == 0);
    opts.monitor = true;
    for (opts.loop = 0; opts.loop < 2; opts.loop++) {
        check(lario_spawn_opts(offload_note, &queued, &opts, &pid) == 0);
        check(lario_sleep(10) == 0);
        check(lario_kill(pid, REASON) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == REASON);
    }
    for (int i = 0; i < 2; i++) {
        uint64_t ref;

        check(lario_kill(workers[i], -1) == 0);
        check(lario_monitor(workers[i], &ref) == 0);
        busy[i].may_end = true;
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
    }
    check(!queued.begun);
    return 0;
}

IN_RUNTIME(kill_ends_a_receive)
IN_RUNTIME(kill_ends_a_sleep)
IN_RUNTIME(kill_ends_a_call)
IN_RUNTIME(kill_ends_yielding)
IN_RUNTIME(kill_of_the_running_process_itself)
IN_RUNTIME(kill_of_one_that_has_not_run)
IN_RUNTIME(kill_of_one_that_is_ready)
IN_RUNTIME(kill_of_a_sleeper_that_is_ready)
IN_RUNTIME(kill_of_the_dead_is_harmless)
IN_RUNTIME(process_that_ignores_its_kill_does_not_hold_the_loop)
IN_RUNTIME(offload_that_has_begun_is_waited_for)
IN_RUNTIME(offload_that_is_queued_is_withdrawn)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(kill_ends_a_receive),
        RUNTIME_TEST(kill_ends_a_sleep),
        RUNTIME_TEST(kill_ends_a_call),
        RUNTIME_TEST(kill_ends_yielding),
        RUNTIME_TEST(kill_of_the_running_process_itself),
        RUNTIME_TEST(kill_of_one_that_has_not_run),
        RUNTIME_TEST(kill_of_one_that_is_ready),
        RUNTIME_TEST(kill_of_a_sleeper_that_is_ready),
        RUNTIME_TEST(kill_of_the_dead_is_harmless),
        RUNTIME_TEST(process_that_ignores_its_kill_does_not_hold_the_loop),
        RUNTIME_TEST(offload_that_has_begun_is_waited_for),
        RUNTIME_TEST(offload_that_is_queued_is_withdrawn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
