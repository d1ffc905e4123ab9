/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/process.h"

#include "proc/runtime.h"
#include "proc/scheduler.h"

typedef struct listing {
    lario_process_info *infos;
    size_t max;
    size_t count;
} listing;

static const char *state_of(const lario_proc *proc)
{
    switch (proc->state) {
    case LARIO_PROC_RUNNING:
        return "running";
    case LARIO_PROC_READY:
        return "ready";
    default:
        return proc->wait == LARIO_WAIT_RECEIVE ? "receiving" : "waiting";
    }
}

static void list_loop(lario_loop *loop, void *arg)
{
    listing *list = arg;
    lario_sched *sched = loop->slots[LARIO_LOOP_SLOT_PROC];

    for (uint32_t i = 0; i < sched->slots_used && list->count < list->max; i++) {
        const lario_proc *proc = sched->slots[i].proc;

        if (!proc)
            continue;
        list->infos[list->count++] = (lario_process_info){
            .pid = lario_proc_pid(proc),
            .label = proc->label,
            .state = state_of(proc),
            .loop = loop->index,
            .mailbox = proc->mailbox.count,
            .mailbox_drops = proc->mailbox.drops,
            .age_ms = lario_loop_now_ms(loop) - proc->started_ms,
        };
    }
}

int lario_process_list(lario_process_info *ret_infos, size_t max)
{
    lario_proc *self = lario_proc_current();
    listing list = {.infos = ret_infos, .max = max < INT32_MAX ? max : INT32_MAX};

    if (!self)
        return LARIO_ENOTPROC;
    for (unsigned i = 0; i < lario_runtime_loops(lario_runtime_here()); i++) {
        if (self->is_killed)
            return lario_proc_canceled(self);
        lario_sched_call_on(self, i, list_loop, &list);
    }
    return (int)list.count;
}
