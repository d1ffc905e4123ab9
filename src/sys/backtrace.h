/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_BACKTRACE_H
#define LARIO_SYS_BACKTRACE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Stacks as text. Another thread's stack is taken by sending it SIGURG, which is ignored by
 * default and so harms nobody when it comes late; its handler notes the return addresses.
 */
#define LARIO_BACKTRACE_FRAMES_MAX 32

typedef struct lario_backtrace {
    uintptr_t frames[LARIO_BACKTRACE_FRAMES_MAX]; /* innermost first */
    size_t count;
} lario_backtrace;

/*
 * Makes lario_backtrace_of() work in this program. -EBUSY when the program uses SIGURG itself: it
 * is left alone, and there are no stacks.
 */
int lario_backtrace_enable(void);

/*
 * Notes the stack that `thread` has now. 0; -EBUSY when not enabled or another thread's stack is
 * being taken; -ETIMEDOUT when it did not answer within 100 ms.
 */
int lario_backtrace_of(pthread_t thread, lario_backtrace *ret_trace);

/* Writes "function (file:line) < caller (file:line) < ...", cut to `size` with a NUL. */
void lario_backtrace_format(const lario_backtrace *trace, char *text, size_t size);

#endif
