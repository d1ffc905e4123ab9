/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/block.h"

#include <stdlib.h>

lario_block *lario_block_get(lario_block_pool *pool, size_t room)
{
    lario_block *block = pool->unused;

    if (room <= LARIO_BLOCK_ROOM && block) {
        pool->unused = block->next;
        pool->count--;
    } else {
        if (room < LARIO_BLOCK_ROOM)
            room = LARIO_BLOCK_ROOM;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        block->room = room;
    }
    block->next = NULL;
    block->at = 0;
    block->end = 0;
    return block;
}

void lario_block_put(lario_block_pool *pool, lario_block *block)
{
    if (block->room != LARIO_BLOCK_ROOM || pool->count >= LARIO_BLOCKS_KEPT) {
        free(block);
        return;
    }
    block->next = pool->unused;
    pool->unused = block;
    pool->count++;
}

void lario_block_pool_done(lario_block_pool *pool)
{
    while (pool->unused) {
        lario_block *block = pool->unused;

        pool->unused = block->next;
        free(block);
    }
    pool->count = 0;
}
