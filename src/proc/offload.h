/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_OFFLOAD_H
#define LARIO_PROC_OFFLOAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "sys/thread.h"

/*
 * Worker threads and their queue. A job lies on the stack of the process that waits for it, so the
 * queue needs no memory. Its lock is held for a few instructions only.
 */
typedef struct lario_offload_pool lario_offload_pool;

struct lario_offload_pool {
    pthread_mutex_t mutex;
    pthread_cond_t work;
    lario_list_link jobs;
    uint32_t queued;
    uint32_t queued_max;
    bool is_stopping;
    unsigned threads_count;
    lario_thread *threads;
};

/* 0 or -errno; then nothing runs. */
int lario_offload_start(lario_offload_pool *pool, unsigned threads, uint32_t queued_max);

/* Waits for the jobs that run. Processes must not wait for others any more. */
void lario_offload_stop(lario_offload_pool *pool);

#endif
