/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/signal.h"

#include <stdlib.h>

#include "proc/runtime.h"
#include "proc/scheduler.h"

/* Turns a notice into the message it stands for and sends it to who asked for it. */
static void send_notice(lario_sched *sched, lario_message *notice, lario_pid ended, int reason)
{
    lario_pid to = notice->from;

    notice->kind = notice->kind == LARIO_SIGNAL_LINK ? LARIO_EXIT : LARIO_DOWN;
    notice->code = reason;
    notice->from = ended;
    (void)lario_sched_route(sched, to, notice);
}

static lario_monitor_record *find_monitor(lario_proc *proc, uint64_t ref)
{
    lario_monitor_record *record = lario_monitor_table_find(&proc->sched->monitors, ref);

    return record && record->owner == proc->serial ? record : NULL;
}

static void free_monitor(lario_proc *proc, lario_monitor_record *record)
{
    lario_monitor_table_remove(&proc->sched->monitors, record);
    lario_list_remove(&record->link);
    free(record);
}

/* The notice of the link with `peer`, or NULL. */
static lario_message *find_link(lario_proc *proc, lario_pid peer)
{
    for (lario_list_link *link = proc->notices.next; link != &proc->notices; link = link->next) {
        lario_message *notice = lario_container_of(link, lario_message, link);

        if (notice->kind == LARIO_SIGNAL_LINK && lario_pid_equal(notice->from, peer))
            return notice;
    }
    return NULL;
}

static void drop_notice(lario_message *notice)
{
    if (!notice)
        return;
    lario_list_remove(&notice->link);
    lario_message_free(notice);
}

static void wake_receiver(lario_proc *proc, int kind)
{
    if (lario_proc_wants(proc, kind))
        lario_proc_wake(proc, 0);
}

/* A monitored process ended: the caller of lario_call() is told directly. */
static int deliver_down(lario_proc *proc, lario_message *message)
{
    lario_monitor_record *record = find_monitor(proc, message->ref);

    if (!record) { /* taken back while the notice was on its way */
        lario_message_free(message);
        return 0;
    }
    free_monitor(proc, record);
    if (proc->wait_ref == message->ref) {
        lario_message_free(message);
        proc->wait_ref = 0;
        if (proc->wait == LARIO_WAIT_REPLY)
            lario_proc_wake(proc, LARIO_ENOPROC);
        return 0;
    }
    lario_mailbox_push_notice(&proc->mailbox, message);
    wake_receiver(proc, LARIO_DOWN);
    return 0;
}

static int deliver_exit(lario_proc *proc, lario_message *message)
{
    lario_message *own = find_link(proc, message->from);
    int reason = message->code;

    if (!own) { /* unlinked while the notice was on its way */
        lario_message_free(message);
        return 0;
    }
    drop_notice(own);
    if (proc->traps_exits) {
        lario_mailbox_push_notice(&proc->mailbox, message);
        wake_receiver(proc, LARIO_EXIT);
        return 0;
    }
    lario_message_free(message);
    if (reason < 0)
        lario_proc_kill(proc, reason);
    return 0;
}

static int deliver_reply(lario_proc *proc, lario_message *message)
{
    if (proc->wait_ref != message->ref || proc->reply) { /* too late */
        lario_message_free(message);
        return 0;
    }
    proc->reply = message;
    if (proc->wait == LARIO_WAIT_REPLY)
        lario_proc_wake(proc, 0);
    return 0;
}

/* A link that is there already stays one. */
static int keep_link(lario_proc *proc, lario_message *message)
{
    if (find_link(proc, message->from))
        lario_message_free(message);
    else
        lario_list_push_back(&proc->notices, &message->link);
    return 0;
}

static int deliver_signal(lario_proc *proc, lario_message *message)
{
    switch (message->kind) {
    case LARIO_SIGNAL_MONITOR:
        lario_list_push_back(&proc->notices, &message->link);
        return 0;
    case LARIO_SIGNAL_LINK:
        return keep_link(proc, message);
    case LARIO_SIGNAL_REPLY:
        return deliver_reply(proc, message);
    case LARIO_SIGNAL_DEMONITOR:
        drop_notice(message->record);
        break;
    case LARIO_SIGNAL_UNLINK:
        drop_notice(find_link(proc, message->from));
        break;
    case LARIO_SIGNAL_START:
        lario_proc_wake(proc, 0);
        break;
    case LARIO_SIGNAL_KILL:
        lario_proc_kill(proc, message->code);
        break;
    }
    lario_message_free(message);
    return 0;
}

/* Nobody is there: who asked for a notice gets it at once, the rest is harmless. */
static int deliver_nobody(lario_sched *sched, lario_pid to, lario_message *message)
{
    if (message->kind == LARIO_SIGNAL_MONITOR || message->kind == LARIO_SIGNAL_LINK)
        send_notice(sched, message, to, LARIO_ENOPROC);
    else
        lario_message_free(message);
    return 0;
}

int lario_signal_deliver(lario_sched *sched, lario_pid to, lario_proc *proc, lario_message *message)
{
    if (!proc)
        return deliver_nobody(sched, to, message);
    if (message->kind < 0)
        return deliver_signal(proc, message);
    if (message->kind == LARIO_DOWN)
        return deliver_down(proc, message);
    if (message->kind == LARIO_EXIT)
        return deliver_exit(proc, message);
    int kind = message->kind;
    int rc = lario_mailbox_push(&proc->mailbox, message);

    if (rc < 0)
        lario_message_free(message);
    else
        wake_receiver(proc, kind);
    return rc;
}

void lario_signal_ended(lario_proc *proc)
{
    lario_pid pid = lario_proc_pid(proc);

    for (lario_list_link *link; (link = lario_list_pop_front(&proc->notices));)
        send_notice(proc->sched, lario_container_of(link, lario_message, link), pid, proc->reason);
    while (!lario_list_is_empty(&proc->monitors)) {
        lario_list_link *link = proc->monitors.next;

        lario_signal_demonitor(proc, lario_container_of(link, lario_monitor_record, link)->ref);
    }
}

void lario_signal_abandoned(lario_proc *proc)
{
    for (lario_list_link *link; (link = lario_list_pop_front(&proc->notices));)
        lario_message_free(lario_container_of(link, lario_message, link));
    for (lario_list_link *link; (link = lario_list_pop_front(&proc->monitors));)
        free_monitor(proc, lario_container_of(link, lario_monitor_record, link));
}

int lario_signal_monitor(lario_proc *self, lario_pid target, uint64_t ref)
{
    lario_monitor_record *record = malloc(sizeof *record);
    lario_message *notice = lario_message_new(LARIO_SIGNAL_MONITOR, NULL, 0);

    if (!record || !notice)
        goto fail;
    record->ref = ref;
    record->owner = self->serial;
    record->target = target;
    record->notice = notice;
    if (lario_monitor_table_add(&self->sched->monitors, record) < 0)
        goto fail;
    lario_list_push_back(&self->monitors, &record->link);
    notice->ref = ref;
    notice->from = lario_proc_pid(self);
    return lario_sched_route(self->sched, target, notice);
fail:
    free(record);
    lario_message_free(notice);
    return LARIO_ENOMEM;
}

void lario_signal_demonitor(lario_proc *self, uint64_t ref)
{
    lario_monitor_record *record = find_monitor(self, ref);

    if (!record)
        return;
    lario_message *message = lario_message_new(LARIO_SIGNAL_DEMONITOR, NULL, 0);

    /* Without memory the notice stays with the target, and is ignored when it comes. */
    if (message) {
        message->record = record->notice;
        (void)lario_sched_route(self->sched, record->target, message);
    }
    free_monitor(self, record);
}

void lario_signal_unlink(lario_proc *self, lario_pid peer)
{
    lario_message *own = find_link(self, peer);

    if (!own)
        return;
    /* The peer's notice goes with the very message that ours was; so this cannot fail. */
    lario_list_remove(&own->link);
    own->kind = LARIO_SIGNAL_UNLINK;
    own->from = lario_proc_pid(self);
    (void)lario_sched_route(self->sched, peer, own);
}
