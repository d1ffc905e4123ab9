/* SPDX-License-Identifier: BSD-3-Clause */
#include "serving.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "client.h"

#define NOTES_MAX 1024
#define EVENTS_MAX 256
#define EVENT_BYTES 32

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int notes[NOTES_MAX];
static int notes_written, notes_read;
static char events[EVENTS_MAX][EVENT_BYTES];
static int events_count;
static atomic_int released;

static void record(void *arg, lario_log_level level, const char *event, const char *text)
{
    (void)arg;
    (void)text;
    if (level == LARIO_LOG_DEBUG)
        return;
    pthread_mutex_lock(&mutex);
    if (events_count < EVENTS_MAX)
        snprintf(events[events_count++], EVENT_BYTES, "%s", event);
    pthread_mutex_unlock(&mutex);
}

int logged(const char *event)
{
    int count = 0;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < events_count; i++)
        count += strcmp(events[i], event) == 0;
    pthread_mutex_unlock(&mutex);
    return count;
}

void note(int number)
{
    pthread_mutex_lock(&mutex);
    if (notes_written < NOTES_MAX)
        notes[notes_written++] = number;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
}

bool note_comes(int ms)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += ms % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000L;
    }
    pthread_mutex_lock(&mutex);
    while (notes_read == notes_written && pthread_cond_timedwait(&changed, &mutex, &until) == 0)
        continue;
    bool there = notes_read < notes_written;

    pthread_mutex_unlock(&mutex);
    return there;
}

int next_note(void)
{
    if (!note_comes(CLIENT_PATIENCE_MS))
        fail_msg("the handler noted nothing");
    pthread_mutex_lock(&mutex);
    int number = notes[notes_read++];

    pthread_mutex_unlock(&mutex);
    return number;
}

void release_handler(void)
{
    atomic_fetch_add(&released, 1);
}

int wait_in_handler(void)
{
    /* Not a receive: that would see the connection's news. */
    while (atomic_load(&released) == 0)
        if (lario_sleep(1) < 0)
            return LARIO_ECANCELED;
    atomic_fetch_sub(&released, 1);
    return 0;
}

void serving_init(serving *self)
{
    pthread_mutex_lock(&mutex);
    notes_written = notes_read = events_count = 0;
    pthread_mutex_unlock(&mutex);
    atomic_store(&released, 0);
    *self = (serving){.app = lario_app_new()};
    assert_non_null(self->app);
    lario_limits_init(&self->limits);
    lario_app_listen(self->app, "127.0.0.1:0");
    lario_app_loops(self->app, 1);
    lario_app_log(self->app, record, NULL);
}

void serving_start(serving *self)
{
    lario_app_limits(self->app, &self->limits);
    if (lario_app_start(self->app) < 0)
        fail_msg("%s", lario_app_error(self->app));
    self->address = lario_app_address(self->app, 0);
}

void serving_stop(serving *self)
{
    assert_int_equal(lario_app_stop(self->app, CLIENT_PATIENCE_MS), 0);
    lario_app_free(self->app);
}

void serving_end(serving *self)
{
    (void)lario_app_stop(self->app, 0);
    lario_app_free(self->app);
}
