/* SPDX-License-Identifier: BSD-3-Clause */
#include "allocations.h"

#include <errno.h>
#include <stdatomic.h>

#include "lario/runtime.h"

static atomic_int fails_at; /* how many allocations from now; 0 or less: none */
static atomic_int count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
void *__wrap_realloc(void *old, size_t size);

void allocations_fail(int nth)
{
    atomic_store(&fails_at, nth);
}

bool allocations_failed(void)
{
    return atomic_exchange(&fails_at, 0) <= 0;
}

int allocations_count(void)
{
    return atomic_load(&count);
}

static bool may_allocate(void)
{
    if (!lario_runtime_here())
        return true;
    atomic_fetch_add(&count, 1);
    if (atomic_load(&fails_at) <= 0 || atomic_fetch_sub(&fails_at, 1) != 1)
        return true;
    errno = ENOMEM;
    return false;
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t number, size_t size)
{
    return may_allocate() ? __real_calloc(number, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    return may_allocate() ? __real_realloc(old, size) : NULL;
}
