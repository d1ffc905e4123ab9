/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/scheduler.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "in_runtime.h"

/* ---- Overflow. The sanitizers catch the fault themselves, so any end by failure will do. ---- */

/* Touches one page after the other downwards, as a deep recursion does. */
static int use_more(unsigned depth, volatile char *above)
{
    volatile char frame[1024];

    frame[0] = above ? above[0] : 1;
    return depth == 0 ? frame[0] : use_more(depth - 1, frame) + frame[0];
}

static int overflow(void *arg)
{
    return use_more(*(unsigned *)arg, NULL) > 0 ? 0 : -1;
}

static size_t stack_bytes;
static unsigned depth;

static int run_deep(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_msg msg;

    opts.stack_bytes = stack_bytes;
    opts.monitor = true;
    check(lario_spawn_opts(overflow, &depth, &opts, NULL) == 0);
    check(lario_receive(&msg, 10000) == LARIO_DOWN && msg.code == 0);
    return 0;
}

/* The wait status of a child whose process goes `levels` deep. */
static int deep_in_child(size_t size, unsigned levels)
{
    const struct rlimit no_core = {0, 0};
    int status;

    stack_bytes = size;
    depth = levels;
    fflush(NULL);
    pid_t child = fork();

    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        _exit(run_in_runtime(run_deep) == 0 ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void overflow_of_a_stack_faults_at_its_guard(void **state)
{
    static const size_t sizes[] = {0, 16384, 1u << 20};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t size = sizes[i] ? sizes[i] : LARIO_STACK_BYTES_DEFAULT;
        int status = deep_in_child(sizes[i], (unsigned)(size / 1024 + 64));

#if defined(LARIO_ASAN) || defined(LARIO_TSAN)
        assert_true(WIFEXITED(status) ? WEXITSTATUS(status) > 1 : WIFSIGNALED(status));
#else
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSEGV);
#endif
    }
}

/* The control: what fits does not fault. */
static void stack_is_usable_to_near_its_end(void **state)
{
    (void)state;
#if defined(LARIO_ASAN) || defined(LARIO_TSAN)
    skip(); /* their frames are of other sizes */
#else
    int status = deep_in_child(0, 44);

    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
#endif
}

/* ---- Memory ---- */

/* The sanitizers' own memory is not measured, and ThreadSanitizer knows few stacks at once. */
#ifdef LARIO_TSAN
#define PARKED 500
#else
#define PARKED 10000
#endif
#define BYTES_EACH_MAX 5120

static long resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total, pages;

    if (!file)
        return -1;
    int count = fscanf(file, "%ld %ld", &total, &pages);

    fclose(file);
    return count == 2 ? pages * sysconf(_SC_PAGESIZE) : -1;
}

static int park(void *arg)
{
    lario_msg msg;
    (void)arg;

    return lario_receive(&msg, -1);
}

static int parked_processes_cost_a_page_each(void)
{
    long before = resident_bytes();

    for (int i = 0; i < PARKED; i++) {
        check(lario_spawn(park, NULL, NULL) == 0);
        /* The report of a stall would load debug information into the memory measured. */
        if (i % 64 == 0)
            check(lario_yield() == 0);
    }
    check(lario_sleep(10) == 0);
    long each = (resident_bytes() - before) / PARKED;

    check(before > 0);
    if (each > BYTES_EACH_MAX)
        fprintf(stderr, "a parked process costs %ld bytes\n", each);
#if !defined(LARIO_ASAN) && !defined(LARIO_TSAN)
    check(each <= BYTES_EACH_MAX);
#endif
    return 0;
}

IN_RUNTIME(parked_processes_cost_a_page_each)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_of_a_stack_faults_at_its_guard),
        cmocka_unit_test(stack_is_usable_to_near_its_end),
        RUNTIME_TEST(parked_processes_cost_a_page_each),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
