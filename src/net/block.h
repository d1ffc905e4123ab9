/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_BLOCK_H
#define LARIO_NET_BLOCK_H

#include <stddef.h>

#include "loop/loop.h"

/*
 * Memory for output. Ordinary blocks have one size and are reused by the loop, so that an answer
 * costs no allocation; larger ones are made for one piece of data.
 */
typedef struct lario_block {
    struct lario_block *next;
    size_t at;  /* what has left */
    size_t end; /* what was filled */
    size_t room;
    char bytes[];
} lario_block;

/* With its header a page, so that it fits the allocator's idea of one. */
#define LARIO_BLOCK_ROOM (4096 - 16 - sizeof(lario_block))

typedef struct lario_block_pool {
    lario_block *unused;
    unsigned count;
} lario_block_pool;

/* Unused blocks a loop keeps: enough for a turn in which many connections answer. */
#define LARIO_BLOCKS_KEPT 256

lario_block *lario_block_get(lario_block_pool *pool, size_t room);
void lario_block_put(lario_block_pool *pool, lario_block *block);
void lario_block_pool_done(lario_block_pool *pool);

#endif
