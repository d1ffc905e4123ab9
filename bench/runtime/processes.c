/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures of processes themselves: their start and end, their sleep, and what a parked one costs.
 * All run on one loop, so its processes count in plain variables of the director.
 */
#include <stdlib.h>

#include "lario/process.h"
#include "lib/clock.h"
#include "runtime/measures.h"
#include "runtime/memory.h"
#include "runtime/report.h"

/* Processes started before they get to run: few enough that their stacks stay warm. */
#define BATCH 1000

#define SLEEPS 5
#define SLEEP_MIN_MS 200
#define SLEEP_SPREAD_MS 800

/* What the processes of one measure share. */
typedef struct crowd {
    uint64_t alive;
    uint64_t late_ns; /* sum over all sleepers */
    uint64_t late_max_ns;
    uint64_t started;
} crowd;

/* Of the measure that runs. Static, since processes outlive a measure that fails half-way. */
static crowd shared;

static crowd *new_crowd(uint64_t alive)
{
    shared = (crowd){.alive = alive};
    return &shared;
}

/* Starts `count` processes in batches. `ret_pids` may be NULL. */
static int spawn_crowd(lario_process_fn fn, crowd *c, uint64_t count, lario_pid *ret_pids)
{
    for (uint64_t i = 0; i < count; i++) {
        int rc = lario_spawn(fn, c, ret_pids ? &ret_pids[i] : NULL);

        if (rc >= 0 && (i + 1) % BATCH == 0)
            rc = lario_yield();
        if (rc < 0)
            return rc;
    }
    return lario_yield();
}

static int kill_all(const lario_pid *pids, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        int rc = lario_kill(pids[i], LARIO_ECANCELED);

        if (rc >= 0 && (i + 1) % BATCH == 0)
            rc = lario_yield();
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int wait_until_all_ended(const crowd *c)
{
    int rc = 0;

    while (rc >= 0 && c->alive > 0)
        rc = lario_yield();
    return rc;
}

static int count_and_end(void *arg)
{
    crowd *c = arg;

    c->started++;
    return 0;
}

int measure_spawn_exit(const bench *b)
{
    uint64_t count = bench_count(b, 1000000);
    crowd *c = new_crowd(count);
    stopwatch start = stopwatch_start();
    int rc = spawn_crowd(count_and_end, c, count, NULL);

    if (rc < 0)
        return rc;
    if (c->started != count)
        return LARIO_ESTATE;
    report_time(b->csv, "spawn and exit", count, start);
    return 0;
}

static int sleep_once(crowd *c, int ms)
{
    uint64_t due_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * 1000000u;
    int rc = lario_sleep(ms);
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t late_ns = now_ns > due_ns ? now_ns - due_ns : 0;

    c->late_ns += late_ns;
    if (late_ns > c->late_max_ns)
        c->late_max_ns = late_ns;
    return rc;
}

/* Waits for a first message, sleeps a few times, and then waits until it is killed. */
static int sleeper(void *arg)
{
    crowd *c = arg;
    int ms = SLEEP_MIN_MS + (int)(c->started++ % SLEEP_SPREAD_MS);
    lario_msg msg;
    int rc = lario_receive(&msg, -1);

    for (int i = 0; rc >= 0 && i < SLEEPS; i++)
        rc = sleep_once(c, ms);
    if (rc < 0)
        return rc;
    c->alive--;
    return lario_receive(&msg, -1);
}

static int wake_all(const lario_pid *pids, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        int rc = lario_send(pids[i], LARIO_USER, NULL, 0);

        if (rc >= 0 && (i + 1) % BATCH == 0)
            rc = lario_yield();
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int run_sleepers(const bench *b, crowd *c, lario_pid *pids, uint64_t count)
{
    int rc = spawn_crowd(sleeper, c, count, pids);

    if (rc < 0)
        return rc;
    stopwatch start = stopwatch_start();
    rc = wake_all(pids, count);
    /* Sleeping between the looks leaves the loop to the others. */
    while (rc >= 0 && c->alive > 0)
        rc = lario_sleep(10);
    if (rc < 0)
        return rc;

    double sleeps = (double)(count * SLEEPS);
    report_time(b->csv, "sleeps", count * SLEEPS, start);
    report_value(b->csv, "sleeps: mean lateness", (double)c->late_ns / sleeps / 1e3, "us");
    report_value(b->csv, "sleeps: worst lateness", (double)c->late_max_ns / 1e3, "us");
    return 0;
}

/* The starts and ends are not timed: they cost far more than a sleep, by their fresh stacks. */
int measure_timers(const bench *b)
{
    uint64_t count = bench_count(b, 100000);
    lario_pid *pids = malloc(count * sizeof *pids);

    if (!pids)
        return LARIO_ENOMEM;
    int rc = run_sleepers(b, new_crowd(count), pids, count);
    if (rc >= 0)
        rc = kill_all(pids, count);
    free(pids);
    return rc;
}

static int park(void *arg)
{
    crowd *c = arg;
    lario_msg msg;
    int rc;

    c->started++;
    do
        rc = lario_receive(&msg, -1);
    while (rc >= 0);
    c->alive--;
    return rc;
}

static void report_memory(const bench *b, const memory *before, const memory *after, uint64_t count)
{
    double each = 1.0 / (double)count;
    double resident = (double)(after->resident_bytes - before->resident_bytes);
    double tables = (double)(after->page_table_bytes - before->page_table_bytes);

    report_value(b->csv, "parked: resident each", resident * each, "bytes");
    report_value(b->csv, "parked: page tables each", tables * each, "bytes");
    report_value(b->csv, "parked: mappings in all", (double)after->mappings, "mappings");
}

static int run_parked(const bench *b, lario_pid *pids, uint64_t count)
{
    crowd *c = new_crowd(count);
    memory before, after;

    if (memory_read(&before) < 0)
        return LARIO_ENOTFOUND;
    stopwatch start = stopwatch_start();
    int rc = spawn_crowd(park, c, count, pids);
    if (rc < 0)
        return rc;
    if (c->started != count || memory_read(&after) < 0)
        return LARIO_ESTATE;
    report_time(b->csv, "parked: spawned", count, start);
    report_memory(b, &before, &after, count);

    start = stopwatch_start();
    rc = kill_all(pids, count);
    if (rc >= 0)
        rc = wait_until_all_ended(c);
    if (rc < 0)
        return rc;
    report_time(b->csv, "parked: killed", count, start);
    return 0;
}

int measure_parked(const bench *b)
{
    uint64_t count = bench_count(b, 1000000);
    lario_pid *pids = malloc(count * sizeof *pids);

    if (!pids)
        return LARIO_ENOMEM;
    /* Touched now, so that they are not counted with the memory of the processes. */
    for (uint64_t i = 0; i < count; i++)
        pids[i] = (lario_pid){.serial = 1};
    int rc = run_parked(b, pids, count);
    free(pids);
    return rc;
}
