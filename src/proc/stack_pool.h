/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_STACK_POOL_H
#define LARIO_PROC_STACK_POOL_H

#include <stddef.h>

/*
 * The stacks of one loop, all of one size, mapped in slabs and never unmapped before the end. An
 * unused stack keeps its touched pages warm, since a first touch costs far more than a spawn, but
 * only some of them do: beyond twice `kept`, the older half gives its pages back. That is done for
 * neighbours together, since each call into the kernel costs as much as the pages of many stacks.
 *
 *     unused:  | cold ... cold | warm ... warm |      taken from and put to the right end
 *               0               cold            count
 *
 * Each stack has a guard page below it. Where the kernel offers none that is free, the first slabs
 * get theirs by mprotect; further stacks have a canary instead: their lowest word, which nobody
 * touches, so that it costs no page, and which is still zero when the process has ended.
 */
typedef struct lario_stack_slab lario_stack_slab;

typedef struct lario_stack_pool {
    size_t stack_bytes;
    size_t page_bytes; /* also of a guard */
    size_t kept;
    lario_stack_slab *slabs; /* newest first */
    size_t fresh;            /* stacks of the newest slab that were never used */
    void **unused;
    size_t count;
    size_t cold;
    size_t room;          /* of the array: one entry for every stack, so that put cannot fail */
    size_t protects_left; /* guards that may still be made by mprotect, two mappings each */
    size_t canaries;      /* stacks in slabs without guards */
} lario_stack_pool;

void lario_stack_pool_init(lario_stack_pool *pool, size_t stack_bytes, size_t kept);
void lario_stack_pool_done(lario_stack_pool *pool);

/* A stack, perhaps with old content; NULL when memory is out. */
void *lario_stack_pool_get(lario_stack_pool *pool);

/* Takes it back. Aborts the program when it has run over its end. */
void lario_stack_pool_put(lario_stack_pool *pool, void *stack);

#endif
