/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/stack_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/stack_memory.h"

#define STACK_BYTES 65536u
#define COUNT 2500 /* more than a slab has */

static void *stacks[COUNT];

static void stacks_are_apart_and_writable(void **state)
{
    lario_stack_pool pool;
    size_t page = lario_stack_memory_page();

    (void)state;
    lario_stack_pool_init(&pool, STACK_BYTES, 10);
    for (uintptr_t i = 0; i < COUNT; i++) {
        stacks[i] = lario_stack_pool_get(&pool);
        assert_non_null(stacks[i]);
        assert_int_equal((uintptr_t)stacks[i] % page, 0);
        memcpy((char *)stacks[i] + page, &i, sizeof i);
        memcpy((char *)stacks[i] + STACK_BYTES - sizeof i, &i, sizeof i);
    }
    for (uintptr_t i = 0; i < COUNT; i++) {
        assert_memory_equal((char *)stacks[i] + page, &i, sizeof i);
        assert_memory_equal((char *)stacks[i] + STACK_BYTES - sizeof i, &i, sizeof i);
    }
    lario_stack_pool_done(&pool);
}

static void unused_stacks_are_used_again_before_new_ones(void **state)
{
    lario_stack_pool pool;

    (void)state;
    lario_stack_pool_init(&pool, STACK_BYTES, 10);
    for (int i = 0; i < 100; i++)
        stacks[i] = lario_stack_pool_get(&pool);
    size_t fresh = pool.fresh;

    for (int i = 0; i < 100; i++)
        lario_stack_pool_put(&pool, stacks[i]);
    /* The one used last is the warmest, so it comes first. */
    assert_ptr_equal(lario_stack_pool_get(&pool), stacks[99]);
    for (int i = 0; i < 99; i++)
        assert_non_null(lario_stack_pool_get(&pool));
    assert_int_equal(pool.fresh, fresh);
    lario_stack_pool_done(&pool);
}

static void kept_stacks_stay_warm(void **state)
{
    lario_stack_pool pool;

    (void)state;
    lario_stack_pool_init(&pool, STACK_BYTES, 4);
    for (int i = 0; i < 4; i++) {
        stacks[i] = lario_stack_pool_get(&pool);
        ((char *)stacks[i])[STACK_BYTES - 1] = 'w';
    }
    for (int i = 0; i < 4; i++)
        lario_stack_pool_put(&pool, stacks[i]);
    for (int i = 0; i < 4; i++)
        assert_int_equal(((char *)lario_stack_pool_get(&pool))[STACK_BYTES - 1], 'w');
    lario_stack_pool_done(&pool);
}

static void pool_serves_any_order_of_get_and_put(void **state)
{
    lario_stack_pool pool;
    uint32_t random = 12345;
    int out = 0;

    (void)state;
    lario_stack_pool_init(&pool, STACK_BYTES, 16);
    for (int i = 0; i < 20000; i++) {
        random = random * 1664525u + 1013904223u;
        if (out > 0 && (random >> 16 & 1) && out < COUNT) {
            int at = (int)((random >> 17) % (unsigned)out);

            assert_int_equal(((char *)stacks[at])[STACK_BYTES - 1], 'u');
            lario_stack_pool_put(&pool, stacks[at]);
            stacks[at] = stacks[--out];
        } else if (out < COUNT) {
            stacks[out] = lario_stack_pool_get(&pool);
            assert_non_null(stacks[out]);
            ((char *)stacks[out++])[STACK_BYTES - 1] = 'u';
        }
    }
    lario_stack_pool_done(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_are_apart_and_writable),
        cmocka_unit_test(unused_stacks_are_used_again_before_new_ones),
        cmocka_unit_test(kept_stacks_stay_warm),
        cmocka_unit_test(pool_serves_any_order_of_get_and_put),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
