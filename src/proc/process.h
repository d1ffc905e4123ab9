/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_PROCESS_H
#define LARIO_PROC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "lario/process.h"
#include "loop/loop.h"
#include "proc/context.h"
#include "proc/mailbox.h"

/*
 * One process. The structure lies at the top of the process' own stack, so that a parked process
 * with little on its stack costs one page in all:
 *
 *     stack                                                          stack + stack_bytes
 *     | guard page | ...    untouched    ... | frames of the process | lario_proc |
 *                                              <- grows
 */

typedef struct lario_proc lario_proc;
typedef struct lario_sched lario_sched;

enum lario_proc_state {
    LARIO_PROC_READY,   /* in the scheduler's queue */
    LARIO_PROC_RUNNING, /* has the loop, or called something that has it */
    LARIO_PROC_PARKED,  /* somebody will wake it */
    LARIO_PROC_DEAD,    /* has returned, is being cleaned up */
};

/* What a parked process waits for: who may wake it for which reason. */
enum lario_proc_wait {
    LARIO_WAIT_OTHER,     /* a timer, a worker */
    LARIO_WAIT_CONN,      /* its own connection: input, room for output, the end */
    LARIO_WAIT_RECEIVE,   /* a message, or data of its source */
    LARIO_WAIT_REPLY,     /* the answer to a call */
    LARIO_WAIT_UNTIL_DONE /* work elsewhere that uses its stack: a kill does not end the wait */
};

/*
 * Something beside the mailbox that lario_receive() takes messages from: the process' own
 * connection. `receive` returns a kind (more than 0) with *ret_msg, if it is the wanted one (0:
 * any); LARIO_EAGAIN when there is nothing now; or a failure for the receiver, whatever kind it
 * wants. `released` tells that the message returned before is not needed any more.
 */
typedef struct lario_source {
    int (*receive)(struct lario_source *source, int kind, lario_msg *ret_msg);
    void (*released)(struct lario_source *source);
    /* A message that is for the source, not for the process; NULL: such are dropped. May park. */
    int (*forward)(struct lario_source *source, struct lario_message *message);
} lario_source;

/* The kind of those messages; the process never sees them. */
#define LARIO_KIND_FOR_SOURCE 8

/* Called when a process has ended, on its loop, after its stack was left. May free the hook. */
typedef struct lario_exit_hook {
    lario_list_link link;
    void (*fn)(struct lario_exit_hook *hook, lario_proc *proc, int reason);
} lario_exit_hook;

struct lario_proc {
    lario_context context;
    lario_sched *sched;
    uint64_t serial;

    uint8_t state;
    uint8_t wait;
    bool is_killed;
    bool traps_exits;
    bool source_first; /* whose turn it is when mailbox and source both have something */
    bool source_msg;   /* the message last received came from the source */
    int reason;        /* why it was killed, or what it returned */
    int wake_rc;

    lario_list_link ready_link;
    lario_timer timer;

    lario_mailbox mailbox;
    int wait_kind;          /* LARIO_WAIT_RECEIVE: the kind wanted, 0 for any */
    uint64_t wait_ref;      /* LARIO_WAIT_REPLY: the call */
    lario_message *reply;   /* and its answer */
    lario_message *current; /* what the caller looks at, freed at the next receive */
    lario_source *source;

    lario_list_link notices;  /* messages to send when it ends: of monitors and links */
    lario_list_link monitors; /* of lario_monitor_record */
    lario_list_link hooks;

    lario_process_fn fn;
    void *arg;
    const char *label;
    uint64_t started_ms;
    void *stack;
    size_t stack_bytes;
};

/* The running process, or NULL when the thread runs none. */
lario_proc *lario_proc_current(void);

lario_pid lario_proc_pid(const lario_proc *proc);

/*
 * Parks the running process until lario_proc_wake(), or for `timeout_ms` (-1: without end).
 * Returns what the waker says; LARIO_ETIMEDOUT; LARIO_ECANCELED, at once when it is killed, but
 * for LARIO_WAIT_UNTIL_DONE.
 */
int lario_proc_park(lario_proc *proc, enum lario_proc_wait wait, int timeout_ms);

/* Lets all others that are ready run. */
void lario_proc_give_way(lario_proc *proc);

/*
 * What a parking call of a killed process returns: LARIO_ECANCELED. It gives way first, so that a
 * process that does not heed it burns its own time only, and cannot hold the loop.
 */
int lario_proc_canceled(lario_proc *proc);

/* Makes a parked process ready; nothing when it is not parked. On its loop. */
void lario_proc_wake(lario_proc *proc, int rc);

/*
 * Runs a parked process now instead of queueing it, so that it finds data where it arrived. Only
 * from the loop itself, never from inside of a process. Nothing when it is not parked.
 */
void lario_proc_resume(lario_proc *proc, int rc);

/* Whether it is parked in lario_receive() and would take a message of `kind`. */
bool lario_proc_wants(const lario_proc *proc, int kind);

/* Whether it is parked for its connection, or in a receive that the connection's end concerns. */
static inline bool lario_proc_waits_for_conn(const lario_proc *proc)
{
    return proc && proc->state == LARIO_PROC_PARKED &&
           (proc->wait == LARIO_WAIT_CONN || proc->wait == LARIO_WAIT_RECEIVE);
}

/* Marks it killed with `reason` (negative) and ends its wait. On its loop. */
void lario_proc_kill(lario_proc *proc, int reason);

void lario_proc_add_hook(lario_proc *proc, lario_exit_hook *hook);
static inline void lario_exit_hook_remove(lario_exit_hook *hook)
{
    lario_list_remove(&hook->link);
}

#endif
