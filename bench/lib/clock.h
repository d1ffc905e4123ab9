/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

/* `id` is CLOCK_MONOTONIC for wall time, or CLOCK_PROCESS_CPUTIME_ID for CPU time of all threads.
 */
static inline uint64_t clock_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
