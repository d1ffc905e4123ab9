/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/mailbox.h"

#include <stdlib.h>
#include <string.h>

static lario_message *new_message(int kind, size_t room)
{
    lario_message *message = malloc(sizeof *message + room);

    if (message) {
        message->kind = kind;
        message->code = 0;
        message->from = (lario_pid){0};
        message->ref = 0;
        message->record = NULL;
        message->shared = NULL;
    }
    return message;
}

lario_message *lario_message_new(int kind, const void *data, size_t len)
{
    lario_message *message = new_message(kind, len);

    if (!message)
        return NULL;
    message->data = message->bytes;
    message->len = len;
    if (len > 0)
        memcpy(message->bytes, data, len);
    return message;
}

lario_message *lario_message_new_shared(int kind, lario_shared *shared)
{
    lario_message *message = new_message(kind, 0);

    if (!message)
        return NULL;
    message->shared = lario_shared_ref(shared);
    message->data = shared->bytes;
    message->len = shared->len;
    return message;
}

void lario_message_free(lario_message *message)
{
    if (!message)
        return;
    lario_shared_unref(message->shared);
    free(message);
}

void lario_mailbox_init(lario_mailbox *mailbox, uint32_t count_max, size_t bytes_max)
{
    *mailbox = (lario_mailbox){.count_max = count_max, .bytes_max = bytes_max};
    mailbox->last = &mailbox->first;
}

void lario_mailbox_clear(lario_mailbox *mailbox)
{
    while (mailbox->first) {
        lario_message *message = mailbox->first;

        mailbox->first = message->next;
        lario_message_free(message);
    }
    mailbox->last = &mailbox->first;
    mailbox->count = 0;
    mailbox->bytes = 0;
}

static bool is_notice(const lario_message *message)
{
    return message->kind == LARIO_DOWN || message->kind == LARIO_EXIT;
}

void lario_mailbox_push_notice(lario_mailbox *mailbox, lario_message *message)
{
    message->next = NULL;
    *mailbox->last = message;
    mailbox->last = &message->next;
}

int lario_mailbox_push(lario_mailbox *mailbox, lario_message *message)
{
    if (mailbox->count >= mailbox->count_max ||
        message->len > mailbox->bytes_max - mailbox->bytes) {
        mailbox->drops++;
        return LARIO_EFULL;
    }
    mailbox->count++;
    mailbox->bytes += message->len;
    lario_mailbox_push_notice(mailbox, message);
    return 0;
}

lario_message *lario_mailbox_pop(lario_mailbox *mailbox, int kind)
{
    lario_message **at = &mailbox->first;

    while (*at && kind != 0 && (*at)->kind != kind)
        at = &(*at)->next;
    lario_message *message = *at;

    if (!message)
        return NULL;
    *at = message->next;
    if (!message->next)
        mailbox->last = at;
    if (!is_notice(message)) {
        mailbox->count--;
        mailbox->bytes -= message->len;
    }
    return message;
}
