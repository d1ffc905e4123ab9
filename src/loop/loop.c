/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop/loop.h"

#include <errno.h>
#include <limits.h>

#include "lario/error.h"
#include "sys/clock.h"

_Thread_local lario_loop *lario_loop_current;

int lario_loop_init(lario_loop *loop, unsigned index, void *runtime, const lario_log_target *log)
{
    *loop = (lario_loop){.index = index, .runtime = runtime, .log = log};
    loop->poller = lario_poller_new();
    if (!loop->poller)
        return -errno;
    loop->now_ns = lario_clock_ns();
    lario_wheel_init(&loop->wheel, lario_loop_now_ms(loop));
    lario_list_init(&loop->tasks);
    atomic_init(&loop->inbox, NULL);
    atomic_init(&loop->sleeps, false);
    atomic_init(&loop->beat, 0);
    return 0;
}

void lario_loop_hand(lario_loop *loop, lario_handoff *handoff)
{
    lario_handoff *head = atomic_load_explicit(&loop->inbox, memory_order_relaxed);

    do
        handoff->next = head;
    while (!atomic_compare_exchange_weak_explicit(&loop->inbox, &head, handoff,
                                                  memory_order_seq_cst, memory_order_relaxed));
    /*
     * Either this load sees that the loop sleeps, or the loop's look at the inbox, which comes
     * after it said so, sees the handoff: both sides order their two accesses sequentially. Only
     * who takes the flag down writes the wake, so that a flood costs one system call.
     */
    if (atomic_load(&loop->sleeps) && atomic_exchange(&loop->sleeps, false))
        lario_poller_wake(loop->poller);
}

/* Whether there was something. */
static bool drain_inbox(lario_loop *loop)
{
    lario_handoff *newest, *oldest = NULL;

    if (!atomic_load_explicit(&loop->inbox, memory_order_relaxed))
        return false;
    newest = atomic_exchange_explicit(&loop->inbox, NULL, memory_order_acquire);
    while (newest) {
        lario_handoff *next = newest->next;

        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    while (oldest) {
        lario_handoff *handoff = oldest;

        oldest = oldest->next;
        handoff->run(loop, handoff);
    }
    return true;
}

static void run_tasks(lario_loop *loop)
{
    lario_list_link tasks;

    /* A task deferred by a task waits for the next turn, so that a turn ends. */
    lario_list_take(&tasks, &loop->tasks);
    for (lario_list_link *link; (link = lario_list_pop_front(&tasks));) {
        lario_task *task = lario_container_of(link, lario_task, link);

        task->run(task);
    }
}

bool lario_loop_drain(lario_loop *loop)
{
    lario_loop_current = loop;
    bool has_run = drain_inbox(loop);

    run_tasks(loop);
    lario_loop_current = NULL;
    return has_run;
}

void lario_loop_done(lario_loop *loop)
{
    if (!loop->poller)
        return;
    (void)lario_loop_drain(loop);
    lario_poller_free(loop->poller);
    loop->poller = NULL;
}

/* Milliseconds until the next timer, for the poller. */
static int wait_ms(lario_loop *loop)
{
    uint64_t next = lario_wheel_next_ms(&loop->wheel);
    uint64_t now = lario_clock_ns() / LARIO_NS_PER_MS;

    if (next == UINT64_MAX)
        return -1;
    if (next <= now)
        return 0;
    return next - now < INT_MAX ? (int)(next - now) : INT_MAX;
}

static void wait_io(lario_loop *loop)
{
    int timeout = loop->has_ready || !lario_list_is_empty(&loop->tasks) ? 0 : wait_ms(loop);

    if (timeout != 0) {
        atomic_store(&loop->sleeps, true);
        if (atomic_load(&loop->inbox))
            timeout = 0;
    }
    int rc = lario_poller_wait(loop->poller, timeout);

    if (atomic_load_explicit(&loop->sleeps, memory_order_relaxed))
        atomic_store_explicit(&loop->sleeps, false, memory_order_relaxed);
    if (rc < 0)
        lario_log_to(loop->log, LARIO_LOG_ERROR, "poll_failed", "%s", lario_strerror(rc));
}

void lario_loop_run(lario_loop *loop)
{
    lario_loop_current = loop;
    while (!loop->is_stopped) {
        wait_io(loop);
        lario_loop_beat(loop);
        loop->now_ns = lario_clock_ns();
        loop->turn++;
        lario_poller_deliver(loop->poller);
        drain_inbox(loop);
        lario_wheel_advance(&loop->wheel, lario_loop_now_ms(loop));
        loop->run_ready(loop);
        run_tasks(loop);
    }
    lario_loop_current = NULL;
}

void lario_loop_stop(lario_loop *loop)
{
    loop->is_stopped = true;
}
