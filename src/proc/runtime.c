/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/runtime.h"

#include <stdlib.h>

#include "proc/offload.h"
#include "proc/stall.h"
#include "sys/clock.h"
#include "sys/random.h"

#define WORKERS_MAX 256u
#define WORKERS_DEFAULT 4u
#define PROCESSES_DEFAULT 4000000u
#define OFFLOADS_DEFAULT 100000u
#define STALL_MS_DEFAULT 200u
#define STACKS_KEPT_DEFAULT 1024u

/* How often a stop looks whether the last processes have ended. */
#define STOP_LOOK_MS 2

/* A loop that does not answer for so long after the time limit of a stop is held. */
#define STOP_GRACE_MS 200

typedef struct node_loop {
    lario_loop loop;
    lario_sched sched;
    lario_thread thread;
    lario_handoff look; /* of a stop: see look_arrived() */
    atomic_bool is_looking;
    uint32_t left; /* processes, at the last look */
} node_loop;

struct lario_runtime {
    lario_runtime_opts opts;
    uint64_t node[2];
    uint64_t incarnation;
    lario_log_target log;
    atomic_bool is_running; /* also read by threads that spawn */
    bool has_abandoned;     /* processes that were alive at the end of the last stop */
    pthread_mutex_t parts_lock;
    node_loop *loops;
    lario_offload_pool offload;
    lario_stall_detector stall;
    lario_runtime_part *parts;
};

static void set_default(uint32_t *value, uint32_t by_default, uint32_t max)
{
    if (*value == 0)
        *value = by_default;
    if (*value > max)
        *value = max;
}

static void complete_options(lario_runtime_opts *opts)
{
    set_default(&opts->loops, lario_thread_cores(), LARIO_LOOPS_MAX);
    set_default(&opts->workers, WORKERS_DEFAULT, WORKERS_MAX);
    set_default(&opts->processes_max, PROCESSES_DEFAULT, LARIO_SLOTS_MAX);
    set_default(&opts->offloads_max, OFFLOADS_DEFAULT, UINT32_MAX);
    set_default(&opts->stall_ms, STALL_MS_DEFAULT, UINT32_MAX);
    set_default(&opts->stacks_kept, STACKS_KEPT_DEFAULT, UINT32_MAX);
}

bool lario_runtime_is_running(const lario_runtime *runtime)
{
    return atomic_load(&runtime->is_running);
}

/* Kills what is there and refuses what comes; then counts. Harmless when repeated. */
static void look_arrived(lario_loop *loop, lario_handoff *handoff)
{
    node_loop *at = lario_container_of(handoff, node_loop, look);
    (void)loop;

    lario_sched_kill_all(&at->sched, LARIO_ECANCELED);
    at->left = at->sched.processes;
    atomic_store(&at->is_looking, false);
}

lario_runtime *lario_runtime_new(const lario_runtime_opts *opts)
{
    lario_runtime *runtime = calloc(1, sizeof *runtime);
    unsigned made = 0;
    int rc = LARIO_ENOMEM;

    if (!runtime)
        goto fail;
    if (opts)
        runtime->opts = *opts;
    complete_options(&runtime->opts);
    pthread_mutex_init(&runtime->parts_lock, NULL);
    atomic_init(&runtime->is_running, false);
    runtime->log = (lario_log_target){runtime->opts.log, runtime->opts.log_arg};
    runtime->incarnation = lario_clock_wall_ns();
    rc = lario_random_bytes(runtime->node, sizeof runtime->node);
    if (rc < 0)
        goto fail;
    rc = LARIO_ENOMEM;
    runtime->loops = aligned_alloc(_Alignof(node_loop), runtime->opts.loops * sizeof(node_loop));
    if (!runtime->loops)
        goto fail;
    for (; made < runtime->opts.loops; made++) {
        node_loop *at = &runtime->loops[made];

        at->look.run = look_arrived;
        atomic_init(&at->is_looking, false);
        rc = lario_loop_init(&at->loop, made, runtime, &runtime->log);
        if (rc < 0)
            goto fail;
        lario_sched_init(&at->sched, &at->loop, runtime->opts.processes_max,
                         runtime->opts.stacks_kept);
    }
    return runtime;
fail:
    while (made > 0)
        lario_loop_done(&runtime->loops[--made].loop);
    if (runtime) {
        free(runtime->loops);
        pthread_mutex_destroy(&runtime->parts_lock);
    }
    free(runtime);
    errno = -rc;
    return NULL;
}

static void *run_loop(void *arg)
{
    node_loop *at = arg;

    lario_context_adopt(&at->sched.context);
    lario_loop_run(&at->loop);
    return NULL;
}

static void stop_loop(lario_loop *loop, void *arg)
{
    (void)arg;
    lario_loop_stop(loop);
}

static void end_loops(lario_runtime *runtime, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        lario_runtime_call(runtime, i, stop_loop, NULL);
        lario_thread_join(runtime->loops[i].thread);
    }
}

int lario_runtime_start(lario_runtime *runtime)
{
    unsigned started = 0;

    if (lario_runtime_is_running(runtime) || runtime->has_abandoned)
        return LARIO_ESTATE;
    int rc =
        lario_offload_start(&runtime->offload, runtime->opts.workers, runtime->opts.offloads_max);

    if (rc < 0)
        return rc;
    for (; started < runtime->opts.loops; started++) {
        node_loop *at = &runtime->loops[started];

        at->loop.is_stopped = false;
        at->sched.is_stopping = false;
        rc = lario_thread_start(&at->thread, "lario-loop", run_loop, at);
        if (rc < 0)
            goto fail;
    }
    rc = lario_stall_start(&runtime->stall, runtime, runtime->opts.stall_ms);
    if (rc < 0)
        goto fail;
    atomic_store(&runtime->is_running, true);
    return 0;
fail:
    end_loops(runtime, started);
    lario_offload_stop(&runtime->offload);
    return rc;
}

/* Asks the loops that have answered once more, those with nothing left but at the first time. */
static void ask_loops(lario_runtime *runtime, bool is_first)
{
    for (unsigned i = 0; i < runtime->opts.loops; i++) {
        node_loop *at = &runtime->loops[i];

        if (atomic_load(&at->is_looking) || (!is_first && at->left == 0))
            continue;
        atomic_store(&at->is_looking, true);
        lario_loop_hand(&at->loop, &at->look);
    }
}

typedef enum stop_state { ALL_ENDED, SOME_LEFT, LOOP_HELD } stop_state;

static stop_state state_of_stop(lario_runtime *runtime)
{
    stop_state state = ALL_ENDED;

    for (unsigned i = 0; i < runtime->opts.loops; i++) {
        if (atomic_load(&runtime->loops[i].is_looking))
            return LOOP_HELD;
        if (runtime->loops[i].left > 0)
            state = SOME_LEFT;
    }
    return state;
}

/* Waits for the ends, and at the last for what the loops say of the processes that are left. */
static stop_state await_ends(lario_runtime *runtime, uint64_t wait_ns)
{
    uint64_t began = lario_clock_ns();
    bool is_over = false;

    ask_loops(runtime, true);
    for (;;) {
        stop_state state = state_of_stop(runtime);
        uint64_t waited = lario_clock_ns() - began;

        is_over = is_over || waited >= wait_ns;
        if (state == ALL_ENDED || (is_over && state == SOME_LEFT))
            return state;
        if (is_over && waited - wait_ns >= STOP_GRACE_MS * LARIO_NS_PER_MS)
            return state;
        lario_thread_sleep_ms(STOP_LOOK_MS);
        if (!is_over)
            ask_loops(runtime, false);
    }
}

int lario_runtime_stop(lario_runtime *runtime, int timeout_ms)
{
    if (!lario_runtime_is_running(runtime))
        return LARIO_ESTATE;
    stop_state state =
        await_ends(runtime, timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * LARIO_NS_PER_MS);

    if (state == LOOP_HELD)
        return LARIO_ETIMEDOUT;
    lario_stall_stop(&runtime->stall);
    lario_offload_stop(&runtime->offload);
    end_loops(runtime, runtime->opts.loops);
    atomic_store(&runtime->is_running, false);
    runtime->has_abandoned = state == SOME_LEFT;
    return state == SOME_LEFT ? LARIO_ETIMEDOUT : 0;
}

/* What loops handed to each other at the last may hand more, over and back. */
static void drain_loops(lario_runtime *runtime)
{
    bool has_run;

    do {
        has_run = false;
        for (unsigned i = 0; i < runtime->opts.loops; i++)
            has_run |= lario_loop_drain(&runtime->loops[i].loop);
    } while (has_run);
}

void lario_runtime_free(lario_runtime *runtime)
{
    if (!runtime || lario_runtime_is_running(runtime))
        return;
    drain_loops(runtime);
    while (runtime->parts) {
        lario_runtime_part *part = runtime->parts;

        runtime->parts = part->next;
        part->free_fn(part);
    }
    for (unsigned i = 0; i < runtime->opts.loops; i++) {
        lario_loop_done(&runtime->loops[i].loop);
        lario_sched_done(&runtime->loops[i].sched);
    }
    free(runtime->loops);
    pthread_mutex_destroy(&runtime->parts_lock);
    free(runtime);
}

/* ---- What others ask of a runtime ---- */

unsigned lario_runtime_loops(const lario_runtime *runtime)
{
    return runtime->opts.loops;
}

lario_runtime *lario_runtime_here(void)
{
    return lario_loop_current ? lario_loop_current->runtime : NULL;
}

lario_loop *lario_runtime_loop_of(const lario_runtime *runtime, lario_pid pid)
{
    unsigned index = lario_serial_loop(pid.serial);

    if (pid.node[0] != runtime->node[0] || pid.node[1] != runtime->node[1] ||
        pid.incarnation != runtime->incarnation || index >= runtime->opts.loops)
        return NULL;
    return &runtime->loops[index].loop;
}

lario_loop *lario_runtime_loop_at(const lario_runtime *runtime, unsigned index)
{
    return &runtime->loops[index].loop;
}

pthread_t lario_runtime_thread(const lario_runtime *runtime, unsigned index)
{
    return runtime->loops[index].thread;
}

lario_pid lario_runtime_pid(const lario_runtime *runtime, uint64_t serial)
{
    return (lario_pid){
        .node = {runtime->node[0], runtime->node[1]},
        .incarnation = runtime->incarnation,
        .serial = serial,
    };
}

const lario_log_target *lario_runtime_log(const lario_runtime *runtime)
{
    return &runtime->log;
}

void lario_runtime_set_log(lario_runtime *runtime, lario_log_fn fn, void *arg)
{
    runtime->log = (lario_log_target){fn, arg};
}

lario_offload_pool *lario_runtime_offload(lario_runtime *runtime)
{
    return &runtime->offload;
}

pthread_mutex_t *lario_runtime_parts_lock(lario_runtime *runtime)
{
    return &runtime->parts_lock;
}

void lario_runtime_add_part(lario_runtime *runtime, lario_runtime_part *part)
{
    part->next = runtime->parts;
    runtime->parts = part;
}

lario_runtime_part *lario_runtime_parts(const lario_runtime *runtime)
{
    return runtime->parts;
}

/* ---- The log of the calling thread ---- */

void lario_log(lario_log_level level, const char *event, const char *format, ...)
{
    va_list values;

    if (!lario_loop_current)
        return;
    va_start(values, format);
    lario_log_write(lario_loop_current->log, level, event, format, values);
    va_end(values);
}
