/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/process.h"

#include <inttypes.h>
#include <stdio.h>

#include "proc/runtime.h"
#include "proc/scheduler.h"
#include "proc/signal.h"

/* The public calls on processes, but for spawns (spawn.c) and messages (message.c). */

lario_proc *lario_proc_current(void)
{
    lario_sched *sched = lario_sched_current();

    return sched ? sched->current : NULL;
}

lario_pid lario_proc_pid(const lario_proc *proc)
{
    return lario_runtime_pid(proc->sched->loop->runtime, proc->serial);
}

lario_pid lario_self(void)
{
    lario_proc *self = lario_proc_current();

    return self ? lario_proc_pid(self) : (lario_pid){0};
}

const char *lario_pid_format(lario_pid pid, char text[LARIO_PID_TEXT_BYTES])
{
    snprintf(text, LARIO_PID_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64 ".%" PRIx64 ".%" PRIx64,
             pid.node[0], pid.node[1], pid.incarnation, pid.serial);
    return text;
}

bool lario_is_alive(lario_pid pid)
{
    lario_sched *sched = lario_sched_current();

    if (!sched || !lario_pid_is_set(pid))
        return false;
    lario_loop *loop = lario_runtime_loop_of(sched->loop->runtime, pid);

    /* Of another loop nothing better is known than that nobody has told of its end. */
    if (loop && loop != sched->loop)
        return true;
    return loop && lario_sched_find(sched, pid.serial);
}

int lario_sleep(int ms)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    int rc = lario_proc_park(self, LARIO_WAIT_OTHER, ms < 0 ? 0 : ms);

    return rc == LARIO_ETIMEDOUT ? 0 : rc;
}

int lario_yield(void)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    lario_proc_give_way(self);
    return self->is_killed ? LARIO_ECANCELED : 0;
}

int lario_kill(lario_pid pid, int reason)
{
    lario_sched *sched = lario_sched_current();

    if (!sched)
        return LARIO_ENOTPROC;
    if (reason >= 0)
        return LARIO_EINVAL;
    lario_message *message = lario_message_new(LARIO_SIGNAL_KILL, NULL, 0);

    if (!message)
        return LARIO_ENOMEM;
    message->code = reason;
    return lario_sched_route(sched, pid, message);
}

/* ---- Links and monitors ---- */

int lario_link(lario_pid pid)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    lario_message *theirs = lario_message_new(LARIO_SIGNAL_LINK, NULL, 0);
    lario_message *ours = lario_message_new(LARIO_SIGNAL_LINK, NULL, 0);

    if (!theirs || !ours) {
        lario_message_free(theirs);
        lario_message_free(ours);
        return LARIO_ENOMEM;
    }
    theirs->from = lario_proc_pid(self); /* whom the target's end is told to */
    ours->from = pid;                    /* whom our end is told to */
    ours->to = self->serial;
    (void)lario_signal_deliver(self->sched, lario_proc_pid(self), self, ours);
    return lario_sched_route(self->sched, pid, theirs);
}

void lario_unlink(lario_pid pid)
{
    lario_proc *self = lario_proc_current();

    if (self)
        lario_signal_unlink(self, pid);
}

void lario_trap_exits(bool on)
{
    lario_proc *self = lario_proc_current();

    if (self)
        self->traps_exits = on;
}

int lario_monitor(lario_pid pid, uint64_t *ret_ref)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    uint64_t ref = self->sched->next_ref++;
    int rc = lario_signal_monitor(self, pid, ref);

    if (rc == 0)
        *ret_ref = ref;
    return rc;
}

void lario_demonitor(uint64_t ref)
{
    lario_proc *self = lario_proc_current();

    if (self)
        lario_signal_demonitor(self, ref);
}
