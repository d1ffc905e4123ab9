/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/stall.h"

#include <stdlib.h>

#include "lario/error.h"
#include "proc/runtime.h"
#include "sys/backtrace.h"
#include "sys/clock.h"

/* Looks a stall is divided into: the report comes at most a quarter of stall_ms late. */
#define LOOKS 4

typedef struct lario_loop_watch {
    uint64_t beat;
    uint64_t since_ns;
    bool is_reported;
} lario_loop_watch;

static void report(lario_stall_detector *detector, unsigned index, uint64_t held_ns)
{
    lario_backtrace trace;
    char text[LARIO_LOG_TEXT_BYTES];
    int rc = lario_backtrace_of(lario_runtime_thread(detector->runtime, index), &trace);

    if (rc == 0)
        lario_backtrace_format(&trace, text, sizeof text);
    lario_log_to(lario_runtime_log(detector->runtime), LARIO_LOG_WARN, "loop_stalled",
                 "loop %u has been held for %llu ms by %s", index,
                 (unsigned long long)(held_ns / LARIO_NS_PER_MS), rc == 0 ? text : "(no stack)");
}

static void look(lario_stall_detector *detector, unsigned index, lario_loop_watch *watch)
{
    lario_loop *loop = lario_runtime_loop_at(detector->runtime, index);
    uint64_t beat = atomic_load_explicit(&loop->beat, memory_order_relaxed);
    uint64_t now = lario_clock_ns();

    if (beat != watch->beat || atomic_load(&loop->sleeps)) {
        watch->beat = beat;
        watch->since_ns = now;
        watch->is_reported = false;
        return;
    }
    if (watch->is_reported || now - watch->since_ns < detector->stall_ms * LARIO_NS_PER_MS)
        return;
    watch->is_reported = true;
    report(detector, index, now - watch->since_ns);
}

static void *run(void *arg)
{
    lario_stall_detector *detector = arg;
    unsigned loops = lario_runtime_loops(detector->runtime);
    uint64_t step_ns = (detector->stall_ms + LOOKS - 1) / LOOKS * LARIO_NS_PER_MS;

    pthread_mutex_lock(&detector->mutex);
    while (!detector->is_stopping) {
        lario_cond_wait_until(&detector->changed, &detector->mutex, lario_clock_ns() + step_ns);
        if (detector->is_stopping)
            break;
        pthread_mutex_unlock(&detector->mutex);
        for (unsigned i = 0; i < loops; i++)
            look(detector, i, &detector->watches[i]);
        pthread_mutex_lock(&detector->mutex);
    }
    pthread_mutex_unlock(&detector->mutex);
    return NULL;
}

int lario_stall_start(lario_stall_detector *detector, lario_runtime *runtime, uint32_t stall_ms)
{
    *detector = (lario_stall_detector){.runtime = runtime, .stall_ms = stall_ms};
    detector->watches = calloc(lario_runtime_loops(runtime), sizeof *detector->watches);
    if (!detector->watches)
        return LARIO_ENOMEM;
    int rc = lario_backtrace_enable();

    if (rc < 0)
        lario_log_to(lario_runtime_log(runtime), LARIO_LOG_DEBUG, "no_stall_stacks", "%s",
                     lario_strerror(rc));
    pthread_mutex_init(&detector->mutex, NULL);
    rc = lario_cond_init(&detector->changed);
    if (rc < 0)
        goto fail_cond;
    rc = lario_thread_start(&detector->thread, "lario-stall", run, detector);
    if (rc < 0)
        goto fail_thread;
    return 0;
fail_thread:
    pthread_cond_destroy(&detector->changed);
fail_cond:
    pthread_mutex_destroy(&detector->mutex);
    free(detector->watches);
    return rc;
}

void lario_stall_stop(lario_stall_detector *detector)
{
    pthread_mutex_lock(&detector->mutex);
    detector->is_stopping = true;
    pthread_cond_signal(&detector->changed);
    pthread_mutex_unlock(&detector->mutex);
    lario_thread_join(detector->thread);
    pthread_cond_destroy(&detector->changed);
    pthread_mutex_destroy(&detector->mutex);
    free(detector->watches);
}
