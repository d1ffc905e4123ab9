/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/signal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "in_runtime.h"

/* Links and monitors, each on the own loop (0) and across loops (1). */

#define REASON (-777)
#define LONG_MS 10000

/* Ends with the code that the next message brings; passes a kill's reason on otherwise. */
static int end_on_demand(void *arg)
{
    lario_msg msg;
    (void)arg;
    int rc = lario_receive_kind(LARIO_USER, &msg, -1);

    return rc < 0 ? rc : *(const int *)(const void *)msg.data;
}

static int end_with(void *arg)
{
    return (int)(intptr_t)arg;
}

static int spawn_on(int loop, lario_process_fn fn, void *arg, lario_pid *ret_pid)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    opts.loop = loop;
    return lario_spawn_opts(fn, arg, &opts, ret_pid);
}

static int tell_to_end(lario_pid pid, int code)
{
    return lario_send(pid, LARIO_USER, &code, sizeof code);
}

/* ---- Links. The linked pair is a child and a middle process, so that the test survives. ---- */

typedef struct middle_plan {
    int loop;      /* of the child */
    int code;      /* that the child ends with */
    bool traps;    /* exits */
    bool unlinks;  /* before the child ends */
    bool is_dead;  /* the child, before the link */
    lario_msg got; /* the LARIO_EXIT of a trapping one */
    lario_pid child;
} middle_plan;

static int run_middle(void *arg)
{
    middle_plan *plan = arg;
    lario_msg msg;
    uint64_t ref;

    lario_trap_exits(plan->traps);
    check(spawn_on(plan->loop, end_on_demand, NULL, &plan->child) == 0);
    check(lario_monitor(plan->child, &ref) == 0);
    if (plan->is_dead) {
        check(tell_to_end(plan->child, plan->code) == 0);
        check(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN);
    }
    check(lario_link(plan->child) == 0);
    if (!plan->is_dead) /* twice is once */
        check(lario_link(plan->child) == 0);
    if (plan->unlinks)
        lario_unlink(plan->child);
    if (!plan->is_dead)
        check(tell_to_end(plan->child, plan->code) == 0);
    if (plan->traps)
        check(lario_receive_kind(LARIO_EXIT, &plan->got, LONG_MS) == LARIO_EXIT);
    if (!plan->is_dead) {
        int rc = lario_receive_kind(LARIO_DOWN, &msg, LONG_MS);

        if (rc < 0)
            return rc;
    }
    /* What the link would do has been done by now, or in the next turns. */
    int rc = lario_sleep(20);

    if (rc == 0)
        rc = lario_receive_kind(LARIO_EXIT, &msg, 0) == LARIO_ETIMEDOUT ? 0 : -1;
    return rc;
}

/* The exit reason of the middle process. */
static int run_plan(middle_plan *plan, int *ret_reason)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_msg msg;

    opts.monitor = true;
    check(lario_spawn_opts(run_middle, plan, &opts, NULL) == 0);
    check(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN);
    *ret_reason = msg.code;
    return 0;
}

#define ON_BOTH_LOOPS(plan) for ((plan).loop = 0; (plan).loop < 2; (plan).loop++)

static int normal_end_leaves_the_linked_alone(void)
{
    middle_plan plan = {.code = 5};
    int reason;

    ON_BOTH_LOOPS(plan)
    {
        check(run_plan(&plan, &reason) == 0);
        check(reason == 0);
    }
    return 0;
}

static int failure_kills_the_linked_with_its_reason(void)
{
    middle_plan plan = {.code = REASON};
    int reason;

    ON_BOTH_LOOPS(plan)
    {
        check(run_plan(&plan, &reason) == 0);
        check(reason == REASON);
    }
    return 0;
}

static int trapped_exits_arrive_as_messages(void)
{
    static const int codes[] = {0, 7, REASON};
    middle_plan plan = {.traps = true};
    int reason;

    for (int i = 0; i < 3; i++)
        ON_BOTH_LOOPS(plan)
        {
            plan.code = codes[i];
            check(run_plan(&plan, &reason) == 0);
            check(reason == 0);
            check(plan.got.code == codes[i] && lario_pid_equal(plan.got.from, plan.child));
        }
    return 0;
}

static int unlinked_failure_does_not_reach(void)
{
    middle_plan plan = {.code = REASON, .unlinks = true};
    int reason;

    ON_BOTH_LOOPS(plan)
    {
        check(run_plan(&plan, &reason) == 0);
        check(reason == 0);
    }
    return 0;
}

static int link_to_a_dead_process_acts_at_once(void)
{
    middle_plan plan = {.is_dead = true};
    int reason;

    ON_BOTH_LOOPS(plan)
    {
        plan.traps = false;
        check(run_plan(&plan, &reason) == 0);
        check(reason == LARIO_ENOPROC);
        plan.traps = true;
        check(run_plan(&plan, &reason) == 0);
        check(reason == 0 && plan.got.code == LARIO_ENOPROC);
        check(lario_pid_equal(plan.got.from, plan.child));
    }
    return 0;
}

static int killed_child_is_told_by_link_and_monitor(void)
{
    lario_msg msg;
    lario_pid child;

    lario_trap_exits(true);
    for (int loop = 0; loop < 2; loop++) {
        uint64_t ref;

        check(spawn_on(loop, end_on_demand, NULL, &child) == 0);
        check(lario_link(child) == 0);
        check(lario_monitor(child, &ref) == 0);
        check(lario_kill(child, REASON) == 0);
        check(lario_receive_kind(LARIO_EXIT, &msg, LONG_MS) == LARIO_EXIT);
        check(msg.code == REASON);
        check(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN);
        check(msg.code == REASON && msg.ref == ref);
    }
    return 0;
}

/* A linker that fails takes the child with it. */
static int link_and_fail(void *arg)
{
    check(lario_link(*(lario_pid *)arg) == 0);
    return REASON;
}

static int failing_linker_kills_the_child(void)
{
    lario_msg msg;
    lario_pid child;
    uint64_t ref;

    for (int loop = 0; loop < 2; loop++) {
        check(spawn_on(loop, end_on_demand, NULL, &child) == 0);
        check(lario_monitor(child, &ref) == 0);
        check(lario_spawn(link_and_fail, &child, NULL) == 0);
        check(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN);
        check(msg.code == REASON);
    }
    return 0;
}

/* Pids that never were of this node: the unset one and one of another node. */
static int pids_of_no_process_read_as_dead(void)
{
    lario_pid pids[2] = {{.serial = 0}, lario_self()};
    lario_msg msg;
    uint64_t ref;

    pids[1].node[0] ^= 1;
    lario_trap_exits(true);
    for (int i = 0; i < 2; i++) {
        check(!lario_is_alive(pids[i]));
        check(lario_monitor(pids[i], &ref) == 0);
        check(lario_receive(&msg, 0) == LARIO_DOWN);
        check(msg.code == LARIO_ENOPROC && msg.ref == ref && lario_pid_equal(msg.from, pids[i]));
        check(lario_link(pids[i]) == 0);
        check(lario_receive(&msg, 0) == LARIO_EXIT);
        check(msg.code == LARIO_ENOPROC && lario_pid_equal(msg.from, pids[i]));
        check(lario_call(pids[i], LARIO_USER, NULL, 0, &msg, LONG_MS) == LARIO_ENOPROC);
        check(lario_kill(pids[i], -1) == 0);
        lario_unlink(pids[i]);
    }
    return 0;
}

/* ---- Spawning with a link or a monitor ---- */

static int spawn_with_monitor_tells_the_true_reason(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_msg msg;
    lario_pid pid;

    opts.monitor = true;
    for (int i = 0; i < 400; i++) {
        opts.loop = i & 1;
        check(lario_spawn_opts(end_with, (void *)(intptr_t)(i - 200), &opts, &pid) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
        check(msg.code == i - 200 && lario_pid_equal(msg.from, pid));
    }
    return 0;
}

static int spawn_with_link_tells_the_true_reason(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_msg msg;

    opts.link = true;
    /* Without trapping first: a normal end at once must not look like a link to the dead. */
    for (int i = 0; i < 200; i++) {
        opts.loop = i & 1;
        check(lario_spawn_opts(end_with, NULL, &opts, NULL) == 0);
        check(lario_yield() == 0);
    }
    check(lario_sleep(20) == 0);
    lario_trap_exits(true);
    opts.monitor = true;
    for (int i = 0; i < 200; i++) {
        opts.loop = i & 1;
        check(lario_spawn_opts(end_with, (void *)(intptr_t)(i - 100), &opts, NULL) == 0);
        check(lario_receive_kind(LARIO_EXIT, &msg, LONG_MS) == LARIO_EXIT && msg.code == i - 100);
        check(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN && msg.code == i - 100);
    }
    return 0;
}

/* ---- Monitors ---- */

static int down_arrives_once_with_ref_and_reason(void)
{
    static const int codes[] = {0, 9, REASON};
    lario_msg msg;
    lario_pid pid;
    uint64_t refs[2];

    for (int loop = 0; loop < 2; loop++)
        for (int i = 0; i < 3; i++) {
            check(spawn_on(loop, end_on_demand, NULL, &pid) == 0);
            check(lario_monitor(pid, &refs[0]) == 0);
            check(lario_monitor(pid, &refs[1]) == 0);
            check(refs[0] != refs[1]);
            check(tell_to_end(pid, codes[i]) == 0);
            for (int k = 0; k < 2; k++) {
                check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
                check(msg.ref == refs[k] && msg.code == codes[i]);
                check(lario_pid_equal(msg.from, pid) && msg.len == 0 && msg.data);
            }
            check(lario_receive(&msg, 5) == LARIO_ETIMEDOUT);
        }
    return 0;
}

static int monitor_of_a_dead_process_is_down_at_once(void)
{
    lario_msg msg;
    lario_pid pid;
    uint64_t ref;

    for (int loop = 0; loop < 2; loop++) {
        check(spawn_on(loop, end_on_demand, NULL, &pid) == 0);
        check(lario_monitor(pid, &ref) == 0);
        check(tell_to_end(pid, 0) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
        check(lario_monitor(pid, &ref) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
        check(msg.code == LARIO_ENOPROC && msg.ref == ref && lario_pid_equal(msg.from, pid));
    }
    return 0;
}

static int demonitored_end_is_not_told(void)
{
    lario_msg msg;
    lario_pid pid;
    uint64_t dropped, kept;

    for (int loop = 0; loop < 2; loop++) {
        check(spawn_on(loop, end_on_demand, NULL, &pid) == 0);
        check(lario_monitor(pid, &dropped) == 0);
        check(lario_monitor(pid, &kept) == 0);
        lario_demonitor(dropped);
        lario_demonitor(dropped);
        lario_demonitor(123456789);
        check(tell_to_end(pid, 0) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.ref == kept);
        /* One taken back while its notice is on the way is dropped as well. */
        check(lario_monitor(pid, &dropped) == 0);
        if (loop == 0)
            check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.ref == dropped);
        lario_demonitor(dropped);
        check(lario_receive(&msg, 20) == LARIO_ETIMEDOUT);
    }
    return 0;
}

/* A ref belongs to the process that got it: nobody else can end its monitor. */
static int demonitor_all(void *arg)
{
    for (uint64_t ref = 0; ref < *(uint64_t *)arg + 10; ref++)
        lario_demonitor(ref);
    return 0;
}

static int monitor_is_ended_by_its_owner_only(void)
{
    lario_msg msg;
    lario_pid pid;
    uint64_t ref;

    check(lario_spawn(end_on_demand, NULL, &pid) == 0);
    check(lario_monitor(pid, &ref) == 0);
    check(lario_spawn(demonitor_all, &ref, NULL) == 0);
    check(lario_yield() == 0);
    check(tell_to_end(pid, 0) == 0);
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.ref == ref);
    return 0;
}

static int monitor_and_end(void *arg)
{
    uint64_t ref;

    for (int i = 0; i < 50; i++)
        check(lario_monitor(*(lario_pid *)arg, &ref) == 0);
    return 0;
}

static int watcher_that_ends_leaves_nothing_behind(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_msg msg;
    lario_pid pid;

    for (int loop = 0; loop < 2; loop++) {
        check(spawn_on(loop, end_on_demand, NULL, &pid) == 0);
        opts.monitor = true;
        check(lario_spawn_opts(monitor_and_end, &pid, &opts, NULL) == 0);
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == 0);
        check(tell_to_end(pid, 0) == 0);
    }
    return 0;
}

#define MASS 1000

static int mass_death(int watched, int loop_of_first, int loop_step)
{
    static lario_pid pids[MASS];
    static uint64_t refs[MASS];
    static bool seen[MASS];
    lario_msg msg;

    for (int i = 0; i < watched; i++) {
        seen[i] = false;
        check(spawn_on((loop_of_first + i * loop_step) % 2, end_on_demand, NULL, &pids[i]) == 0);
        check(lario_monitor(pids[i], &refs[i]) == 0);
    }
    for (int i = 0; i < watched; i++)
        check(lario_kill(pids[(i * 7919) % watched], -1 - (i * 7919) % watched) == 0);
    for (int i = 0; i < watched; i++) {
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
        int at = -1 - msg.code;

        check(at >= 0 && at < watched && !seen[at]);
        check(msg.ref == refs[at] && lario_pid_equal(msg.from, pids[at]));
        seen[at] = true;
    }
    check(lario_receive(&msg, 10) == LARIO_ETIMEDOUT);
    return 0;
}

static int mass_death_is_told_for_each(void)
{
    check(mass_death(MASS, 0, 0) == 0);
    check(mass_death(MASS, 1, 0) == 0);
    check(mass_death(MASS, 0, 1) == 0);
    return 0;
}

/* Notices of ends are no flood: the limits of the mailbox do not hold for them. */
static int collect_downs(void *arg)
{
    lario_msg msg;
    uint64_t ref;

    for (int i = 0; i < 100; i++)
        check(lario_monitor((lario_pid){0}, &ref) == 0);
    for (int i = 0; i < 100; i++)
        check(lario_receive(&msg, 0) == LARIO_DOWN);
    *(int *)arg = 1;
    return 0;
}

static int notices_are_not_limited_by_the_mailbox(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_msg msg;
    int is_done = 0;

    opts.mailbox_max = 2;
    opts.mailbox_bytes_max = 10;
    opts.monitor = true;
    check(lario_spawn_opts(collect_downs, &is_done, &opts, NULL) == 0);
    check(lario_receive(&msg, LONG_MS) == LARIO_DOWN);
    check(is_done);
    return 0;
}

IN_RUNTIME(normal_end_leaves_the_linked_alone)
IN_RUNTIME(failure_kills_the_linked_with_its_reason)
IN_RUNTIME(trapped_exits_arrive_as_messages)
IN_RUNTIME(unlinked_failure_does_not_reach)
IN_RUNTIME(link_to_a_dead_process_acts_at_once)
IN_RUNTIME(killed_child_is_told_by_link_and_monitor)
IN_RUNTIME(failing_linker_kills_the_child)
IN_RUNTIME(pids_of_no_process_read_as_dead)
IN_RUNTIME(spawn_with_monitor_tells_the_true_reason)
IN_RUNTIME(spawn_with_link_tells_the_true_reason)
IN_RUNTIME(down_arrives_once_with_ref_and_reason)
IN_RUNTIME(monitor_of_a_dead_process_is_down_at_once)
IN_RUNTIME(demonitored_end_is_not_told)
IN_RUNTIME(monitor_is_ended_by_its_owner_only)
IN_RUNTIME(watcher_that_ends_leaves_nothing_behind)
IN_RUNTIME(mass_death_is_told_for_each)
IN_RUNTIME(notices_are_not_limited_by_the_mailbox)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(normal_end_leaves_the_linked_alone),
        RUNTIME_TEST(failure_kills_the_linked_with_its_reason),
        RUNTIME_TEST(trapped_exits_arrive_as_messages),
        RUNTIME_TEST(unlinked_failure_does_not_reach),
        RUNTIME_TEST(link_to_a_dead_process_acts_at_once),
        RUNTIME_TEST(killed_child_is_told_by_link_and_monitor),
        RUNTIME_TEST(failing_linker_kills_the_child),
        RUNTIME_TEST(pids_of_no_process_read_as_dead),
        RUNTIME_TEST(spawn_with_monitor_tells_the_true_reason),
        RUNTIME_TEST(spawn_with_link_tells_the_true_reason),
        RUNTIME_TEST(down_arrives_once_with_ref_and_reason),
        RUNTIME_TEST(monitor_of_a_dead_process_is_down_at_once),
        RUNTIME_TEST(demonitored_end_is_not_told),
        RUNTIME_TEST(monitor_is_ended_by_its_owner_only),
        RUNTIME_TEST(watcher_that_ends_leaves_nothing_behind),
        RUNTIME_TEST(mass_death_is_told_for_each),
        RUNTIME_TEST(notices_are_not_limited_by_the_mailbox),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
