/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "sys/clock.h"

int lario_thread_start(lario_thread *ret_thread, const char *name, void *(*run)(void *), void *arg)
{
    sigset_t all, before;

    sigfillset(&all);
    /* A thread inherits the mask: these stay deliverable, since they are caused by the thread
     * itself or, SIGURG, sent to it by the stall detector. */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    sigdelset(&all, SIGURG);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(ret_thread, NULL, run, arg);

    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc == 0)
        pthread_setname_np(*ret_thread, name);
    return -rc;
}

void lario_thread_join(lario_thread thread)
{
    pthread_join(thread, NULL);
}

void lario_thread_sleep_ms(unsigned ms)
{
    const struct timespec pause = {
        .tv_sec = (time_t)(ms / 1000),
        .tv_nsec = (long)(ms % 1000 * LARIO_NS_PER_MS),
    };

    nanosleep(&pause, NULL);
}

unsigned lario_thread_cores(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) < 0)
        return 1;
    int count = CPU_COUNT(&set);

    return count > 0 ? (unsigned)count : 1;
}

int lario_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    int rc = pthread_cond_init(cond, &attr);

    pthread_condattr_destroy(&attr);
    return -rc;
}

bool lario_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t deadline_ns)
{
    struct timespec ts = {
        .tv_sec = (time_t)(deadline_ns / LARIO_NS_PER_S),
        .tv_nsec = (long)(deadline_ns % LARIO_NS_PER_S),
    };

    return pthread_cond_timedwait(cond, mutex, &ts) != ETIMEDOUT;
}
