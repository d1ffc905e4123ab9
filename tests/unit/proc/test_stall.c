/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/runtime.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "in_runtime.h"

typedef struct record_keeper {
    pthread_mutex_t mutex;
    int stalls;
    char text[1024];
} record_keeper;

static sem_t finished;

static void keep_stalls(void *arg, lario_log_level level, const char *event, const char *text)
{
    record_keeper *keeper = arg;

    if (strcmp(event, "loop_stalled") != 0 || level != LARIO_LOG_WARN)
        return;
    pthread_mutex_lock(&keeper->mutex);
    keeper->stalls++;
    snprintf(keeper->text, sizeof keeper->text, "%s", text);
    pthread_mutex_unlock(&keeper->mutex);
}

/* Not inlined, and seen from outside: the report must show its name. */
int spin_without_parking(int ms);

__attribute__((noinline)) int spin_without_parking(int ms)
{
    uint64_t began = now_ms();
    volatile int rounds = 0;

    while (now_ms() - began < (uint64_t)ms)
        rounds++;
    return rounds > 0 ? 0 : -1;
}

static int spin(void *arg)
{
    int rc = spin_without_parking(*(int *)arg);

    sem_post(&finished);
    return rc;
}

static int park_often(void *arg)
{
    int rc = 0;
    (void)arg;

    for (int i = 0; i < 30 && rc == 0; i++) {
        rc = lario_sleep(10);
        if (rc == 0)
            rc = lario_yield();
    }
    sem_post(&finished);
    return rc;
}

static void run_watched(record_keeper *keeper, lario_process_fn fn, void *arg, uint32_t stall_ms)
{
    lario_runtime_opts opts = {
        .loops = 2, .workers = 1, .stall_ms = stall_ms, .log = keep_stalls, .log_arg = keeper};
    lario_spawn_options spawn = LARIO_SPAWN_OPTIONS_INIT;
    lario_runtime *runtime = lario_runtime_new(&opts);

    assert_non_null(runtime);
    sem_init(&finished, 0, 0);
    spawn.loop = 1;
    assert_int_equal(lario_runtime_start(runtime), 0);
    assert_int_equal(lario_runtime_spawn(runtime, fn, arg, &spawn, NULL), 0);
    sem_wait(&finished);
    assert_int_equal(lario_runtime_stop(runtime, 10000), 0);
    lario_runtime_free(runtime);
    sem_destroy(&finished);
}

static void process_that_spins_is_reported_with_its_stack(void **state)
{
    record_keeper keeper = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    int ms = 300;

    (void)state;
    run_watched(&keeper, spin, &ms, 50);
    assert_int_equal(keeper.stalls, 1);
    assert_non_null(strstr(keeper.text, "loop 1 has been held for"));
    if (!strstr(keeper.text, "spin_without_parking"))
        fail_msg("no function in: %s", keeper.text);
}

static void process_that_parks_is_not_reported(void **state)
{
    record_keeper keeper = {.mutex = PTHREAD_MUTEX_INITIALIZER};

    (void)state;
    run_watched(&keeper, park_often, NULL, 200);
    assert_int_equal(keeper.stalls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process_that_spins_is_reported_with_its_stack),
        cmocka_unit_test(process_that_parks_is_not_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
