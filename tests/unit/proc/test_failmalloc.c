/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/runtime.h"

#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "in_runtime.h"
#include "lario/scope.h"

/*
 * The life of a runtime again and again, with each allocation failing in turn: first alone, then
 * with all that follow. Every call must say LARIO_ENOMEM or have done its work; nothing may leak,
 * which is counted here. The linker leads the allocations of the library here.
 */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *old);

static atomic_int asked;      /* allocations of this run */
static atomic_int fail_from;  /* the first that fails; 0: none */
static atomic_bool fail_all;  /* and all after it */
static atomic_int failures;   /* of this run */
static atomic_int live;       /* allocations not freed */
static atomic_int dishonests; /* calls that failed for no reason, or with another one */

static bool may_allocate(void)
{
    int number = ++asked;

    if (fail_from == 0 || number < fail_from || (number > fail_from && !fail_all))
        return true;
    failures++;
    errno = ENOMEM;
    return false;
}

static void *note(void *made)
{
    if (made)
        live++;
    return made;
}

void *__wrap_malloc(size_t size)
{
    return may_allocate() ? note(__real_malloc(size)) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? note(__real_calloc(count, size)) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!may_allocate())
        return NULL;
    return old ? __real_realloc(old, size) : note(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return may_allocate() ? note(__real_aligned_alloc(alignment, size)) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return may_allocate() ? note(__real_strdup(text)) : NULL;
}

void __wrap_free(void *old)
{
    if (old)
        live--;
    __real_free(old);
}

/* ---- The scenario ---- */

#define LONG_MS 10000

/* Whether the call succeeded; a failure must be for lack of memory. */
static bool worked(int rc, const char *call)
{
    if (rc >= 0)
        return true;
    if (rc != LARIO_ENOMEM || failures == 0) {
        fprintf(stderr, "%s: %s (allocation %d)\n", call, lario_errname(rc), fail_from);
        dishonests++;
    }
    return false;
}

#define WORKED(call) worked(call, #call)

static void expect(bool is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "%s (allocation %d)\n", what, fail_from);
        dishonests++;
    }
}

#define EXPECT(condition) expect(condition, #condition)

/* Answers until it cannot, then ends, which the caller is told of without any memory. */
static int echo(void *arg)
{
    lario_msg msg;
    int rc;
    (void)arg;

    while ((rc = lario_receive(&msg, -1)) > 0)
        if (msg.ref != 0 && msg.kind >= LARIO_USER &&
            (rc = lario_answer(&msg, msg.data, msg.len)) < 0)
            break;
    return rc < 0 ? rc : 0;
}

static int add_one(void *arg)
{
    ++*(int *)arg;
    return 0;
}

static void talk_to(lario_pid child)
{
    lario_msg msg;
    int number = 1;

    (void)WORKED(lario_send(child, LARIO_USER, "text", 4));
    int rc = lario_call(child, LARIO_USER, "text", 4, &msg, LONG_MS);

    /* Without memory for its answer the child has ended. */
    if (rc == LARIO_ENOPROC)
        EXPECT(failures > 0);
    else if (worked(rc, "lario_call"))
        EXPECT(msg.len == 4 && memcmp(msg.data, "text", 4) == 0);
    if (WORKED(lario_offload(add_one, &number)))
        EXPECT(number == 2);
}

static void watch(lario_pid child)
{
    uint64_t refs[40];
    int made = 0;

    while (made < 40 && WORKED(lario_monitor(child, &refs[made])))
        made++;
    for (int i = 0; i < made; i++)
        lario_demonitor(refs[i]);
    if (WORKED(lario_link(child)))
        lario_unlink(child);
}

static void use_scope(lario_scope *scope, lario_pid child, int loop)
{
    lario_pid found;
    lario_msg msg;
    char name[32];

    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "name/%d/%d", loop, i);
        /* The child may have ended for lack of memory before. */
        int rc = lario_register(scope, name, child, "meta");

        if (rc == LARIO_ENOPROC)
            EXPECT(failures > 0);
        else if (!worked(rc, "lario_register"))
            EXPECT(lario_whereis(scope, name, &found) == LARIO_ENOTFOUND);
    }
    if (WORKED(lario_register(scope, "mine", lario_self(), "one"))) {
        (void)WORKED(lario_register(scope, "mine", lario_self(), "two"));
        EXPECT(lario_unregister(scope, "mine") == 0);
    }
    bool is_in = WORKED(lario_join(scope, "group", lario_self(), "meta"));

    EXPECT(lario_is_member(scope, "group", lario_self()) == is_in);
    EXPECT(lario_member_count(scope, "group") == (is_in ? 1 : 0));
    int rc = lario_publish(scope, "group", LARIO_USER + 5, "all", 3);

    if (worked(rc, "lario_publish")) {
        EXPECT(rc == (is_in ? 1 : 0));
        EXPECT(!is_in || lario_receive_kind(LARIO_USER + 5, &msg, 0) == LARIO_USER + 5);
    }
    if (is_in)
        EXPECT(lario_leave(scope, "group", lario_self()) == 0);
}

static void end_child(lario_pid child)
{
    lario_msg msg;

    if (WORKED(lario_kill(child, -1)))
        EXPECT(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN);
}

static sem_t finished;

static int body(void *arg)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_process_info infos[8];

    /* A child that cannot answer fails, and must not take this process with it. */
    lario_trap_exits(true);
    opts.monitor = opts.link = true;
    for (opts.loop = 0; opts.loop < 2; opts.loop++) {
        lario_pid child;

        if (!WORKED(lario_spawn_opts(echo, NULL, &opts, &child)))
            continue;
        talk_to(child);
        watch(child);
        use_scope(arg, child, opts.loop);
        (void)WORKED(lario_process_list(infos, 8));
        end_child(child);
    }
    sem_post(&finished);
    return 0;
}

static void run_runtime(lario_runtime *runtime)
{
    lario_scope *scope = lario_scope_open(runtime, "scope");
    lario_pid pid;

    EXPECT(scope || failures > 0);
    if (!scope || !WORKED(lario_runtime_start(runtime)))
        return;
    if (WORKED(lario_runtime_spawn(runtime, body, scope, NULL, &pid))) {
        (void)WORKED(lario_runtime_send(runtime, pid, LARIO_USER + 9, "x", 1));
        sem_wait(&finished);
    }
    EXPECT(lario_runtime_stop(runtime, LONG_MS) == 0);
}

/* How many allocations failed. */
static int run_scenario(int first, bool all)
{
    lario_runtime_opts opts = {.loops = 2, .workers = 1};

    asked = failures = 0;
    fail_from = first;
    fail_all = all;
    lario_runtime *runtime = lario_runtime_new(&opts);

    if (runtime)
        run_runtime(runtime);
    else
        EXPECT(errno == ENOMEM && failures > 0);
    lario_runtime_free(runtime);
    fail_from = 0;
    return failures;
}

static void fail_each(bool all)
{
    int number = 1;

    sem_init(&finished, 0, 0);
    /* What stays for the whole program is made once, before. */
    assert_int_equal(run_scenario(0, false), 0);
    assert_int_equal(dishonests, 0);
    assert_true(asked > 100);
    int before = live;

    while (run_scenario(number, all) > 0) {
        if (live != before)
            fail_msg("allocation %d failed, %d leaked", number, live - before);
        if (dishonests > 0)
            fail_msg("allocation %d failed, and a call did not say so", number);
        number++;
    }
    assert_true(number > 100);
    sem_destroy(&finished);
}

static void each_allocation_may_fail_alone(void **state)
{
    (void)state;
    fail_each(false);
}

static void each_allocation_may_fail_with_all_after_it(void **state)
{
    (void)state;
    fail_each(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail_alone),
        cmocka_unit_test(each_allocation_may_fail_with_all_after_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
