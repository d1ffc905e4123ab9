/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_LOOP_TIMER_H
#define LARIO_LOOP_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"

/*
 * Timers of a loop, in a hierarchical wheel of milliseconds. Starting and stopping take constant
 * time, whatever the number of timers: with a deadline for each connection there are many, and
 * nearly all are stopped or moved before they expire.
 *
 * Level 0 has a slot for each of 64 ms, level 1 for each of 64 * 64 ms, and so on. A timer lies on
 * the level of the highest 6-bit digit in which its time differs from now; when now reaches the
 * beginning of its slot, the slot is dealt out to the levels below. A timer whose time differs
 * above the highest level waits apart until the whole wheel has turned.
 *
 *     level 2: [ |x| | ... ]   4,096 ms a slot
 *     level 1: [ | | |x... ]   64 ms a slot      now = d2 d1 d0 (6-bit digits)
 *     level 0: [x| |x| ... ]   1 ms a slot
 *
 * No clock and no I/O here: the time is an argument.
 */

typedef struct lario_timer lario_timer;
typedef void (*lario_timer_fn)(lario_timer *timer);

/* Embedded in its owner; must be initialised before use. */
struct lario_timer {
    lario_list_link link;
    uint64_t due_ms;
    lario_timer_fn fn;
};

#define LARIO_WHEEL_BITS 6
#define LARIO_WHEEL_SLOTS (1u << LARIO_WHEEL_BITS)
#define LARIO_WHEEL_LEVELS 6 /* 64^6 ms are two years; later ones wait apart */

typedef struct lario_wheel {
    uint64_t now_ms;
    uint64_t occupied[LARIO_WHEEL_LEVELS]; /* a bit for each slot that has timers */
    lario_list_link slots[LARIO_WHEEL_LEVELS][LARIO_WHEEL_SLOTS];
    lario_list_link far; /* due in a later turn of the whole wheel */
} lario_wheel;

void lario_wheel_init(lario_wheel *wheel, uint64_t now_ms);

static inline void lario_timer_init(lario_timer *timer, lario_timer_fn fn)
{
    lario_list_init(&timer->link);
    timer->due_ms = 0;
    timer->fn = fn;
}

static inline bool lario_timer_is_started(const lario_timer *timer)
{
    return lario_list_is_linked(&timer->link);
}

/*
 * Expires at `due_ms`; a time that has passed expires at the next advance. A started timer is
 * moved.
 */
void lario_wheel_start(lario_wheel *wheel, lario_timer *timer, uint64_t due_ms);

/* Harmless when it is not started. */
void lario_timer_stop(lario_timer *timer);

/* Moves the time on and calls the timers that are due, in the order of their times. */
void lario_wheel_advance(lario_wheel *wheel, uint64_t now_ms);

/*
 * When the wheel must be advanced next: never later than the first timer, perhaps earlier.
 * UINT64_MAX without timers.
 */
uint64_t lario_wheel_next_ms(lario_wheel *wheel);

#endif
