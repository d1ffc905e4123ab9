/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CLUSTER_TABLE_H
#define LARIO_CLUSTER_TABLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A hash table of named items, embedded in what they belong to, in shards with a lock each: readers
 * of different names hardly ever meet, and a writer stops the readers of one shard only.
 *
 * The hash is keyed by chance at start, since names come from peers, who must not be able to choose
 * them so that they all meet in one chain.
 */
#define LARIO_TABLE_SHARDS 64

typedef struct lario_table_item {
    struct lario_table_item *next;
    uint64_t hash;
    const char *name; /* owned by what embeds the item */
} lario_table_item;

typedef struct lario_table_shard {
    _Alignas(64) pthread_rwlock_t lock;
    lario_table_item **chains;
    size_t chains_count; /* a power of two, or 0 */
    size_t items_count;
} lario_table_shard;

typedef struct lario_table {
    uint64_t key[2];
    atomic_size_t count;
    lario_table_shard shards[LARIO_TABLE_SHARDS];
} lario_table;

/* 0, or -errno when there is no randomness. */
int lario_table_init(lario_table *table);

/* Frees the table; the items are the caller's. */
void lario_table_done(lario_table *table);

uint64_t lario_table_hash(const lario_table *table, const char *name);

/* The shard of a hash, whose lock the caller takes around the calls below. */
static inline lario_table_shard *lario_table_shard_of(lario_table *table, uint64_t hash)
{
    return &table->shards[hash >> 58];
}

/* Under the lock. NULL when there is none. */
lario_table_item *lario_table_find(lario_table_shard *shard, uint64_t hash, const char *name);

/* Under the lock for writing; `item` has hash and name, and no item of that name is there. */
int lario_table_insert(lario_table *table, lario_table_shard *shard, lario_table_item *item);
void lario_table_remove(lario_table *table, lario_table_shard *shard, lario_table_item *item);

#endif
