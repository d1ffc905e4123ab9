/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_RUNTIME_H
#define LARIO_RUNTIME_H

#include <stdint.h>

#include "lario/export.h"
#include "lario/log.h"
#include "lario/process.h"

LARIO_BEGIN_DECLS

/*
 * A runtime is one Lario node: its loops (one thread each), its worker threads for offloaded work
 * and its identity. A program may have several; lario_app owns one. Use it alone to run processes
 * without a server.
 */
typedef struct lario_runtime lario_runtime;

typedef struct lario_runtime_opts {
    unsigned loops;         /* threads that run processes; 0: one a core; at most 256 */
    unsigned workers;       /* threads for lario_offload(); 0: four; at most 256 */
    uint32_t processes_max; /* of each loop; 0: 4,000,000; at most 16,777,215 */
    uint32_t offloads_max;  /* queued at once, more are refused; 0: 100,000 */
    uint32_t stall_ms;      /* a loop held longer is reported with its stack; 0: 200 */
    uint32_t stacks_kept;   /* unused warm stacks a loop keeps; 0: 1,024 */
    lario_log_fn log;       /* NULL: records are dropped */
    void *log_arg;
} lario_runtime_opts;

/*
 * Makes a runtime and copies `opts` (NULL: all defaults). Nothing runs yet. Any thread. The caller
 * owns the result and frees it with lario_runtime_free(). NULL when memory or descriptors are
 * out, errno says which.
 */
LARIO_API lario_runtime *lario_runtime_new(const lario_runtime_opts *opts);

/*
 * Starts the threads. Any thread that is not a loop. It may be started again after a stop.
 * Errors, after which nothing runs: LARIO_ESTATE when it is running, or when its last stop left
 * processes; LARIO_ENOMEM; -EAGAIN when the system refuses threads.
 */
LARIO_API LARIO_MUST_USE int lario_runtime_start(lario_runtime *runtime);

/*
 * Kills every process (each unwinds through its own error path), waits up to `timeout_ms` for
 * their end (-1: for ever), then ends the threads. Offloaded work that has begun is waited for
 * however long it takes. From a thread that is not a loop; no other thread may spawn meanwhile.
 *
 * Errors: LARIO_ESTATE when it is not running; LARIO_ETIMEDOUT when processes were still alive.
 * Their stacks are then abandoned, not run any more. But when a process holds a loop without ever
 * parking, its thread cannot be ended: the runtime is then still running and may be stopped again.
 */
LARIO_API int lario_runtime_stop(lario_runtime *runtime, int timeout_ms);

/*
 * Frees a runtime that is not running; one that is, since its stop failed, is left as it is. NULL
 * is allowed. Any thread that is not a loop.
 */
LARIO_API void lario_runtime_free(lario_runtime *runtime);

/* The number of loops. Any thread. */
LARIO_API unsigned lario_runtime_loops(const lario_runtime *runtime);

/* The runtime of the calling loop thread, or NULL on any other thread. */
LARIO_API lario_runtime *lario_runtime_here(void);

/*
 * Like lario_spawn_opts(), for threads outside the loops, which wait until the process exists.
 * opts->loop -1, as in the defaults, means loop 0 here; there is nobody to link or monitor. Errors:
 * those of lario_spawn_opts(), and LARIO_ESTATE when the runtime is not running.
 */
LARIO_API LARIO_MUST_USE int lario_runtime_spawn(lario_runtime *runtime, lario_process_fn fn,
                                                 void *arg, const lario_spawn_options *opts,
                                                 lario_pid *ret_pid);

/*
 * lario_send() for threads outside the loops; `from` of the message is unset. Errors: those of
 * lario_send(); a full mailbox shows only in the receiver's drop counter.
 */
LARIO_API int lario_runtime_send(lario_runtime *runtime, lario_pid to, int kind, const void *data,
                                 size_t len);

LARIO_END_DECLS

#endif
