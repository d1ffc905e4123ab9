/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/process.h"

#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "in_runtime.h"

#define MANY 3000
#define LONG_MS 10000

static atomic_int done, wrong;

static int square(void *arg)
{
    int value = *(int *)arg;

    *(int *)arg = value * value;
    return value;
}

static int offload_square(void *arg)
{
    int value = (int)(intptr_t)arg, in_out = value;

    if (lario_offload(square, &in_out) != value || in_out != value * value)
        wrong++;
    done++;
    return 0;
}

static int many_offloads_return_to_their_callers(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    done = wrong = 0;
    for (int i = 0; i < MANY; i++) {
        opts.loop = i & 1;
        check(lario_spawn_opts(offload_square, (void *)(intptr_t)i, &opts, NULL) == 0);
    }
    for (uint64_t began = now_ms(); done < MANY && now_ms() - began < 60000;)
        check(lario_sleep(1) == 0);
    check(done == MANY && wrong == 0);
    return 0;
}

static int fail_by_5(void *arg)
{
    (void)arg;
    return -5;
}

static int is_outside(void *arg)
{
    (void)arg;
    lario_msg msg;

    return !lario_pid_is_set(lario_self()) && !lario_runtime_here() &&
           lario_sleep(1) == LARIO_ENOTPROC && lario_receive(&msg, 0) == LARIO_ENOTPROC;
}

static int result_of_the_function_is_returned(void)
{
    check(lario_offload(fail_by_5, NULL) == -5);
    return 0;
}

static int function_runs_outside_of_any_process(void)
{
    check(lario_offload(is_outside, NULL) == 1);
    return 0;
}

IN_RUNTIME(many_offloads_return_to_their_callers)
IN_RUNTIME(result_of_the_function_is_returned)
IN_RUNTIME(function_runs_outside_of_any_process)

/* ---- A queue of two, one worker ---- */

static atomic_bool may_end;
static atomic_int begun;
static int result;
static sem_t finished;

static int wait_for_leave(void *arg)
{
    (void)arg;
    begun++;
    while (!may_end)
        usleep(500);
    return 1;
}

static int offload_wait(void *arg)
{
    *(int *)arg = lario_offload(wait_for_leave, NULL);
    return 0;
}

static int fill_the_queue(void)
{
    int results[3] = {0, 0, 0};

    check(lario_spawn(offload_wait, &results[0], NULL) == 0);
    while (begun < 1)
        check(lario_sleep(1) == 0);
    check(lario_spawn(offload_wait, &results[1], NULL) == 0);
    check(lario_spawn(offload_wait, &results[2], NULL) == 0);
    check(lario_yield() == 0);
    for (int i = 0; i < 10; i++)
        check(lario_offload(fail_by_5, NULL) == LARIO_EFULL);
    may_end = true;
    while (!results[0] || !results[1] || !results[2])
        check(lario_sleep(1) == 0);
    check(results[0] == 1 && results[1] == 1 && results[2] == 1);
    check(lario_offload(fail_by_5, NULL) == -5);
    return 0;
}

static int run_fill(void *arg)
{
    (void)arg;
    result = fill_the_queue();
    sem_post(&finished);
    return 0;
}

static void full_queue_is_told_and_empties_again(void **state)
{
    lario_runtime_opts opts = {.loops = 1, .workers = 1, .offloads_max = 2};
    lario_runtime *runtime = lario_runtime_new(&opts);

    (void)state;
    assert_non_null(runtime);
    sem_init(&finished, 0, 0);
    assert_int_equal(lario_runtime_start(runtime), 0);
    assert_int_equal(lario_runtime_spawn(runtime, run_fill, NULL, NULL, NULL), 0);
    sem_wait(&finished);
    assert_int_equal(lario_runtime_stop(runtime, LONG_MS), 0);
    lario_runtime_free(runtime);
    assert_int_equal(result, 0);
    sem_destroy(&finished);
}

static void offload_outside_a_process_is_refused(void **state)
{
    (void)state;
    assert_int_equal(lario_offload(fail_by_5, NULL), LARIO_ENOTPROC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(many_offloads_return_to_their_callers),
        RUNTIME_TEST(result_of_the_function_is_returned),
        RUNTIME_TEST(function_runs_outside_of_any_process),
        cmocka_unit_test(full_queue_is_told_and_empties_again),
        cmocka_unit_test(offload_outside_a_process_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
