/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/table.h"

#include <stdlib.h>
#include <string.h>

#include "lario/error.h"
#include "sys/random.h"

#define CHAINS_FIRST 16

int lario_table_init(lario_table *table)
{
    int rc = lario_random_bytes(table->key, sizeof table->key);

    if (rc < 0)
        return rc;
    atomic_init(&table->count, 0);
    for (unsigned i = 0; i < LARIO_TABLE_SHARDS; i++) {
        lario_table_shard *shard = &table->shards[i];

        pthread_rwlock_init(&shard->lock, NULL);
        shard->chains = NULL;
        shard->chains_count = 0;
        shard->items_count = 0;
    }
    return 0;
}

void lario_table_done(lario_table *table)
{
    for (unsigned i = 0; i < LARIO_TABLE_SHARDS; i++) {
        pthread_rwlock_destroy(&table->shards[i].lock);
        free(table->shards[i].chains);
    }
}

/* ---- The hash: SipHash-1-3 (Aumasson and Bernstein, 2012), made for keyed tables ---- */

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

uint64_t lario_table_hash(const lario_table *table, const char *name)
{
    size_t len = strlen(name), left = len;
    uint64_t v[4] = {
        table->key[0] ^ 0x736f6d6570736575u,
        table->key[1] ^ 0x646f72616e646f6du,
        table->key[0] ^ 0x6c7967656e657261u,
        table->key[1] ^ 0x7465646279746573u,
    };
    uint64_t word;

    for (; left >= sizeof word; left -= sizeof word, name += sizeof word) {
        memcpy(&word, name, sizeof word);
        v[3] ^= word;
        mix(v);
        v[0] ^= word;
    }
    word = 0;
    memcpy(&word, name, left);
    word |= (uint64_t)len << 56;
    v[3] ^= word;
    mix(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- Chains ---- */

lario_table_item *lario_table_find(lario_table_shard *shard, uint64_t hash, const char *name)
{
    if (shard->chains_count == 0)
        return NULL;
    lario_table_item *item = shard->chains[hash & (shard->chains_count - 1)];

    while (item && (item->hash != hash || strcmp(item->name, name) != 0))
        item = item->next;
    return item;
}

static void hang(lario_table_item **chains, size_t chains_count, lario_table_item *item)
{
    lario_table_item **chain = &chains[item->hash & (chains_count - 1)];

    item->next = *chain;
    *chain = item;
}

static int grow(lario_table_shard *shard)
{
    size_t count = shard->chains_count ? shard->chains_count * 2 : CHAINS_FIRST;
    lario_table_item **chains = calloc(count, sizeof *chains);

    if (!chains)
        return LARIO_ENOMEM;
    for (size_t i = 0; i < shard->chains_count; i++)
        while (shard->chains[i]) {
            lario_table_item *item = shard->chains[i];

            shard->chains[i] = item->next;
            hang(chains, count, item);
        }
    free(shard->chains);
    shard->chains = chains;
    shard->chains_count = count;
    return 0;
}

int lario_table_insert(lario_table *table, lario_table_shard *shard, lario_table_item *item)
{
    if (shard->items_count >= shard->chains_count && grow(shard) < 0 && shard->chains_count == 0)
        return LARIO_ENOMEM; /* without memory to grow, longer chains still work */
    hang(shard->chains, shard->chains_count, item);
    shard->items_count++;
    atomic_fetch_add_explicit(&table->count, 1, memory_order_relaxed);
    return 0;
}

void lario_table_remove(lario_table *table, lario_table_shard *shard, lario_table_item *item)
{
    lario_table_item **at = &shard->chains[item->hash & (shard->chains_count - 1)];

    while (*at != item)
        at = &(*at)->next;
    *at = item->next;
    shard->items_count--;
    atomic_fetch_sub_explicit(&table->count, 1, memory_order_relaxed);
}
