/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Chunks grow no finer than this, so that a run of small allocations costs few of them. */
#define CHUNK_BYTES_MIN 1000

#define ALIGNMENT _Alignof(max_align_t)

struct lario_arena_chunk {
    _Alignas(max_align_t) lario_arena_chunk *next;
};

static char *align_up(char *at)
{
    return at + (-(uintptr_t)at & (ALIGNMENT - 1));
}

void lario_arena_init(lario_arena *arena, void *first, size_t first_size, size_t heap_bytes_max)
{
    arena->at = first;
    arena->end = arena->at + first_size;
    arena->chunks = NULL;
    arena->left = heap_bytes_max;
}

void lario_arena_done(lario_arena *arena)
{
    while (arena->chunks) {
        lario_arena_chunk *chunk = arena->chunks;

        arena->chunks = chunk->next;
        free(chunk);
    }
    arena->at = arena->end = NULL;
}

static int add_chunk(lario_arena *arena, size_t size)
{
    size_t payload = size < CHUNK_BYTES_MIN ? CHUNK_BYTES_MIN : size;

    if (size > arena->left)
        return -1;
    if (payload > arena->left)
        payload = arena->left;
    lario_arena_chunk *chunk = malloc(sizeof *chunk + payload);

    if (!chunk)
        return -1;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->left -= payload;
    arena->at = (char *)(chunk + 1);
    arena->end = arena->at + payload;
    return 0;
}

void *lario_arena_alloc(lario_arena *arena, size_t size)
{
    char *at = align_up(arena->at);

    if (at > arena->end || size > (size_t)(arena->end - at)) {
        if (add_chunk(arena, size) < 0)
            return NULL;
        at = arena->at;
    }
    arena->at = at + size;
    return at;
}

char *lario_arena_copy(lario_arena *arena, const char *data, size_t len)
{
    char *copy = lario_arena_alloc(arena, len + 1);

    if (copy) {
        memcpy(copy, data, len);
        copy[len] = '\0';
    }
    return copy;
}

char *lario_arena_vformat(lario_arena *arena, size_t *ret_len, const char *format, va_list values)
{
    /* The first try goes straight into the room that is left; most texts fit. */
    size_t room = (size_t)(arena->end - arena->at);
    char *text = arena->at;
    va_list again;

    va_copy(again, values);
    int len = vsnprintf(text, room, format, values);

    if (len < 0) {
        text = NULL;
    } else if ((size_t)len < room) {
        arena->at += len + 1;
    } else {
        text = lario_arena_alloc(arena, (size_t)len + 1);
        if (text)
            vsnprintf(text, (size_t)len + 1, format, again);
    }
    va_end(again);
    if (ret_len)
        *ret_len = len < 0 ? 0 : (size_t)len;
    return text;
}
