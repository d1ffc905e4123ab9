/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_STACK_POOL_H
#define LARIO_PROC_STACK_POOL_H

#include <stddef.h>

/*
 * The stacks of one loop, all of one size, mapped in slabs and never unmapped before the end. An
 * unused stack keeps its touched pages warm, since a first touch costs far more than a spawn, but
 * only the last `kept` of them do: the rest give their pages back.
 *
 *     unused:  | cold ... cold | warm ... warm |      taken from and put to the right end
 *               0               cold            count
 */
typedef struct lario_stack_slab lario_stack_slab;

typedef struct lario_stack_pool {
    size_t stack_bytes;
    size_t kept;
    lario_stack_slab *slabs;
    size_t fresh;   /* stacks of the newest slab that were never used */
    char *fresh_at; /* the first of them */
    void **unused;
    size_t count;
    size_t cold;
    size_t room; /* of the array: one entry for every stack there is, so that put cannot fail */
    int protects_left; /* guards that may still be made by mprotect, two mappings each */
} lario_stack_pool;

void lario_stack_pool_init(lario_stack_pool *pool, size_t stack_bytes, size_t kept);
void lario_stack_pool_done(lario_stack_pool *pool);

/* A stack with its guard, perhaps with old content; NULL when memory is out. */
void *lario_stack_pool_get(lario_stack_pool *pool);
void lario_stack_pool_put(lario_stack_pool *pool, void *stack);

#endif
