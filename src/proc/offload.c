/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/offload.h"

#include <stdlib.h>

#include "proc/process.h"
#include "proc/runtime.h"
#include "proc/scheduler.h"

typedef struct offload_job {
    lario_list_link link; /* in the queue; linked until a worker takes it */
    lario_handoff handoff;
    lario_proc *caller;
    lario_loop *loop;
    int (*fn)(void *arg);
    void *arg;
    int result;
    bool is_done;
} offload_job;

static void job_done(lario_loop *loop, lario_handoff *handoff)
{
    offload_job *job = lario_container_of(handoff, offload_job, handoff);
    (void)loop;

    job->is_done = true;
    lario_proc_wake(job->caller, 0);
}

static void *work(void *arg)
{
    lario_offload_pool *pool = arg;

    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        lario_list_link *link = lario_list_pop_front(&pool->jobs);

        if (!link) {
            if (pool->is_stopping)
                break;
            pthread_cond_wait(&pool->work, &pool->mutex);
            continue;
        }
        offload_job *job = lario_container_of(link, offload_job, link);

        pool->queued--;
        pthread_mutex_unlock(&pool->mutex);
        job->result = job->fn(job->arg);
        lario_loop_hand(job->loop, &job->handoff);
        pthread_mutex_lock(&pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

int lario_offload_start(lario_offload_pool *pool, unsigned threads, uint32_t queued_max)
{
    *pool = (lario_offload_pool){.queued_max = queued_max};
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    lario_list_init(&pool->jobs);
    pool->threads = calloc(threads, sizeof *pool->threads);
    int rc = pool->threads ? 0 : LARIO_ENOMEM;

    while (rc == 0 && pool->threads_count < threads) {
        rc = lario_thread_start(&pool->threads[pool->threads_count], "lario-worker", work, pool);
        if (rc == 0)
            pool->threads_count++;
    }
    if (rc < 0)
        lario_offload_stop(pool);
    return rc;
}

void lario_offload_stop(lario_offload_pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->is_stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (unsigned i = 0; i < pool->threads_count; i++)
        lario_thread_join(pool->threads[i]);
    free(pool->threads);
    pool->threads = NULL;
    pool->threads_count = 0;
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
}

/* Takes the job back if no worker has it yet. */
static bool withdraw(lario_offload_pool *pool, offload_job *job)
{
    bool waits;

    pthread_mutex_lock(&pool->mutex);
    waits = lario_list_is_linked(&job->link);
    if (waits) {
        lario_list_remove(&job->link);
        pool->queued--;
    }
    pthread_mutex_unlock(&pool->mutex);
    return waits;
}

static int submit(lario_offload_pool *pool, offload_job *job)
{
    int rc = 0;

    pthread_mutex_lock(&pool->mutex);
    if (pool->queued >= pool->queued_max) {
        rc = LARIO_EFULL;
    } else {
        lario_list_push_back(&pool->jobs, &job->link);
        pool->queued++;
        pthread_cond_signal(&pool->work);
    }
    pthread_mutex_unlock(&pool->mutex);
    return rc;
}

int lario_offload(int (*fn)(void *arg), void *arg)
{
    lario_proc *self = lario_proc_current();

    if (!self)
        return LARIO_ENOTPROC;
    if (self->is_killed)
        return lario_proc_canceled(self);
    lario_offload_pool *pool = lario_runtime_offload(self->sched->loop->runtime);
    offload_job job = {
        .handoff.run = job_done, .caller = self, .loop = self->sched->loop, .fn = fn, .arg = arg};

    lario_list_init(&job.link);
    int rc = submit(pool, &job);

    if (rc < 0)
        return rc;
    while (!job.is_done) {
        /* The first kill ends the wait for a worker; once one has the job it is waited for. */
        enum lario_proc_wait wait = self->is_killed ? LARIO_WAIT_UNTIL_DONE : LARIO_WAIT_OTHER;

        rc = lario_proc_park(self, wait, -1);
        if (rc == LARIO_ECANCELED && !job.is_done && withdraw(pool, &job))
            return LARIO_ECANCELED;
    }
    return job.result;
}
