/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_THREAD_H
#define LARIO_SYS_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Threads with all signals blocked (so that a program's signals stay with its own threads) and
 * locks. Locks are pthread's own types; their calls cannot fail when used rightly, and a wrong
 * use is a programmer's error.
 */

typedef pthread_t lario_thread;

/* Starts a thread named `name` (at most 15 characters). Returns 0 or -errno. */
int lario_thread_start(lario_thread *ret_thread, const char *name, void *(*run)(void *), void *arg);
void lario_thread_join(lario_thread thread);

/* Holds the calling thread for `ms` milliseconds, less when a signal comes. Never on a loop. */
void lario_thread_sleep_ms(unsigned ms);

/* The number of processors this program may use, at least 1. */
unsigned lario_thread_cores(void);

/* A wait that wakes at `deadline_ns` of lario_clock_ns() at the latest; false when it passed. */
bool lario_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns);

/* A condition that lario_cond_wait_until() can be used with. Returns 0 or -errno. */
int lario_cond_init(pthread_cond_t *cond);

#endif
