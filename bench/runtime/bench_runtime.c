/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures the runtime without any server: processes, messages, timers and their memory. */
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

#include "lario/process.h"
#include "lario/runtime.h"
#include "lib/args.h"
#include "runtime/measures.h"
#include "runtime/report.h"

#define STOP_MS 60000

typedef struct measure {
    const char *name;
    unsigned loops;
    int (*run)(const bench *b);
} measure;

/* In order of weight: the parked processes leave much memory behind in the C library. */
static const measure measures[] = {
    {"spawn", 1, measure_spawn_exit},        {"send", 1, measure_send_receive},
    {"ping", 1, measure_ping_pong},          {"ping-loops", 2, measure_ping_pong_loops},
    {"flood-loops", 2, measure_flood_loops}, {"call", 1, measure_call},
    {"call-loops", 2, measure_call_loops},   {"timers", 1, measure_timers},
    {"parked", 1, measure_parked},
};

/* What the director gets from the thread that waits for it. */
typedef struct director {
    const measure *measure;
    const bench *bench;
    int result;
    sem_t done;
} director;

static int direct(void *arg)
{
    director *d = arg;

    d->result = d->measure->run(d->bench);
    sem_post(&d->done);
    return 0;
}

static int run_directed(lario_runtime *runtime, director *d)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    int rc = lario_runtime_start(runtime);

    if (rc < 0)
        return rc;
    opts.label = "director";
    opts.mailbox_max = 1000000;
    rc = lario_runtime_spawn(runtime, direct, d, &opts, NULL);
    if (rc >= 0) {
        while (sem_wait(&d->done) < 0)
            ;
        rc = d->result;
    }
    int stopped = lario_runtime_stop(runtime, STOP_MS);
    return rc < 0 ? rc : stopped;
}

static int run_measure(const measure *m, const bench *b)
{
    lario_runtime_opts opts = {.loops = m->loops, .workers = 1};
    director d = {.measure = m, .bench = b};
    lario_runtime *runtime = lario_runtime_new(&opts);

    if (!runtime)
        return LARIO_ENOMEM;
    sem_init(&d.done, 0, 0);
    int rc = run_directed(runtime, &d);
    sem_destroy(&d.done);
    lario_runtime_free(runtime);
    return rc;
}

int main(int argc, char **argv)
{
    const char *only = "";
    long csv = 0;
    bench b = {.percent = 100};
    const args_option options[] = {{"percent", 1, 1000, &b.percent, NULL},
                                   {"csv", 0, 1, &csv, NULL},
                                   {"only", 0, 0, NULL, &only},
                                   {0}};
    int failures = 0;

    args_parse(argc, argv, options);
    b.csv = csv;
    report_begin(b.csv);
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
        const measure *m = &measures[i];
        int rc = *only && strcmp(only, m->name) != 0 ? 0 : run_measure(m, &b);

        if (rc < 0) {
            fprintf(stderr, "bench_runtime: %s: %s\n", m->name, lario_strerror(rc));
            failures++;
        }
    }
    return failures ? 1 : 0;
}
