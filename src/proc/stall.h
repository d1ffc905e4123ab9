/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_STALL_H
#define LARIO_PROC_STALL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lario/runtime.h"
#include "sys/thread.h"

/*
 * Reports a process that holds its loop: a thread of its own looks at each loop's beat from time to
 * time; one that has not changed while the loop is awake means that the same code ran all along.
 * The loops pay one store a switch for it.
 */
typedef struct lario_stall_detector {
    lario_runtime *runtime;
    uint32_t stall_ms;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool is_stopping;
    lario_thread thread;
    struct lario_loop_watch *watches; /* one a loop */
} lario_stall_detector;

/* 0, LARIO_ENOMEM, or -errno when there is no thread. */
int lario_stall_start(lario_stall_detector *detector, lario_runtime *runtime, uint32_t stall_ms);
void lario_stall_stop(lario_stall_detector *detector);

#endif
