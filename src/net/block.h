/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_NET_BLOCK_H
#define LARIO_NET_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"

/*
 * One piece of a connection's output. There are three kinds:
 *
 *     bytes    room of its own behind the structure, which is filled from `at` = 0 up
 *     shared   a part of bytes that others hold too; only the reference is the block's
 *     file     a part of an open file, of which nothing is in memory
 *
 * Ordinary blocks of bytes have one size and are reused by the loop, so that an answer costs no
 * allocation; larger ones are made for one piece of data. The two other kinds are small, and reused
 * as well.
 */
enum lario_block_kind {
    LARIO_BLOCK_BYTES,
    LARIO_BLOCK_SHARED,
    LARIO_BLOCK_FILE,
};

/* A file that blocks read from, on one loop; closed with the last reference. */
typedef struct lario_block_file {
    size_t refs;
    int fd;
} lario_block_file;

typedef struct lario_block {
    struct lario_block *next;
    size_t at;   /* what comes next: in bytes[], in shared->bytes or in the file */
    size_t end;  /* where it ends */
    size_t room; /* of bytes[]; 0 in the other kinds */
    enum lario_block_kind kind;
    union {
        lario_shared *shared;
        lario_block_file *file;
    };
    char bytes[];
} lario_block;

_Static_assert(sizeof(lario_block) % _Alignof(max_align_t) == 0, "messages lie in bytes[]");

/* With its header a page, so that it fits the allocator's idea of one. */
#define LARIO_BLOCK_ROOM (4096 - 16 - sizeof(lario_block))

typedef struct lario_block_pool {
    lario_block *unused;
    lario_block *unused_small; /* without room */
    unsigned count;
    unsigned small_count;
} lario_block_pool;

/* Unused blocks of either size a loop keeps: enough for a turn in which many connections answer. */
#define LARIO_BLOCKS_KEPT 256

/* A block of bytes, empty, with at least this much room; NULL when memory is out. */
lario_block *lario_block_get(lario_block_pool *pool, size_t room);

/*
 * A block of `len` bytes of `shared`, or of `file`, from `at` on, which takes a reference. NULL
 * when memory is out.
 */
lario_block *lario_block_get_shared(lario_block_pool *pool, lario_shared *shared, size_t at,
                                    size_t len);
lario_block *lario_block_get_file(lario_block_pool *pool, lario_block_file *file, size_t at,
                                  size_t len);

/* Takes a block of any kind back. */
void lario_block_put(lario_block_pool *pool, lario_block *block);
void lario_block_pool_done(lario_block_pool *pool);

/* How many bytes are left to be sent. */
static inline size_t lario_block_len(const lario_block *block)
{
    return block->end - block->at;
}

/* Room for further bytes. */
static inline size_t lario_block_left(const lario_block *block)
{
    return block->kind == LARIO_BLOCK_BYTES ? block->room - block->end : 0;
}

/* The bytes left to be sent; not of a file. */
static inline char *lario_block_data(lario_block *block)
{
    return (block->kind == LARIO_BLOCK_SHARED ? block->shared->bytes : block->bytes) + block->at;
}

/*
 * The next bytes to be sent, at most `size` (at least 1), of a block of any kind that has some
 * left: in place, but those of a file are read into `buffer`. How many, at least 1; or -errno of
 * reading the file, -ENODATA when it has become shorter.
 */
int lario_block_view(lario_block *block, void *buffer, size_t size, const char **ret_data);

/*
 * Takes over `fd`, to be read at offsets; the caller holds one reference. NULL when memory is out:
 * then `fd` is still the caller's.
 */
lario_block_file *lario_block_file_new(int fd);
void lario_block_file_unref(lario_block_file *file);

#endif
