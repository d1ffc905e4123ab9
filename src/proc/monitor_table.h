/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_MONITOR_TABLE_H
#define LARIO_PROC_MONITOR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "lario/process.h"

struct lario_message;

/* One own monitor: a LARIO_DOWN is taken only while its record is there. */
typedef struct lario_monitor_record {
    lario_list_link link;              /* of its process */
    struct lario_monitor_record *next; /* of its chain in the loop's table */
    uint64_t ref;
    uint64_t owner; /* serial of the process */
    lario_pid target;
    struct lario_message *notice; /* at the target's, while that lives; only a token for it here */
} lario_monitor_record;

/*
 * The monitors of all processes of a loop by their ref, so that a supervisor of very many finds
 * each of them at once. Refs of a loop are numbered one after the other: taken as they are, they
 * spread evenly over the chains.
 */
typedef struct lario_monitor_table {
    lario_monitor_record **chains;
    size_t chains_count; /* a power of two, or 0 */
    size_t count;
} lario_monitor_table;

/* 0, or LARIO_ENOMEM. */
int lario_monitor_table_add(lario_monitor_table *table, lario_monitor_record *record);
void lario_monitor_table_remove(lario_monitor_table *table, lario_monitor_record *record);

/* NULL when there is none. */
lario_monitor_record *lario_monitor_table_find(const lario_monitor_table *table, uint64_t ref);

/* Frees the table, not the records. */
void lario_monitor_table_done(lario_monitor_table *table);

#endif
