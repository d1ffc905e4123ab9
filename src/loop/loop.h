/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_LOOP_LOOP_H
#define LARIO_LOOP_LOOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "log/log.h"
#include "loop/timer.h"
#include "sys/poller.h"

typedef struct lario_loop lario_loop;

/* Work that another thread hands to a loop; embedded in what it is about. */
typedef struct lario_handoff {
    struct lario_handoff *next;
    void (*run)(lario_loop *loop, struct lario_handoff *handoff);
} lario_handoff;

/* Work put off to the end of the turn; embedded, must be initialised. */
typedef struct lario_task {
    lario_list_link link;
    void (*run)(struct lario_task *task);
} lario_task;

/* One slot for the state that each higher layer keeps on a loop. */
enum lario_loop_slot {
    LARIO_LOOP_SLOT_PROC,
    LARIO_LOOP_SLOT_NET,
    LARIO_LOOP_SLOT_HTTP,
    LARIO_LOOP_SLOTS,
};

struct lario_loop {
    unsigned index;
    void *runtime; /* of proc/; opaque here */
    lario_poller *poller;
    lario_wheel wheel;
    uint64_t now_ns; /* of this turn */
    uint64_t turn;   /* counts them */
    lario_list_link tasks;
    void *slots[LARIO_LOOP_SLOTS];
    const lario_log_target *log;

    /* Runs what is ready for about one turn's time. `has_ready` keeps the loop from sleeping: it is
     * set by whoever makes something ready, and cleared here when nothing is left. */
    void (*run_ready)(lario_loop *loop);
    bool has_ready;

    bool is_stopped;

    /* Shared with other threads. */
    _Alignas(64) _Atomic(lario_handoff *) inbox; /* newest first */
    atomic_bool sleeps;                          /* about to wait, or waiting: must be woken */
    _Atomic uint64_t beat;                       /* changes whenever the loop gets on */
};

/* `log` must outlive the loop. 0, or -errno. */
int lario_loop_init(lario_loop *loop, unsigned index, void *runtime, const lario_log_target *log);

/*
 * Runs handed-over work and tasks that are left on a loop that does not run, as if on its thread.
 * Whether work had been handed over: it may have handed over more, here or to other loops.
 */
bool lario_loop_drain(lario_loop *loop);

/* Runs what is left, then frees. Of a loop that does not run. */
void lario_loop_done(lario_loop *loop);

/* Turns until lario_loop_stop(); makes `loop` the thread's own. */
void lario_loop_run(lario_loop *loop);

/* Ends the run after this turn. The loop's thread. */
void lario_loop_stop(lario_loop *loop);

/*
 * Any thread: `handoff->run` is called on the loop's thread, soon. What one thread hands over is
 * run in its order.
 */
void lario_loop_hand(lario_loop *loop, lario_handoff *handoff);

static inline void lario_task_init(lario_task *task, void (*run)(lario_task *task))
{
    lario_list_init(&task->link);
    task->run = run;
}

/* Runs `task` at the end of this turn, once, however often it is asked. */
static inline void lario_loop_defer(lario_loop *loop, lario_task *task)
{
    if (!lario_list_is_linked(&task->link))
        lario_list_push_back(&loop->tasks, &task->link);
}

static inline void lario_task_cancel(lario_task *task)
{
    lario_list_remove(&task->link);
}

static inline uint64_t lario_loop_now_ms(const lario_loop *loop)
{
    return loop->now_ns / 1000000;
}

/* Starts a timer `after_ms` from now; it never expires early. */
static inline void lario_loop_timer_start(lario_loop *loop, lario_timer *timer, uint64_t after_ms)
{
    lario_wheel_start(&loop->wheel, timer, lario_loop_now_ms(loop) + after_ms + 1);
}

/* Tells the stall detector that the loop gets on. */
static inline void lario_loop_beat(lario_loop *loop)
{
    atomic_store_explicit(&loop->beat, atomic_load_explicit(&loop->beat, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/* The loop that the calling thread runs, or NULL. The one thread-local of the library. */
extern _Thread_local lario_loop *lario_loop_current;

#endif
