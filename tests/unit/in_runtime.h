/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_TESTS_IN_RUNTIME_H
#define LARIO_TESTS_IN_RUNTIME_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "lario/runtime.h"

/*
 * Tests whose body runs as a process on loop 0 of a fresh runtime with two loops. cmocka's asserts
 * jump between stacks, which processes must not do, so a body checks with check() and returns 0.
 */

#define check(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            return -1;                                                                             \
        }                                                                                          \
    } while (0)

static inline uint64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Runs the body in a fresh runtime; its result, or the first failure around it. */
int run_in_runtime(int (*body)(void));

#define IN_RUNTIME(name)                                                                           \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        assert_int_equal(run_in_runtime(name), 0);                                                 \
    }

#define RUNTIME_TEST(name)                                                                         \
    {                                                                                              \
#name, test_##name, NULL, NULL, NULL                                                       \
    }

#endif
