/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/backtrace.h"

#include <backtrace.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "sys/clock.h"
#include "sys/thread.h"

/*
 * A signal handler has no argument of ours, so what it fills is a static: the one mutable one of
 * the library. `taking` makes sure that one thread at a time uses it, and that a signal that
 * comes too late finds nothing to do.
 */
enum { IDLE, ASKED, WRITING, ANSWERED };

static atomic_int taking = IDLE;
static lario_backtrace taken;

/* The state of libbacktrace (debug information read once); it serves all threads. */
static _Atomic(struct backtrace_state *) symbols;
static atomic_bool is_enabled;

static int note_frame(void *data, uintptr_t pc)
{
    lario_backtrace *trace = data;

    if (trace->count == LARIO_BACKTRACE_FRAMES_MAX || pc == UINTPTR_MAX)
        return 1;
    trace->frames[trace->count++] = pc;
    return 0;
}

static void ignore_error(void *data, const char *text, int error)
{
    (void)data;
    (void)text;
    (void)error;
}

static void on_signal(int number)
{
    int saved = errno;
    int expected = ASKED;
    (void)number;

    if (atomic_compare_exchange_strong(&taking, &expected, WRITING)) {
        taken.count = 0;
        /* Skips this handler; the frame of the signal itself shows as one line. */
        backtrace_simple(atomic_load(&symbols), 1, note_frame, ignore_error, &taken);
        atomic_store(&taking, ANSWERED);
    }
    errno = saved;
}

int lario_backtrace_enable(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    struct sigaction before;

    if (atomic_load(&is_enabled))
        return 0;
    if (sigaction(SIGURG, NULL, &before) < 0)
        return -errno;
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN &&
        before.sa_handler != on_signal)
        return -EBUSY;
    if (!atomic_load(&symbols))
        atomic_store(&symbols, backtrace_create_state(NULL, 1, ignore_error, NULL));
    /* Once here, so that what the unwinder loads at its first use is there in the handler. */
    lario_backtrace warm = {.count = 0};

    backtrace_simple(atomic_load(&symbols), 0, note_frame, ignore_error, &warm);
    if (sigaction(SIGURG, &action, NULL) < 0)
        return -errno;
    atomic_store(&is_enabled, true);
    return 0;
}

int lario_backtrace_of(pthread_t thread, lario_backtrace *ret_trace)
{
    int expected = IDLE;

    if (!atomic_load(&is_enabled) || !atomic_compare_exchange_strong(&taking, &expected, ASKED))
        return -EBUSY;
    int rc = -pthread_kill(thread, SIGURG);

    for (int i = 0; rc == 0 && i < 100 && atomic_load(&taking) != ANSWERED; i++)
        lario_thread_sleep_ms(1);
    expected = ASKED;
    if (atomic_compare_exchange_strong(&taking, &expected, IDLE))
        return rc < 0 ? rc : -ETIMEDOUT;
    while (atomic_load(&taking) != ANSWERED)
        lario_thread_sleep_ms(1); /* the handler is at it */
    *ret_trace = taken;
    atomic_store(&taking, IDLE);
    return 0;
}

typedef struct output {
    char *text;
    size_t size;
    size_t len;
} output;

static int write_frame(void *data, uintptr_t pc, const char *file, int line, const char *function)
{
    output *out = data;
    size_t room = out->size - out->len;
    const char *mark = out->len > 0 ? " < " : "";
    int len = function ? snprintf(out->text + out->len, room, "%s%s (%s:%d)", mark, function,
                                  file ? file : "?", line)
                       : snprintf(out->text + out->len, room, "%s0x%lx", mark, (unsigned long)pc);

    if (len < 0 || (size_t)len >= room) {
        out->text[out->len] = '\0';
        return 1;
    }
    out->len += (size_t)len;
    return 0;
}

void lario_backtrace_format(const lario_backtrace *trace, char *text, size_t size)
{
    output out = {.text = text, .size = size};

    text[0] = '\0';
    for (size_t i = 0; i < trace->count; i++)
        if (backtrace_pcinfo(atomic_load(&symbols), trace->frames[i], write_frame, ignore_error,
                             &out))
            return;
}
