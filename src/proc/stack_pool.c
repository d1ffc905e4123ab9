/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/stack_pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

enum guard { GUARD_FREE, GUARD_PROTECT, GUARD_CANARY };

struct lario_stack_slab {
    lario_stack_slab *next;
    char *memory;
    size_t count;
    enum guard guard;
};

void lario_stack_pool_init(lario_stack_pool *pool, size_t stack_bytes, size_t kept)
{
    *pool = (lario_stack_pool){
        .stack_bytes = stack_bytes,
        .page_bytes = lario_stack_memory_page(),
        .kept = kept,
        .protects_left = PROTECTS_MAX,
    };
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

/* All stacks of a slab are guarded in one way. */
static enum guard choose_guard(lario_stack_pool *pool, const lario_stack_slab *slab)
{
    if (lario_stack_memory_guard(slab->memory))
        return GUARD_FREE;
    if (slab->count <= pool->protects_left) {
        pool->protects_left -= slab->count;
        return GUARD_PROTECT;
    }
    pool->canaries += slab->count;
    return GUARD_CANARY;
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
    slab->guard = choose_guard(pool, slab);
    slab->next = pool->slabs;
    pool->slabs = slab;
    pool->room += count;
    pool->fresh = count;
    return 0;
fail:
    free(slab);
    return -1;
}

static void *take_fresh(lario_stack_pool *pool)
{
    if (pool->fresh == 0 && add_slab(pool) < 0)
        return NULL;
    lario_stack_slab *slab = pool->slabs;
    char *stack = slab->memory + (slab->count - pool->fresh) * pool->stack_bytes;
    /* Guards come one by one, as stacks are used: address space alone costs nothing. */
    bool is_guarded = slab->guard == GUARD_CANARY ||
                      (slab->guard == GUARD_FREE ? lario_stack_memory_guard(stack)
                                                 : lario_stack_memory_protect(stack));

    if (!is_guarded)
        return NULL;
    pool->fresh--;
    VALGRIND_STACK_REGISTER(stack, stack + pool->stack_bytes - 1);
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

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t) * (void *const *)a, y = (uintptr_t) * (void *const *)b;

    return x < y ? -1 : x > y;
}

/* Gives back the pages of `count` unused stacks, in one call for each run of neighbours. */
static void discard(lario_stack_pool *pool, void **stacks, size_t count)
{
    size_t guard = pool->page_bytes;

    qsort(stacks, count, sizeof *stacks, compare_addresses);
    for (size_t first = 0, next; first < count; first = next) {
        char *begin = stacks[first];
        char *end = begin + pool->stack_bytes;

        for (next = first + 1; next < count && stacks[next] == end; next++)
            end += pool->stack_bytes;
        lario_stack_memory_discard(begin + guard, (size_t)(end - begin) - guard);
    }
}

static void check_canary(const lario_stack_pool *pool, const char *stack)
{
    for (const lario_stack_slab *slab = pool->slabs; slab; slab = slab->next) {
        if (stack < slab->memory || stack >= slab->memory + slab->count * pool->stack_bytes)
            continue;
        if (slab->guard == GUARD_CANARY && *(const volatile uint64_t *)(const void *)stack != 0) {
            fputs("lario: a process has run over the end of its stack\n", stderr);
            abort();
        }
        return;
    }
}

void lario_stack_pool_put(lario_stack_pool *pool, void *stack)
{
    if (pool->canaries > 0)
        check_canary(pool, stack);
    pool->unused[pool->count++] = stack;
    if (pool->count - pool->cold < 2 * pool->kept)
        return;
    discard(pool, pool->unused + pool->cold, pool->kept);
    pool->cold += pool->kept;
}
