/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static int read_resident(uint64_t *ret_bytes)
{
    FILE *file = fopen("/proc/self/statm", "re");
    uint64_t pages = 0;

    if (!file)
        return -1;
    int fields = fscanf(file, "%*u %" SCNu64, &pages);
    fclose(file);
    if (fields != 1)
        return -1;
    *ret_bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return 0;
}

static int read_page_tables(uint64_t *ret_bytes)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    uint64_t kib;
    int rc = -1;

    if (!file)
        return -1;
    while (rc < 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmPTE: %" SCNu64, &kib) == 1) {
            *ret_bytes = kib * 1024;
            rc = 0;
        }
    }
    fclose(file);
    return rc;
}

static int count_mappings(uint64_t *ret_count)
{
    FILE *file = fopen("/proc/self/maps", "re");
    uint64_t count = 0;
    int c;

    if (!file)
        return -1;
    while ((c = getc(file)) != EOF)
        count += c == '\n';
    fclose(file);
    *ret_count = count;
    return 0;
}

int memory_read(memory *ret_memory)
{
    memory m;

    if (read_resident(&m.resident_bytes) < 0 || read_page_tables(&m.page_table_bytes) < 0 ||
        count_mappings(&m.mappings) < 0)
        return -1;
    *ret_memory = m;
    return 0;
}
