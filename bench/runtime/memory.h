/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include <stdint.h>

/* What this operating-system process occupies. */
typedef struct memory {
    uint64_t resident_bytes;
    uint64_t page_table_bytes;
    uint64_t mappings;
} memory;

/* Reads it from /proc. Returns 0, or -1 when that cannot be read. */
int memory_read(memory *ret_memory);

#endif
