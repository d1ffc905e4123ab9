/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/runtime.h"
#include "proc/runtime.h"
#include "proc/scheduler.h"
#include "proc/signal.h"

/* The public spawns, from a process and from a thread outside of the loops. */

/* A spawn on its way to its loop. */
typedef struct spawn_request {
    lario_process_fn fn;
    void *arg;
    const lario_spawn_options *opts;
    bool is_held; /* until the caller has linked to it or monitors it */
    lario_pid pid;
    int rc;
} spawn_request;

/* The same for both spawns: no options are the defaults, and the loop exists. */
static int prepare(spawn_request *request, const lario_runtime *runtime)
{
    static const lario_spawn_options defaults = LARIO_SPAWN_OPTIONS_INIT;

    if (!request->opts)
        request->opts = &defaults;
    if (request->opts->loop < -1 || request->opts->loop >= (int)lario_runtime_loops(runtime))
        return LARIO_EINVAL;
    return 0;
}

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
    int rc = prepare(&request, lario_runtime_here());

    if (rc < 0)
        return rc;
    if (self->is_killed)
        return LARIO_ECANCELED;
    opts = request.opts;
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
    if (start)
        rc = attach(self, request.pid, opts, start);
    if (rc == 0 && ret_pid)
        *ret_pid = request.pid;
    return rc;
}

int lario_spawn(lario_process_fn fn, void *arg, lario_pid *ret_pid)
{
    return lario_spawn_opts(fn, arg, NULL, ret_pid);
}

int lario_runtime_spawn(lario_runtime *runtime, lario_process_fn fn, void *arg,
                        const lario_spawn_options *opts, lario_pid *ret_pid)
{
    spawn_request request = {.fn = fn, .arg = arg, .opts = opts};

    if (!lario_runtime_is_running(runtime))
        return LARIO_ESTATE;
    int rc = prepare(&request, runtime);

    if (rc < 0)
        return rc;
    if (request.opts->link || request.opts->monitor)
        return LARIO_EINVAL;
    unsigned index = request.opts->loop < 0 ? 0 : (unsigned)request.opts->loop;

    lario_runtime_call(runtime, index, spawn_here, &request);
    if (request.rc == 0 && ret_pid)
        *ret_pid = request.pid;
    return request.rc;
}
