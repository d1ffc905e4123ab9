/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop/loop.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A loop without processes: run_ready does nothing. */

#define THREADS 4
#define HANDOFFS 5000

static lario_loop loop;
static lario_log_target no_log;

static void run_nothing(lario_loop *at)
{
    at->has_ready = false;
}

static int set_up(void **state)
{
    (void)state;
    int rc = lario_loop_init(&loop, 0, NULL, &no_log);

    loop.run_ready = run_nothing;
    return rc;
}

static int tear_down(void **state)
{
    (void)state;
    lario_loop_done(&loop);
    return 0;
}

typedef struct numbered {
    lario_handoff handoff;
    int thread;
    int number;
} numbered;

static int next_of[THREADS];
static int arrived, disorders;

static void on_numbered(lario_loop *at, lario_handoff *handoff)
{
    numbered *got = lario_container_of(handoff, numbered, handoff);

    if (at != &loop || lario_loop_current != &loop || got->number != next_of[got->thread])
        disorders++;
    next_of[got->thread]++;
    if (++arrived == THREADS * HANDOFFS)
        lario_loop_stop(at);
    free(got);
}

static void *hand_over(void *arg)
{
    int thread = (int)(intptr_t)arg;

    for (int i = 0; i < HANDOFFS; i++) {
        numbered *made = malloc(sizeof *made);

        if (!made)
            abort();
        *made = (numbered){.handoff.run = on_numbered, .thread = thread, .number = i};
        lario_loop_hand(&loop, &made->handoff);
    }
    return NULL;
}

static void what_one_thread_hands_over_is_run_in_its_order(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hand_over, (void *)i), 0);
    lario_loop_run(&loop);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(arrived, THREADS * HANDOFFS);
    assert_int_equal(disorders, 0);
    assert_null(lario_loop_current);
}

static lario_handoff ping;
static int pings;

static void on_ping(lario_loop *at, lario_handoff *handoff)
{
    (void)handoff;
    pings++;
    lario_loop_stop(at);
}

/* The loop is asleep, or about to be, at every moment there is: none may lose the wake. */
static void *ping_once(void *arg)
{
    (void)arg;
    lario_loop_hand(&loop, &ping);
    return NULL;
}

static void sleeping_loop_is_woken_by_each_handoff(void **state)
{
    (void)state;
    ping.run = on_ping;
    for (int i = 1; i <= 500; i++) {
        pthread_t thread;

        loop.is_stopped = false;
        assert_int_equal(pthread_create(&thread, NULL, ping_once, NULL), 0);
        lario_loop_run(&loop);
        pthread_join(thread, NULL);
        assert_int_equal(pings, i);
    }
}

typedef struct noted_task {
    lario_task task;
    int runs;
    uint64_t turn;
} noted_task;

static noted_task first, second, again;

static void on_task(lario_task *task)
{
    noted_task *noted = lario_container_of(task, noted_task, task);

    noted->runs++;
    noted->turn = loop.turn;
    if (noted == &first) {
        lario_loop_defer(&loop, &again.task);
    } else if (noted == &again) {
        if (noted->runs < 3)
            lario_loop_defer(&loop, &again.task);
        else
            lario_loop_stop(&loop);
    }
}

static void deferred_tasks_run_once_at_the_end_of_their_turn(void **state)
{
    (void)state;
    lario_task_init(&first.task, on_task);
    lario_task_init(&second.task, on_task);
    lario_task_init(&again.task, on_task);
    lario_loop_defer(&loop, &first.task);
    lario_loop_defer(&loop, &second.task);
    lario_loop_defer(&loop, &first.task);
    lario_loop_run(&loop);
    assert_int_equal(first.runs, 1);
    assert_int_equal(second.runs, 1);
    assert_true(first.turn == second.turn);
    /* One that a task defers waits for the next turn, each time. */
    assert_int_equal(again.runs, 3);
    assert_true(again.turn == first.turn + 3);
}

static void handoffs_left_at_the_end_are_run_by_drain(void **state)
{
    (void)state;
    pings = 0;
    ping.run = on_ping;
    lario_loop_hand(&loop, &ping);
    assert_true(lario_loop_drain(&loop));
    assert_false(lario_loop_drain(&loop));
    assert_int_equal(pings, 1);
}

static lario_timer timer;
static uint64_t expired_ms;

static void on_timer(lario_timer *at)
{
    (void)at;
    expired_ms = lario_loop_now_ms(&loop);
    lario_loop_stop(&loop);
}

static void timer_of_a_loop_is_never_early(void **state)
{
    (void)state;
    lario_timer_init(&timer, on_timer);
    for (uint64_t ms = 0; ms < 20; ms += 5) {
        loop.is_stopped = false;
        uint64_t began_ns = loop.now_ns;

        lario_loop_timer_start(&loop, &timer, ms);
        lario_loop_run(&loop);
        assert_true(loop.now_ns - began_ns >= ms * 1000000);
        assert_true(expired_ms > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_one_thread_hands_over_is_run_in_its_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sleeping_loop_is_woken_by_each_handoff, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deferred_tasks_run_once_at_the_end_of_their_turn, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(handoffs_left_at_the_end_are_run_by_drain, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(timer_of_a_loop_is_never_early, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
