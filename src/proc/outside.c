/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/runtime.h"

/* Calls on loops from threads that are none: they block until the loop has answered. */

typedef struct outside_call {
    lario_handoff handoff;
    void (*fn)(lario_loop *loop, void *arg);
    void *arg;
    pthread_mutex_t mutex;
    pthread_cond_t done;
    bool is_done;
} outside_call;

static void outside_call_arrived(lario_loop *loop, lario_handoff *handoff)
{
    outside_call *call = lario_container_of(handoff, outside_call, handoff);

    call->fn(loop, call->arg);
    pthread_mutex_lock(&call->mutex);
    call->is_done = true;
    pthread_cond_signal(&call->done);
    pthread_mutex_unlock(&call->mutex);
}

void lario_runtime_call(lario_runtime *runtime, unsigned index,
                        void (*fn)(lario_loop *loop, void *arg), void *arg)
{
    outside_call call = {.handoff.run = outside_call_arrived,
                         .fn = fn,
                         .arg = arg,
                         .mutex = PTHREAD_MUTEX_INITIALIZER,
                         .done = PTHREAD_COND_INITIALIZER};

    lario_loop_hand(lario_runtime_loop_at(runtime, index), &call.handoff);
    pthread_mutex_lock(&call.mutex);
    while (!call.is_done)
        pthread_cond_wait(&call.done, &call.mutex);
    pthread_mutex_unlock(&call.mutex);
    pthread_cond_destroy(&call.done);
    pthread_mutex_destroy(&call.mutex);
}

void lario_runtime_call_all(lario_runtime *runtime, void (*fn)(lario_loop *loop, void *arg),
                            void *arg)
{
    for (unsigned i = 0; i < lario_runtime_loops(runtime); i++)
        lario_runtime_call(runtime, i, fn, arg);
}
