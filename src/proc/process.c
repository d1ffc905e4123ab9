/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/process.h"

#include <inttypes.h>
#include <stdio.h>

#include "proc/runtime.h"
#include "proc/scheduler.h"
#include "proc/signal.h"

/* The public calls on processes, but for messages (message.c). */

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

/* A spawn on its way to its loop. */
typedef struct spawn_request {
    lario_process_fn fn;
    void *arg;
    const lario_spawn_options *opts;
    bool is_held; /* until the caller has linked to it or monitors it */
    lario_pid pid;
    int rc;
} spawn_request;

static void spawn_here(lario_loop *loop, void *arg)
{
    spawn_request *request = arg;
    lario_proc *proc;

    request->rc = lario_sched_spawn(loop->slots[LARIO_LOOP_SLOT_PROC], request->fn, request->arg,
                                    request->opts, NULL, &proc);
    if (request->rc < 0)
        return;
    request->pid = lario_proc_pid(proc);
    if (request->is_held)
        lario_sched_hold(proc);
}

/*
 * Links and monitors as asked, before the new process runs: its end is seen whatever it does. When
 * that fails the process is killed by the very message that would have started it.
 */
static int attach(lario_proc *self, lario_pid pid, const lario_spawn_options *opts,
                  lario_message *start)
{
    int rc = opts->link ? lario_link(pid) : 0;

    if (rc == 0 && opts->monitor)
        rc = lario_signal_monitor(self, pid, self->sched->next_ref++);
    if (rc < 0) {
        lario_unlink(pid);
        start->kind = LARIO_SIGNAL_KILL;
        start->code = rc;
    }
    (void)lario_sched_route(self->sched, pid, start);
    return rc;
}

int lario_spawn_opts(lario_process_fn fn, void *arg, const lario_spawn_options *opts,
                     lario_pid *ret_pid)
{
    lario_proc *self = lario_proc_current();
    spawn_request request = {.fn = fn, .arg = arg, .opts = opts};

    if (!self)
        return LARIO_ENOTPROC;
    if (opts->loop < -1 || opts->loop >= (int)lario_runtime_loops(lario_runtime_here()))
        return LARIO_EINVAL;
    if (self->is_killed)
        return LARIO_ECANCELED;
    unsigned index = opts->loop < 0 ? self->sched->loop->index : (unsigned)opts->loop;
    lario_message *start = NULL;

    request.is_held = opts->link || opts->monitor;
    if (request.is_held) {
        start = lario_message_new(LARIO_SIGNAL_START, NULL, 0);
        if (!start)
            return LARIO_ENOMEM;
    }
    lario_sched_call_on(self, index, spawn_here, &request);
    if (request.rc < 0) {
        lario_message_free(start);
        return request.rc;
    }
    int rc = start ? attach(self, request.pid, opts, start) : 0;

    if (rc == 0 && ret_pid)
        *ret_pid = request.pid;
    return rc;
}

int lario_spawn(lario_process_fn fn, void *arg, lario_pid *ret_pid)
{
    static const lario_spawn_options defaults = LARIO_SPAWN_OPTIONS_INIT;

    return lario_spawn_opts(fn, arg, &defaults, ret_pid);
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
