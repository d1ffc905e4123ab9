/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/block.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "sys/file.h"

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
        block->kind = LARIO_BLOCK_BYTES;
    }
    block->next = NULL;
    block->at = 0;
    block->end = 0;
    return block;
}

static lario_block *get_small(lario_block_pool *pool, enum lario_block_kind kind, size_t at,
                              size_t len)
{
    lario_block *block = pool->unused_small;

    if (block) {
        pool->unused_small = block->next;
        pool->small_count--;
    } else {
        block = malloc(sizeof *block);
        if (!block)
            return NULL;
    }
    block->next = NULL;
    block->at = at;
    block->end = at + len;
    block->room = 0;
    block->kind = kind;
    return block;
}

lario_block *lario_block_get_shared(lario_block_pool *pool, lario_shared *shared, size_t at,
                                    size_t len)
{
    lario_block *block = get_small(pool, LARIO_BLOCK_SHARED, at, len);

    if (block)
        block->shared = lario_shared_ref(shared);
    return block;
}

lario_block *lario_block_get_file(lario_block_pool *pool, lario_block_file *file, size_t at,
                                  size_t len)
{
    lario_block *block = get_small(pool, LARIO_BLOCK_FILE, at, len);

    if (!block)
        return NULL;
    file->refs++;
    block->file = file;
    return block;
}

static void put_small(lario_block_pool *pool, lario_block *block)
{
    if (block->kind == LARIO_BLOCK_SHARED)
        lario_shared_unref(block->shared);
    else
        lario_block_file_unref(block->file);
    if (pool->small_count >= LARIO_BLOCKS_KEPT) {
        free(block);
        return;
    }
    block->next = pool->unused_small;
    pool->unused_small = block;
    pool->small_count++;
}

void lario_block_put(lario_block_pool *pool, lario_block *block)
{
    if (block->kind != LARIO_BLOCK_BYTES) {
        put_small(pool, block);
        return;
    }
    if (block->room != LARIO_BLOCK_ROOM || pool->count >= LARIO_BLOCKS_KEPT) {
        free(block);
        return;
    }
    block->next = pool->unused;
    pool->unused = block;
    pool->count++;
}

static void free_list(lario_block *block)
{
    while (block) {
        lario_block *next = block->next;

        free(block);
        block = next;
    }
}

void lario_block_pool_done(lario_block_pool *pool)
{
    free_list(pool->unused);
    free_list(pool->unused_small);
    *pool = (lario_block_pool){0};
}

int lario_block_view(lario_block *block, void *buffer, size_t size, const char **ret_data)
{
    size_t len = lario_block_len(block);

    if (len > size)
        len = size;
    if (len > INT_MAX)
        len = INT_MAX;
    if (block->kind != LARIO_BLOCK_FILE) {
        *ret_data = lario_block_data(block);
        return (int)len;
    }
    int got = lario_file_read_at(block->file->fd, buffer, len, block->at);

    if (got > 0)
        *ret_data = buffer;
    return got == 0 ? -ENODATA : got;
}

lario_block_file *lario_block_file_new(int fd)
{
    lario_block_file *file = malloc(sizeof *file);

    if (file)
        *file = (lario_block_file){.refs = 1, .fd = fd};
    return file;
}

void lario_block_file_unref(lario_block_file *file)
{
    if (!file || --file->refs > 0)
        return;
    lario_fd_close(file->fd);
    free(file);
}
