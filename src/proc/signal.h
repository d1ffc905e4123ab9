/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_SIGNAL_H
#define LARIO_PROC_SIGNAL_H

#include "proc/process.h"

/*
 * What processes tell each other beyond messages. A signal travels like a message, so it keeps its
 * order with them, and is acted upon at the receiver's loop.
 *
 * The notice of a monitor or link is the very message that set it up: it waits in the `notices` of
 * the watched process and is sent when that ends. So an end needs no memory, and cannot fail.
 */
enum lario_signal {
    LARIO_SIGNAL_MONITOR = -1,   /* keep this message; send it as LARIO_DOWN when you end */
    LARIO_SIGNAL_DEMONITOR = -2, /* drop the notice `record` */
    LARIO_SIGNAL_LINK = -3,      /* keep this message; send it as LARIO_EXIT when you end */
    LARIO_SIGNAL_UNLINK = -4,    /* drop the link with `from` */
    LARIO_SIGNAL_KILL = -5,      /* end with `code` */
    LARIO_SIGNAL_REPLY = -6,     /* the answer to the call `ref` */
    LARIO_SIGNAL_START = -7,     /* begin to run; see lario_sched_hold() */
};

/*
 * Acts on a message or signal for `to`, which is `proc`, or nobody when that is NULL. Owns
 * `message`.
 */
int lario_signal_deliver(lario_sched *sched, lario_pid to, lario_proc *proc,
                         lario_message *message);

/* Sends the notices of a process that has ended and drops its monitors. */
void lario_signal_ended(lario_proc *proc);

/* Drops the notices and monitors of a process that is abandoned; nobody is told. */
void lario_signal_abandoned(lario_proc *proc);

/* Sets up a monitor under a fresh `ref` of the scheduler; see lario_monitor(). */
int lario_signal_monitor(lario_proc *self, lario_pid target, uint64_t ref);
void lario_signal_demonitor(lario_proc *self, uint64_t ref);

/* Ends the link with `peer` on both sides; nothing when there is none. */
void lario_signal_unlink(lario_proc *self, lario_pid peer);

#endif
