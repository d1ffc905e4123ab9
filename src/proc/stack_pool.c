/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/stack_pool.h"

#include <stdlib.h>

#include "sys/stack_memory.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) ((void)(low), (void)(high))
#endif

/* Address space of a slab: big enough that a million stacks need few, small enough to be had. */
#define SLAB_BYTES (64u << 20)

/* The default limit of mappings a process is 65,530; these guards leave most of it. */
#define PROTECTS_MAX 10000

struct lario_stack_slab {
    lario_stack_slab *next;
    char *memory;
    size_t count;
};

void lario_stack_pool_init(lario_stack_pool *pool, size_t stack_bytes, size_t kept)
{
    *pool =
        (lario_stack_pool){.stack_bytes = stack_bytes, .kept = kept, .protects_left = PROTECTS_MAX};
}

void lario_stack_pool_done(lario_stack_pool *pool)
{
    while (pool->slabs) {
        lario_stack_slab *slab = pool->slabs;

        pool->slabs = slab->next;
        lario_stack_memory_unmap(slab->memory, pool->stack_bytes, slab->count);
        free(slab);
    }
    free(pool->unused);
    pool->unused = NULL;
}

static int add_slab(lario_stack_pool *pool)
{
    size_t count = pool->stack_bytes < SLAB_BYTES ? SLAB_BYTES / pool->stack_bytes : 1;
    lario_stack_slab *slab = malloc(sizeof *slab);
    void **unused = realloc(pool->unused, (pool->room + count) * sizeof *unused);

    if (unused)
        pool->unused = unused;
    if (!slab || !unused)
        goto fail;
    slab->memory = lario_stack_memory_map(pool->stack_bytes, count);
    if (!slab->memory)
        goto fail;
    slab->count = count;
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->room += count;
    pool->fresh = count;
    pool->fresh_at = slab->memory;
    return 0;
fail:
    free(slab);
    return -1;
}

static void *take_fresh(lario_stack_pool *pool)
{
    if (pool->fresh == 0 && add_slab(pool) < 0)
        return NULL;
    void *stack = pool->fresh_at;

    pool->fresh--;
    pool->fresh_at += pool->stack_bytes;
    if (lario_stack_memory_guard(stack, pool->protects_left > 0) == LARIO_GUARD_MPROTECT)
        pool->protects_left--;
    VALGRIND_STACK_REGISTER(stack, (char *)stack + pool->stack_bytes - 1);
    return stack;
}

void *lario_stack_pool_get(lario_stack_pool *pool)
{
    if (pool->count == 0)
        return take_fresh(pool);
    void *stack = pool->unused[--pool->count];

    if (pool->cold > pool->count)
        pool->cold = pool->count;
    return stack;
}

void lario_stack_pool_put(lario_stack_pool *pool, void *stack)
{
    size_t guard = lario_stack_memory_page();

    pool->unused[pool->count++] = stack;
    if (pool->count - pool->cold > pool->kept) {
        char *coldest = pool->unused[pool->cold++];

        lario_stack_memory_discard(coldest + guard, pool->stack_bytes - guard);
    }
}
