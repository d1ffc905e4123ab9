/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_RUNTIME_H
#define LARIO_PROC_RUNTIME_H

#include <pthread.h>

#include "lario/runtime.h"
#include "log/log.h"
#include "loop/loop.h"
#include "proc/mailbox.h"
#include "proc/scheduler.h"

/* As many as a serial has room for; see scheduler.h. */
#define LARIO_LOOPS_MAX 256u

/* What a higher layer keeps on a runtime: freed with it, newest first. */
typedef struct lario_runtime_part {
    struct lario_runtime_part *next;
    void (*free_fn)(struct lario_runtime_part *part);
} lario_runtime_part;

/* From the start to the end of a stop that succeeds or abandons processes. Any thread. */
bool lario_runtime_is_running(const lario_runtime *runtime);

/* The loop of a pid of this node; NULL for another node's and for no process. */
lario_loop *lario_runtime_loop_of(const lario_runtime *runtime, lario_pid pid);
lario_loop *lario_runtime_loop_at(const lario_runtime *runtime, unsigned index);

/* The full pid of a process of this node. */
lario_pid lario_runtime_pid(const lario_runtime *runtime, uint64_t serial);

const lario_log_target *lario_runtime_log(const lario_runtime *runtime);
void lario_runtime_set_log(lario_runtime *runtime, lario_log_fn fn, void *arg);

/* Parts are looked for and added under this lock. */
pthread_mutex_t *lario_runtime_parts_lock(lario_runtime *runtime);
void lario_runtime_add_part(lario_runtime *runtime, lario_runtime_part *part);
lario_runtime_part *lario_runtime_parts(const lario_runtime *runtime);

/*
 * Calls fn(loop, arg) on every loop, one after the other, and waits until all are done. From a
 * thread that is not a loop; the runtime must be running.
 */
void lario_runtime_call_all(lario_runtime *runtime, void (*fn)(lario_loop *loop, void *arg),
                            void *arg);
void lario_runtime_call(lario_runtime *runtime, unsigned index,
                        void (*fn)(lario_loop *loop, void *arg), void *arg);

pthread_t lario_runtime_thread(const lario_runtime *runtime, unsigned index);
struct lario_offload_pool *lario_runtime_offload(lario_runtime *runtime);

/* The same bytes to many receivers; see lario_send(). */
int lario_send_shared(lario_pid to, int kind, lario_shared *shared);

#endif
