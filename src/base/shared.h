/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_BASE_SHARED_H
#define LARIO_BASE_SHARED_H

#include <stdatomic.h>
#include <stddef.h>

/*
 * Bytes that several owners share, on any threads: written once, by whoever made them and before
 * anybody else has them, and freed with the last reference. Messages to many processes and output
 * to many connections refer to them.
 */
typedef struct lario_shared {
    atomic_size_t refs;
    size_t len;
    _Alignas(max_align_t) char bytes[];
} lario_shared;

/*
 * `len` bytes, a copy of `data` (NULL: not filled yet). NULL when memory is out; the caller holds
 * one reference.
 */
lario_shared *lario_shared_new(const void *data, size_t len);

/* Takes one more reference, and returns `shared`. */
static inline lario_shared *lario_shared_ref(lario_shared *shared)
{
    atomic_fetch_add_explicit(&shared->refs, 1, memory_order_relaxed);
    return shared;
}

/* Gives one reference back; NULL is allowed. */
void lario_shared_unref(lario_shared *shared);

#endif
