/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_CLOCK_H
#define LARIO_SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define LARIO_NS_PER_MS ((uint64_t)1000000)
#define LARIO_NS_PER_S ((uint64_t)1000000000)

/* Nanoseconds of a clock that never goes back. */
static inline uint64_t lario_clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * LARIO_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Nanoseconds since 1970; may jump. */
static inline uint64_t lario_clock_wall_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * LARIO_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Seconds since 1970, a few milliseconds late at most; cheaper than the above. */
static inline uint64_t lario_clock_wall_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME_COARSE, &ts);
    return (uint64_t)ts.tv_sec;
}

#endif
