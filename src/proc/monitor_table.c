/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/monitor_table.h"

#include <stdlib.h>

#define CHAINS_FIRST 16

static lario_monitor_record **chain_of(const lario_monitor_table *table, uint64_t ref)
{
    return &table->chains[ref & (table->chains_count - 1)];
}

static void hang(lario_monitor_table *table, lario_monitor_record *record)
{
    lario_monitor_record **chain = chain_of(table, record->ref);

    record->next = *chain;
    *chain = record;
}

static int grow(lario_monitor_table *table)
{
    lario_monitor_table old = *table;
    size_t count = old.chains_count ? old.chains_count * 2 : CHAINS_FIRST;
    lario_monitor_record **chains = calloc(count, sizeof *chains);

    if (!chains)
        return LARIO_ENOMEM;
    table->chains = chains;
    table->chains_count = count;
    for (size_t i = 0; i < old.chains_count; i++)
        for (lario_monitor_record *record = old.chains[i], *next; record; record = next) {
            next = record->next;
            hang(table, record);
        }
    free(old.chains);
    return 0;
}

int lario_monitor_table_add(lario_monitor_table *table, lario_monitor_record *record)
{
    if (table->count >= table->chains_count && grow(table) < 0 && table->chains_count == 0)
        return LARIO_ENOMEM; /* without memory to grow, longer chains still work */
    hang(table, record);
    table->count++;
    return 0;
}

void lario_monitor_table_remove(lario_monitor_table *table, lario_monitor_record *record)
{
    lario_monitor_record **at = chain_of(table, record->ref);

    while (*at != record)
        at = &(*at)->next;
    *at = record->next;
    table->count--;
}

lario_monitor_record *lario_monitor_table_find(const lario_monitor_table *table, uint64_t ref)
{
    if (table->chains_count == 0)
        return NULL;
    lario_monitor_record *record = *chain_of(table, ref);

    while (record && record->ref != ref)
        record = record->next;
    return record;
}

void lario_monitor_table_done(lario_monitor_table *table)
{
    free(table->chains);
    *table = (lario_monitor_table){0};
}
