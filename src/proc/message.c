/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/process.h"

#include "proc/runtime.h"
#include "proc/scheduler.h"
#include "proc/signal.h"
#include "sys/clock.h"

/* Sending, receiving, calling and answering. */

#define MESSAGE_BYTES_MAX (16u << 20)

int lario_message_check(int kind, size_t len)
{
    if (kind < LARIO_USER)
        return LARIO_EINVAL;
    return len > MESSAGE_BYTES_MAX ? LARIO_ETOOBIG : 0;
}

static lario_pid sender_of(lario_sched *sched)
{
    return sched->current ? lario_proc_pid(sched->current) : (lario_pid){0};
}

static int send_message(lario_sched *sched, lario_pid to, int kind, const void *data, size_t len,
                        uint64_t ref)
{
    lario_message *message = lario_message_new(kind, data, len);

    if (!message)
        return LARIO_ENOMEM;
    message->from = sender_of(sched);
    message->ref = ref;
    return lario_sched_route(sched, to, message);
}

int lario_send(lario_pid to, int kind, const void *data, size_t len)
{
    lario_sched *sched = lario_sched_current();
    int rc = lario_message_check(kind, len);

    if (rc < 0)
        return rc;
    return sched ? send_message(sched, to, kind, data, len, 0) : LARIO_ENOTPROC;
}

int lario_runtime_send(lario_runtime *runtime, lario_pid to, int kind, const void *data, size_t len)
{
    int rc = lario_message_check(kind, len);
    lario_message *message = rc < 0 ? NULL : lario_message_new(kind, data, len);

    if (rc < 0)
        return rc;
    return message ? lario_sched_post(runtime, to, message) : LARIO_ENOMEM;
}

int lario_send_shared(lario_pid to, int kind, lario_shared *shared)
{
    lario_sched *sched = lario_sched_current();
    lario_message *message = lario_message_new_shared(kind, shared);

    if (!message)
        return LARIO_ENOMEM;
    message->from = sender_of(sched);
    return lario_sched_route(sched, to, message);
}

/* ---- Receiving ---- */

/* What the process received last is not needed any more. */
static void release_current(lario_proc *self)
{
    lario_message_free(self->current);
    self->current = NULL;
    if (self->source_msg) {
        self->source_msg = false;
        if (self->source)
            self->source->released(self->source);
    }
}

/* The next message that is the process' own; those for its source go there on the way. */
static int pop_own(lario_proc *self, int kind, lario_message **ret_message)
{
    lario_message *message;
    int rc = 0;

    while ((message = lario_mailbox_pop(&self->mailbox, kind)) != NULL) {
        if (message->kind != LARIO_KIND_FOR_SOURCE)
            break;
        if (self->source && self->source->forward)
            rc = self->source->forward(self->source, message);
        lario_message_free(message);
        if (rc < 0)
            return rc;
    }
    *ret_message = message;
    return message ? 0 : LARIO_EAGAIN;
}

static int take_from_mailbox(lario_proc *self, int kind, lario_msg *ret_msg)
{
    lario_message *message;
    int rc = pop_own(self, kind, &message);

    if (rc < 0)
        return rc;
    self->current = message;
    *ret_msg = (lario_msg){
        .kind = message->kind,
        .code = message->code,
        .from = message->from,
        .ref = message->ref,
        .data = message->data,
        .len = message->len,
    };
    return message->kind;
}

static int take_from_source(lario_proc *self, int kind, lario_msg *ret_msg)
{
    if (!self->source)
        return LARIO_EAGAIN;
    int rc = self->source->receive(self->source, kind, ret_msg);

    if (rc > 0)
        self->source_msg = true;
    return rc;
}

/* Mailbox and source take turns, so that neither can starve the other. */
static int take(lario_proc *self, int kind, lario_msg *ret_msg)
{
    int rc;

    if (self->source_first) {
        rc = take_from_source(self, kind, ret_msg);
        /* The peer's end comes last: what other processes sent before is still received. */
        if (rc > 0) {
            self->source_first = false;
            return rc;
        }
        int mailbox_rc = take_from_mailbox(self, kind, ret_msg);

        return mailbox_rc == LARIO_EAGAIN ? rc : mailbox_rc;
    }
    rc = take_from_mailbox(self, kind, ret_msg);
    if (rc > 0)
        self->source_first = true;
    if (rc != LARIO_EAGAIN)
        return rc;
    return take_from_source(self, kind, ret_msg);
}

static int receive(lario_proc *self, int kind, lario_msg *ret_msg, int timeout_ms)
{
    uint64_t deadline = timeout_ms > 0 ? 0 : UINT64_MAX; /* computed once it has to wait */

    release_current(self);
    for (;;) {
        int rc = self->is_killed ? lario_proc_canceled(self) : take(self, kind, ret_msg);

        if (rc != LARIO_EAGAIN)
            return rc;
        if (deadline == 0)
            deadline = lario_clock_deadline_ns(timeout_ms);
        int wait_ms = timeout_ms == 0 ? 0 : lario_clock_left_ms(deadline);

        if (wait_ms == 0)
            return LARIO_ETIMEDOUT;
        self->wait_kind = kind;
        rc = lario_proc_park(self, LARIO_WAIT_RECEIVE, wait_ms);
        if (rc == LARIO_ECANCELED)
            return rc;
        /* A time-out looks once more: a message may have come in the same turn. */
    }
}

int lario_receive(lario_msg *ret_msg, int timeout_ms)
{
    lario_proc *self = lario_proc_current();

    return self ? receive(self, 0, ret_msg, timeout_ms) : LARIO_ENOTPROC;
}

int lario_receive_kind(int kind, lario_msg *ret_msg, int timeout_ms)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    return kind <= 0 ? LARIO_EINVAL : receive(self, kind, ret_msg, timeout_ms);
}

bool lario_proc_wants(const lario_proc *proc, int kind)
{
    return proc->state == LARIO_PROC_PARKED && proc->wait == LARIO_WAIT_RECEIVE &&
           (proc->wait_kind == 0 || proc->wait_kind == kind);
}

/* ---- Calling ---- */

static int wait_for_reply(lario_proc *self, uint64_t ref, int timeout_ms)
{
    uint64_t deadline = lario_clock_deadline_ns(timeout_ms);

    for (;;) {
        if (self->reply)
            return 0;
        if (self->wait_ref != ref) /* the notice of the monitor came instead */
            return LARIO_ENOPROC;
        int wait_ms = lario_clock_left_ms(deadline);

        if (wait_ms == 0)
            return LARIO_ETIMEDOUT;
        int rc = lario_proc_park(self, LARIO_WAIT_REPLY, wait_ms);

        if (rc == LARIO_ECANCELED)
            return rc;
    }
}

int lario_call(lario_pid to, int kind, const void *data, size_t len, lario_msg *ret_reply,
               int timeout_ms)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    int rc = self->is_killed ? lario_proc_canceled(self) : lario_message_check(kind, len);

    if (rc < 0)
        return rc;
    uint64_t ref = self->sched->next_ref++;

    release_current(self);
    /* Set before the monitor, since a target that is dead already is told of at once. */
    self->wait_ref = ref;
    rc = lario_signal_monitor(self, to, ref);
    if (rc == 0)
        rc = send_message(self->sched, to, kind, data, len, ref);
    if (rc == 0)
        rc = wait_for_reply(self, ref, timeout_ms);
    self->wait_ref = 0;
    lario_signal_demonitor(self, ref);
    if (rc < 0)
        return rc;
    self->current = self->reply;
    self->reply = NULL;
    *ret_reply = (lario_msg){
        .kind = kind,
        .from = self->current->from,
        .data = self->current->data,
        .len = self->current->len,
    };
    return 0;
}

int lario_answer(const lario_msg *call, const void *data, size_t len)
{
    lario_sched *sched = lario_sched_current();

    if (!sched)
        return LARIO_ENOTPROC;
    if (call->ref == 0 || call->kind < LARIO_USER)
        return LARIO_EINVAL;
    if (len > MESSAGE_BYTES_MAX)
        return LARIO_ETOOBIG;
    return send_message(sched, call->from, LARIO_SIGNAL_REPLY, data, len, call->ref);
}
