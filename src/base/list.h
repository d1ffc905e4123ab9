/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_BASE_LIST_H
#define LARIO_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * An intrusive doubly linked ring: the head is a link of its own, so that no operation branches.
 * A link that is in no list points to itself, which makes remove harmless when repeated.
 */
typedef struct lario_list_link {
    struct lario_list_link *next;
    struct lario_list_link *prev;
} lario_list_link;

#define lario_container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

static inline void lario_list_init(lario_list_link *head)
{
    head->next = head;
    head->prev = head;
}

static inline bool lario_list_is_empty(const lario_list_link *head)
{
    return head->next == head;
}

/* Whether `link` is in a list; it must have been initialised. */
static inline bool lario_list_is_linked(const lario_list_link *link)
{
    return link->next != link;
}

static inline void lario_list_push_back(lario_list_link *head, lario_list_link *link)
{
    link->next = head;
    link->prev = head->prev;
    head->prev->next = link;
    head->prev = link;
}

static inline void lario_list_remove(lario_list_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    lario_list_init(link);
}

/* Takes the first link off, or returns NULL. */
static inline lario_list_link *lario_list_pop_front(lario_list_link *head)
{
    lario_list_link *link = head->next;

    if (link == head)
        return NULL;
    head->next = link->next;
    link->next->prev = head;
    lario_list_init(link);
    return link;
}

/* Moves all links of `from` to the empty `to`. */
static inline void lario_list_take(lario_list_link *to, lario_list_link *from)
{
    if (lario_list_is_empty(from)) {
        lario_list_init(to);
        return;
    }
    *to = *from;
    to->next->prev = to;
    to->prev->next = to;
    lario_list_init(from);
}

#endif
