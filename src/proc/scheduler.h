/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_SCHEDULER_H
#define LARIO_PROC_SCHEDULER_H

#include "lario/runtime.h"
#include "proc/monitor_table.h"
#include "proc/process.h"
#include "proc/stack_pool.h"

/*
 * The processes of one loop. A serial number holds the loop, a slot of the loop's table, and the
 * number of times that the slot was used; a slot whose count is used up is retired, so that a
 * serial never names two processes.
 *
 *     63      56 55                32 31                             0
 *     |  loop   |      slot + 1      |           generation          |
 */
#define LARIO_SERIAL_SLOT_BITS 24
#define LARIO_SLOTS_MAX ((1u << LARIO_SERIAL_SLOT_BITS) - 1)
#define LARIO_STACK_BYTES_DEFAULT 65536

typedef struct lario_slot {
    lario_proc *proc; /* NULL: unused */
    uint32_t generation;
    uint32_t next_free; /* slot + 1 */
} lario_slot;

struct lario_sched {
    lario_loop *loop;
    lario_context context; /* of the loop's thread, where processes give way to */
    lario_proc *current;
    lario_list_link ready;
    lario_slot *slots;
    uint32_t slots_used; /* of the table: those that were ever used */
    uint32_t slots_room;
    uint32_t first_free; /* slot + 1, or 0 */
    uint32_t processes;
    uint32_t processes_max;
    uint64_t next_ref;
    lario_monitor_table monitors;
    bool is_stopping; /* no new processes */
    lario_stack_pool stacks;
};

void lario_sched_init(lario_sched *sched, lario_loop *loop, uint32_t processes_max,
                      size_t stacks_kept);

/* Abandons processes that are left. */
void lario_sched_done(lario_sched *sched);

/* The scheduler of the calling thread's loop, or NULL. */
static inline lario_sched *lario_sched_current(void)
{
    return lario_loop_current ? lario_loop_current->slots[LARIO_LOOP_SLOT_PROC] : NULL;
}

static inline unsigned lario_serial_loop(uint64_t serial)
{
    return (unsigned)(serial >> 56);
}

/* The live process with this serial on this loop, or NULL. */
lario_proc *lario_sched_find(lario_sched *sched, uint64_t serial);

/*
 * Makes a process, ready or, with `run_now`, running until it first parks. The latter only from the
 * loop itself, never from inside of a process: it may have ended when this returns. `hook` (NULL:
 * none) is its first exit hook. Errors: as for lario_spawn_opts().
 */
int lario_sched_spawn(lario_sched *sched, lario_process_fn fn, void *arg,
                      const lario_spawn_options *opts, lario_exit_hook *hook,
                      lario_proc **ret_proc);
int lario_sched_start(lario_sched *sched, lario_process_fn fn, void *arg,
                      const lario_spawn_options *opts, lario_exit_hook *hook,
                      lario_proc **ret_proc);

/* Takes a process that has not run yet out of the queue: it waits for LARIO_SIGNAL_START. */
void lario_sched_hold(lario_proc *proc);

/* Kills every process, and refuses new ones from now on. */
void lario_sched_kill_all(lario_sched *sched, int reason);

/*
 * Brings a message to its receiver: at once on this loop, else through the inbox of the other.
 * Owns `message`. LARIO_EFULL when the mailbox of a process on this loop is full.
 */
int lario_sched_route(lario_sched *sched, lario_pid to, lario_message *message);

/* The same for threads that are no loop of the runtime. */
int lario_sched_post(lario_runtime *runtime, lario_pid to, lario_message *message);

/*
 * Calls fn(loop, arg) on loop number `index`, and parks the running process until it is done;
 * directly when that is its own loop.
 */
void lario_sched_call_on(lario_proc *self, unsigned index, void (*fn)(lario_loop *loop, void *arg),
                         void *arg);

#endif
