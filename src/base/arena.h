/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_BASE_ARENA_H
#define LARIO_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "lario/export.h"

/*
 * Memory that is freed as a whole. It starts in `first`, storage of the caller, and goes on in
 * chunks of the heap, up to a cap on the sum of those chunks.
 */
typedef struct lario_arena_chunk lario_arena_chunk;

typedef struct lario_arena {
    char *at;
    char *end;
    lario_arena_chunk *chunks;
    size_t left; /* bytes that may still be taken from the heap */
} lario_arena;

void lario_arena_init(lario_arena *arena, void *first, size_t first_size, size_t heap_bytes_max);

/* Frees the chunks; `arena` may be used again after another init. */
void lario_arena_done(lario_arena *arena);

/* `size` bytes aligned for any type, or NULL: out of memory, or over the cap. */
void *lario_arena_alloc(lario_arena *arena, size_t size);

/* A copy of `len` bytes with a NUL behind them, or NULL. */
char *lario_arena_copy(lario_arena *arena, const char *data, size_t len);

/*
 * A formatted string, or NULL. *ret_len (may be NULL) is its length, also when that was too much.
 */
char *lario_arena_vformat(lario_arena *arena, size_t *ret_len, const char *format, va_list values)
    LARIO_PRINTF(3, 0);

#endif
