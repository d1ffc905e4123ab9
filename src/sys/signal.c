/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/signal.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void stop_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
}

void lario_signal_block_stops(void)
{
    sigset_t set;

    stop_set(&set);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void lario_signal_block_hangup(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

bool lario_signal_wait_stop_or_hangup(void)
{
    sigset_t set;
    int number;

    stop_set(&set);
    sigaddset(&set, SIGHUP);
    do
        number = sigwaitinfo(&set, NULL);
    while (number < 0 && errno == EINTR);
    return number == SIGHUP;
}

int lario_signal_wait_stop(int timeout_ms)
{
    struct timespec timeout = {.tv_sec = timeout_ms / 1000,
                               .tv_nsec = (long)(timeout_ms % 1000) * 1000000};
    sigset_t set;
    int number;

    stop_set(&set);
    do
        number = sigtimedwait(&set, NULL, timeout_ms < 0 ? NULL : &timeout);
    while (number < 0 && errno == EINTR);
    return number < 0 ? 0 : number;
}

_Noreturn void lario_signal_exit_now(int code)
{
    /* The system call itself: what sanitizers put behind _exit() looks for threads that are being
     * joined at this very moment. */
    for (;;)
        syscall(SYS_exit_group, code);
}
