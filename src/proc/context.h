/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_PROC_CONTEXT_H
#define LARIO_PROC_CONTEXT_H

#include <stddef.h>

/*
 * A place to go on from: a stack and what was saved on it. Switching costs a dozen instructions;
 * under the sanitizers it also tells them which stack runs, since they would take the jump for a
 * broken stack otherwise.
 */

#if defined(__SANITIZE_ADDRESS__)
#define LARIO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LARIO_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define LARIO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LARIO_TSAN 1
#endif
#endif

typedef struct lario_context {
    void *sp;
#ifdef LARIO_ASAN
    void *stack; /* lowest address; NULL for a thread's own, which is learnt at the first switch */
    size_t stack_bytes;
    void *fake_stack;
#endif
#ifdef LARIO_TSAN
    void *fiber;
#endif
} lario_context;

/* Takes the running thread as a context to come back to. */
void lario_context_adopt(lario_context *context);

/*
 * Makes a context that runs entry(arg) on the given stack; `entry` must never return. The top of
 * the stack is `stack` + `size`.
 */
void lario_context_make(lario_context *context, void *stack, size_t size, void (*entry)(void *),
                        void *arg);

/* Frees what the sanitizers keep about a context that will not run any more. */
void lario_context_drop(lario_context *context);

/* Saves the current context in `from` and goes on in `to`. Returns when somebody switches back. */
void lario_context_switch(lario_context *from, lario_context *to);

/* The last switch of `from`, which is never gone back to: its stack may be reused afterwards. */
void lario_context_leave(lario_context *from, lario_context *to);

/* The first thing that an entry function does; `from` is where the switch came from. */
void lario_context_entered(lario_context *from);

#endif
