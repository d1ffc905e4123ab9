/* SPDX-License-Identifier: BSD-3-Clause */
#include "loop/timer.h"

#define DIGIT_MASK (LARIO_WHEEL_SLOTS - 1)
#define SPAN_MASK ((1ull << (LARIO_WHEEL_LEVELS * LARIO_WHEEL_BITS)) - 1)

static unsigned digit(uint64_t ms, unsigned level)
{
    return (unsigned)(ms >> (level * LARIO_WHEEL_BITS)) & DIGIT_MASK;
}

void lario_wheel_init(lario_wheel *wheel, uint64_t now_ms)
{
    wheel->now_ms = now_ms;
    lario_list_init(&wheel->far);
    for (unsigned level = 0; level < LARIO_WHEEL_LEVELS; level++) {
        wheel->occupied[level] = 0;
        for (unsigned slot = 0; slot < LARIO_WHEEL_SLOTS; slot++)
            lario_list_init(&wheel->slots[level][slot]);
    }
}

/* The time must not be before now. */
static void insert(lario_wheel *wheel, lario_timer *timer)
{
    uint64_t at = timer->due_ms;
    uint64_t differs = at ^ wheel->now_ms;

    if (differs > SPAN_MASK) {
        lario_list_push_back(&wheel->far, &timer->link);
        return;
    }
    unsigned level = differs ? (63 - (unsigned)__builtin_clzll(differs)) / LARIO_WHEEL_BITS : 0;
    unsigned slot = digit(at, level);

    lario_list_push_back(&wheel->slots[level][slot], &timer->link);
    wheel->occupied[level] |= 1ull << slot;
}

void lario_wheel_start(lario_wheel *wheel, lario_timer *timer, uint64_t due_ms)
{
    lario_list_remove(&timer->link);
    /* The slot of this very millisecond has been called already. */
    timer->due_ms = due_ms > wheel->now_ms ? due_ms : wheel->now_ms + 1;
    insert(wheel, timer);
}

void lario_timer_stop(lario_timer *timer)
{
    /* The slot's bit may stay: an empty slot is found and cleared when its time comes. */
    lario_list_remove(&timer->link);
}

/*
 * The beginning of the first occupied slot after now on `level`, or UINT64_MAX. Timers of one level
 * share all higher digits with now, so the slots before now's digit are empty, and so is now's own.
 */
static uint64_t next_on_level(lario_wheel *wheel, unsigned level)
{
    unsigned current = digit(wheel->now_ms, level);
    uint64_t later = current == DIGIT_MASK ? 0 : wheel->occupied[level] & (~0ull << (current + 1));

    while (later) {
        unsigned slot = (unsigned)__builtin_ctzll(later);

        if (!lario_list_is_empty(&wheel->slots[level][slot])) {
            unsigned shift = level * LARIO_WHEEL_BITS;
            uint64_t higher = wheel->now_ms >> shift >> LARIO_WHEEL_BITS;

            return ((higher << LARIO_WHEEL_BITS) | slot) << shift;
        }
        wheel->occupied[level] &= ~(1ull << slot);
        later &= later - 1;
    }
    return UINT64_MAX;
}

uint64_t lario_wheel_next_ms(lario_wheel *wheel)
{
    uint64_t next = UINT64_MAX;

    for (unsigned level = 0; level < LARIO_WHEEL_LEVELS && next == UINT64_MAX; level++)
        next = wheel->occupied[level] ? next_on_level(wheel, level) : UINT64_MAX;
    if (next == UINT64_MAX && !lario_list_is_empty(&wheel->far))
        next = (wheel->now_ms | SPAN_MASK) + 1;
    return next;
}

static void deal_out(lario_wheel *wheel, lario_list_link *from)
{
    lario_list_link timers;

    lario_list_take(&timers, from);
    for (lario_list_link *link; (link = lario_list_pop_front(&timers));)
        insert(wheel, lario_container_of(link, lario_timer, link));
}

/* Deals the slots that begin now out to lower levels, then calls those that are due now. */
static void enter(lario_wheel *wheel)
{
    lario_list_link due;

    if ((wheel->now_ms & SPAN_MASK) == 0)
        deal_out(wheel, &wheel->far);
    for (unsigned level = LARIO_WHEEL_LEVELS - 1; level > 0; level--) {
        unsigned slot = digit(wheel->now_ms, level);

        if (!(wheel->occupied[level] & (1ull << slot)))
            continue;
        wheel->occupied[level] &= ~(1ull << slot);
        deal_out(wheel, &wheel->slots[level][slot]);
    }
    unsigned slot = digit(wheel->now_ms, 0);

    wheel->occupied[0] &= ~(1ull << slot);
    lario_list_take(&due, &wheel->slots[0][slot]);
    for (lario_list_link *link; (link = lario_list_pop_front(&due));) {
        lario_timer *timer = lario_container_of(link, lario_timer, link);

        timer->fn(timer);
    }
}

void lario_wheel_advance(lario_wheel *wheel, uint64_t now_ms)
{
    /* Many turns fit into a millisecond, and what was due in this one has been called. */
    if (now_ms <= wheel->now_ms)
        return;
    for (uint64_t next; (next = lario_wheel_next_ms(wheel)) <= now_ms;) {
        wheel->now_ms = next;
        enter(wheel);
    }
    wheel->now_ms = now_ms;
}
