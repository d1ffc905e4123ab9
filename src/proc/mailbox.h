/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_MAILBOX_H
#define LARIO_PROC_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/shared.h"
#include "lario/process.h"
#include "loop/loop.h"

/*
 * What travels between processes: a message for a mailbox, or a signal (kind below 0) for the
 * process itself. It moves by reference from the sender to the receiver, through the inbox of
 * another loop if need be; always one owner.
 */
typedef struct lario_message {
    union {
        lario_handoff handoff;      /* on the way to another loop */
        struct lario_message *next; /* in a mailbox */
        lario_list_link link;       /* kept for later: the notice of a monitor or link */
    };
    uint64_t to; /* serial of the receiver */
    int kind;
    int code;
    lario_pid from;
    uint64_t ref;
    void *record; /* LARIO_SIGNAL_DEMONITOR, LARIO_SIGNAL_UNLINK: see signal.h */
    lario_shared *shared;
    const char *data;
    size_t len;
    _Alignas(max_align_t) char bytes[];
} lario_message;

/* A message with a copy of the bytes; NULL when memory is out. */
lario_message *lario_message_new(int kind, const void *data, size_t len);

/* A message that refers to shared bytes and takes a reference of its own. */
lario_message *lario_message_new_shared(int kind, lario_shared *shared);

void lario_message_free(lario_message *message);

/* Whether a user may send such a message; see lario_send(). 0, LARIO_EINVAL or LARIO_ETOOBIG. */
int lario_message_check(int kind, size_t len);

typedef struct lario_mailbox {
    lario_message *first;
    lario_message **last; /* where the next one is hung */
    uint32_t count;       /* that count against the limits */
    uint32_t count_max;
    size_t bytes;
    size_t bytes_max;
    uint64_t drops;
} lario_mailbox;

void lario_mailbox_init(lario_mailbox *mailbox, uint32_t count_max, size_t bytes_max);
void lario_mailbox_clear(lario_mailbox *mailbox);

/* Takes a message in; LARIO_EFULL when it is full: the message stays the caller's. */
int lario_mailbox_push(lario_mailbox *mailbox, lario_message *message);

/* Takes a notice in, whatever the limits: there is at most one a monitor or link. */
void lario_mailbox_push_notice(lario_mailbox *mailbox, lario_message *message);

/* The first message of `kind` (0: of any) is taken out, or NULL. */
lario_message *lario_mailbox_pop(lario_mailbox *mailbox, int kind);

#endif
