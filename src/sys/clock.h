/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_CLOCK_H
#define LARIO_SYS_CLOCK_H

#include <limits.h>
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

/* The end of a time limit that begins now; UINT64_MAX for -1, no limit. */
static inline uint64_t lario_clock_deadline_ns(int timeout_ms)
{
    return timeout_ms < 0 ? UINT64_MAX : lario_clock_ns() + (uint64_t)timeout_ms * LARIO_NS_PER_MS;
}

/* The time left until `deadline_ns`, rounded up, so that only a limit that has passed reads 0; -1
 * without a limit. */
static inline int lario_clock_left_ms(uint64_t deadline_ns)
{
    uint64_t now = lario_clock_ns();

    if (deadline_ns == UINT64_MAX)
        return -1;
    if (deadline_ns <= now)
        return 0;
    uint64_t left = (deadline_ns - now + LARIO_NS_PER_MS - 1) / LARIO_NS_PER_MS;

    return left < INT_MAX ? (int)left : INT_MAX;
}

#endif
