/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop/timer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/*
 * The wheel beside a model: an array of timers that is searched as a whole. The time is virtual,
 * the operations are random from a seed that is printed; LARIO_TEST_SEED replays it.
 */

#define TIMERS 200
#define OPERATIONS 20000
#define SPAN (1ull << (LARIO_WHEEL_LEVELS * LARIO_WHEEL_BITS))

typedef struct model_timer {
    lario_timer timer;
    bool is_started;
    uint64_t due_ms;
} model_timer;

static lario_wheel wheel;
static model_timer timers[TIMERS];
static uint64_t target_ms; /* of the advance under way */
static uint64_t last_ms;   /* due time of the timer called last */
static uint64_t random_state;
static unsigned called;

static uint64_t next_random(void)
{
    /* xorshift64*, by Vigna (2014) */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717ull;
}

static uint64_t random_below(uint64_t limit)
{
    return next_random() % limit;
}

/* Delays of every size, so that each level and the timers beyond the span are met. */
static uint64_t random_delay(void)
{
    return random_below(1ull << random_below(LARIO_WHEEL_LEVELS * LARIO_WHEEL_BITS + 2));
}

static void start(model_timer *at, uint64_t due_ms)
{
    lario_wheel_start(&wheel, &at->timer, due_ms);
    at->is_started = true;
    at->due_ms = due_ms > wheel.now_ms ? due_ms : wheel.now_ms + 1;
}

static void stop(model_timer *at)
{
    lario_timer_stop(&at->timer);
    at->is_started = false;
}

static void on_timer(lario_timer *timer)
{
    model_timer *at = lario_container_of(timer, model_timer, timer);

    assert_true(at->is_started);
    assert_false(lario_timer_is_started(timer));
    assert_true(at->due_ms <= target_ms);
    assert_true(at->due_ms <= wheel.now_ms);
    assert_true(at->due_ms >= last_ms);
    last_ms = at->due_ms;
    at->is_started = false;
    called++;
    /* Timers are started, moved and stopped by those that expire, too. */
    model_timer *other = &timers[random_below(TIMERS)];

    switch (random_below(4)) {
    case 0:
        start(at, wheel.now_ms + random_delay());
        break;
    case 1:
        start(other, wheel.now_ms + random_delay());
        break;
    case 2:
        stop(other);
        break;
    }
}

static uint64_t first_due(void)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < TIMERS; i++)
        if (timers[i].is_started && timers[i].due_ms < first)
            first = timers[i].due_ms;
    return first;
}

static void advance(uint64_t to_ms)
{
    target_ms = to_ms;
    last_ms = 0;
    lario_wheel_advance(&wheel, to_ms);
    assert_true(wheel.now_ms == to_ms);
    for (size_t i = 0; i < TIMERS; i++) {
        assert_int_equal(timers[i].is_started, lario_timer_is_started(&timers[i].timer));
        assert_false(timers[i].is_started && timers[i].due_ms <= to_ms);
    }
    assert_true(lario_wheel_next_ms(&wheel) <= first_due());
    assert_true(lario_wheel_next_ms(&wheel) > to_ms);
}

static void begin(uint64_t now_ms)
{
    lario_wheel_init(&wheel, now_ms);
    for (size_t i = 0; i < TIMERS; i++) {
        lario_timer_init(&timers[i].timer, on_timer);
        timers[i].is_started = false;
    }
    called = 0;
}

static void seed(void)
{
    const char *given = getenv("LARIO_TEST_SEED");

    random_state = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL) * 2654435761u + 1;
    printf("seed %llu\n", (unsigned long long)random_state);
}

static void run_operations(uint64_t now_ms)
{
    begin(now_ms);
    for (int i = 0; i < OPERATIONS; i++) {
        model_timer *at = &timers[random_below(TIMERS)];

        switch (random_below(4)) {
        case 0:
        case 1:
            start(at, wheel.now_ms + random_delay());
            break;
        case 2:
            stop(at);
            break;
        default:
            advance(random_below(3) == 0 && first_due() < UINT64_MAX
                        ? first_due()
                        : wheel.now_ms + random_delay());
        }
    }
    assert_true(called > OPERATIONS / 20);
}

static void wheel_agrees_with_a_plain_list(void **state)
{
    (void)state;
    seed();
    run_operations(0);
    run_operations(1234567890123);
    run_operations(SPAN - 1);
}

static void timer_is_not_early_where_the_wheel_has_turned(void **state)
{
    static const uint64_t before[] = {1, 2, 64, 65, 5000};
    static const uint64_t after[] = {0, 1, 63, 64, 4097, SPAN - 1, SPAN, 3 * SPAN + 5};

    (void)state;
    random_state = 1;
    for (size_t b = 0; b < sizeof before / sizeof before[0]; b++)
        for (size_t a = 0; a < sizeof after / sizeof after[0]; a++) {
            uint64_t due = SPAN + after[a];

            begin(SPAN - before[b]);
            start(&timers[0], due);
            advance(due - 1);
            assert_int_equal(called, 0);
            advance(due);
            assert_int_equal(called, 1);
        }
}

static void timer_at_each_distance_expires_on_its_millisecond(void **state)
{
    (void)state;
    random_state = 1;
    for (unsigned bit = 0; bit < 40; bit++)
        for (uint64_t now = 0; now < 200; now += 63)
            for (int64_t off = -1; off <= 1; off++) {
                uint64_t due = now + (1ull << bit) + (uint64_t)off;

                begin(now);
                start(&timers[0], due);
                due = timers[0].due_ms;
                if (due > now + 1)
                    advance(due - 1);
                assert_int_equal(called, 0);
                advance(due);
                assert_int_equal(called, 1);
            }
}

static void time_that_has_passed_expires_at_the_next_advance(void **state)
{
    (void)state;
    random_state = 1;
    begin(1000);
    lario_wheel_start(&wheel, &timers[0].timer, 10);
    timers[0].is_started = true;
    timers[0].due_ms = 1001;
    assert_true(lario_wheel_next_ms(&wheel) == 1001);
    advance(1001);
    assert_int_equal(called, 1);
}

static void wheel_without_timers_has_no_next_time(void **state)
{
    (void)state;
    begin(77);
    assert_true(lario_wheel_next_ms(&wheel) == UINT64_MAX);
    start(&timers[0], 100000);
    stop(&timers[0]);
    stop(&timers[0]);
    assert_true(lario_wheel_next_ms(&wheel) == UINT64_MAX);
    start(&timers[0], 3 * SPAN);
    assert_true(lario_wheel_next_ms(&wheel) <= 3 * SPAN);
    stop(&timers[0]);
    assert_true(lario_wheel_next_ms(&wheel) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheel_agrees_with_a_plain_list),
        cmocka_unit_test(timer_is_not_early_where_the_wheel_has_turned),
        cmocka_unit_test(timer_at_each_distance_expires_on_its_millisecond),
        cmocka_unit_test(time_that_has_passed_expires_at_the_next_advance),
        cmocka_unit_test(wheel_without_timers_has_no_next_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
