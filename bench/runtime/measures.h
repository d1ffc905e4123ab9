/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_MEASURES_H
#define BENCH_MEASURES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A measure is run by a process on loop 0 of a fresh runtime, the director. It starts the other
 * processes, reports its figures itself and returns 0, or the first error.
 */
typedef struct bench {
    long percent; /* of the full counts */
    bool csv;
} bench;

/* How many of `full` are to be done. */
static inline uint64_t bench_count(const bench *b, uint64_t full)
{
    return full * (uint64_t)b->percent / 100;
}

int measure_spawn_exit(const bench *b);
int measure_timers(const bench *b);
int measure_parked(const bench *b);

int measure_send_receive(const bench *b);
int measure_ping_pong(const bench *b);
int measure_ping_pong_loops(const bench *b);
int measure_flood_loops(const bench *b);
int measure_call(const bench *b);
int measure_call_loops(const bench *b);

#endif
