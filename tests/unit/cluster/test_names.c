/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/scope.h"

#include <pthread.h>
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

#define LONG_MS 10000
#define REASON (-99)

static lario_scope *open_scope(void)
{
    return lario_scope_open(lario_runtime_here(), "test");
}

static int park(void *arg)
{
    lario_msg msg;
    (void)arg;

    while (lario_receive(&msg, -1) > 0)
        if (msg.kind == LARIO_USER + 1)
            return 0;
    return -1;
}

static int spawn_watched(int loop, lario_process_fn fn, void *arg, lario_pid *ret_pid)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;

    opts.loop = loop;
    opts.monitor = true;
    return lario_spawn_opts(fn, arg, &opts, ret_pid);
}

static int end_of(lario_pid pid, bool by_kill)
{
    lario_msg msg;

    check((by_kill ? lario_kill(pid, REASON) : lario_send(pid, LARIO_USER + 1, NULL, 0)) == 0);
    check(lario_receive_kind(LARIO_DOWN, &msg, LONG_MS) == LARIO_DOWN);
    check(lario_pid_equal(msg.from, pid) && msg.code == (by_kill ? REASON : 0));
    return 0;
}

static bool has_name(lario_scope *scope, const char *name, lario_pid pid, const char *meta)
{
    char text[LARIO_META_BYTES_MAX + 1];
    lario_pid found, again;

    return lario_whereis(scope, name, &found) == 0 &&
           lario_lookup(scope, name, &again, text) == 0 && lario_pid_equal(found, pid) &&
           lario_pid_equal(again, pid) && strcmp(text, meta) == 0;
}

static bool has_no_name(lario_scope *scope, const char *name)
{
    char text[LARIO_META_BYTES_MAX + 1];
    lario_pid found;

    return lario_whereis(scope, name, &found) == LARIO_ENOTFOUND &&
           lario_lookup(scope, name, &found, text) == LARIO_ENOTFOUND;
}

/* Acceptance 1, 2, 14, 18: found while it lives; gone with it, however it ends. */
static int name_lives_as_long_as_its_process(void)
{
    lario_scope *scope = open_scope();
    lario_pid pid;

    for (int i = 0; i < 4; i++) {
        const char *meta = i < 2 ? NULL : "a little meta";

        check(has_no_name(scope, "n") && lario_count(scope) == 0);
        check(spawn_watched(i & 1, park, NULL, &pid) == 0);
        check(lario_register(scope, "n", pid, meta) == 0);
        check(has_name(scope, "n", pid, meta ? meta : ""));
        check(lario_count(scope) == 1);
        check(end_of(pid, i >= 2) == 0);
        check(has_no_name(scope, "n") && lario_count(scope) == 0);
    }
    return 0;
}

/* Acceptance 3, 15. */
static int taken_name_stays_and_own_meta_is_replaced(void)
{
    lario_scope *scope = open_scope();
    lario_pid pids[2];

    for (int i = 0; i < 2; i++)
        check(spawn_watched(i, park, NULL, &pids[i]) == 0);
    for (int i = 0; i < 2; i++) {
        lario_pid owner = pids[i], other = pids[1 - i];

        check(lario_register(scope, "n", owner, "first") == 0);
        check(lario_register(scope, "n", other, "other") == LARIO_ETAKEN);
        check(lario_register(scope, "n", lario_self(), "other") == LARIO_ETAKEN);
        check(has_name(scope, "n", owner, "first"));
        check(lario_register(scope, "n", owner, "first") == 0);
        check(lario_register(scope, "n", owner, "second") == 0);
        check(has_name(scope, "n", owner, "second"));
        check(lario_register(scope, "n", owner, NULL) == 0);
        check(has_name(scope, "n", owner, "") && lario_count(scope) == 1);
        check(lario_unregister(scope, "n") == 0);
    }
    return 0;
}

/* Acceptance 4. */
static int start_and_stop_under_one_name_is_never_taken(void)
{
    lario_scope *scope = open_scope();
    lario_pid pid;

    for (int i = 0; i < 100; i++) {
        check(spawn_watched(i & 1, park, NULL, &pid) == 0);
        check(lario_register(scope, "n", pid, NULL) == 0);
        check(end_of(pid, i & 2) == 0);
    }
    return 0;
}

/* Acceptance 19, 20, for loops in the place of nodes. */
static int names_are_taken_away_from_either_loop(void)
{
    lario_scope *scope = open_scope();
    lario_pid pid;

    check(lario_unregister(scope, "n") == LARIO_ENOTFOUND);
    for (int loop = 0; loop < 2; loop++) {
        check(spawn_watched(loop, park, NULL, &pid) == 0);
        check(lario_register(scope, "n", pid, "m") == 0);
        check(lario_unregister(scope, "n") == 0);
        check(has_no_name(scope, "n") && lario_count(scope) == 0);
        check(lario_unregister(scope, "n") == LARIO_ENOTFOUND);
        /* The one that lost it can get it back, and its end finds nothing stale. */
        check(lario_register(scope, "n", pid, "m") == 0);
        check(lario_unregister(scope, "n") == 0);
        check(end_of(pid, false) == 0);
    }
    return 0;
}

static int one_process_may_have_many_names(void)
{
    lario_scope *scope = open_scope();
    char name[16];
    lario_pid pid;

    check(spawn_watched(1, park, NULL, &pid) == 0);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "n%d", i);
        check(lario_register(scope, name, pid, name) == 0);
    }
    for (int i = 0; i < 200; i += 2) {
        snprintf(name, sizeof name, "n%d", i);
        check(lario_unregister(scope, name) == 0);
    }
    check(lario_count(scope) == 100);
    check(has_name(scope, "n7", pid, "n7"));
    check(end_of(pid, true) == 0);
    check(lario_count(scope) == 0);
    return 0;
}

static int dead_processes_get_no_name(void)
{
    lario_scope *scope = open_scope();
    lario_pid pid, foreign = lario_self();

    foreign.node[1] ^= 1;
    for (int loop = 0; loop < 2; loop++) {
        check(spawn_watched(loop, park, NULL, &pid) == 0);
        check(end_of(pid, false) == 0);
        check(lario_register(scope, "n", pid, "m") == LARIO_ENOPROC);
    }
    check(lario_register(scope, "n", (lario_pid){0}, NULL) == LARIO_ENOPROC);
    check(lario_register(scope, "n", foreign, NULL) == LARIO_ENOPROC);
    check(has_no_name(scope, "n") && lario_count(scope) == 0);
    return 0;
}

/* ---- Acceptance 13: every error value ---- */

static int names_and_meta_have_limits(void)
{
    static char name[257], meta[LARIO_META_BYTES_MAX + 2];
    lario_scope *scope = open_scope();
    lario_pid self = lario_self(), found;

    memset(name, 'n', 256);
    memset(meta, 'm', LARIO_META_BYTES_MAX + 1);
    check(lario_register(scope, "", self, NULL) == LARIO_EINVAL);
    check(lario_register(scope, NULL, self, NULL) == LARIO_EINVAL);
    check(lario_register(scope, name, self, NULL) == LARIO_EINVAL);
    check(lario_register(scope, "n", self, meta) == LARIO_EINVAL);
    check(lario_unregister(scope, name) == LARIO_EINVAL);
    check(lario_whereis(scope, "", &found) == LARIO_EINVAL);
    check(lario_lookup(scope, name, &found, meta) == LARIO_EINVAL);
    check(lario_count(scope) == 0);
    name[255] = '\0';
    meta[LARIO_META_BYTES_MAX] = '\0';
    check(lario_register(scope, name, self, meta) == 0);
    check(has_name(scope, name, self, meta));
    check(lario_unregister(scope, name) == 0);
    return 0;
}

static int scopes_keep_their_names_apart(void)
{
    static char name[65];
    lario_scope *one = open_scope(), *two = lario_scope_open(lario_runtime_here(), "two");
    lario_pid found;

    check(one && two && one != two);
    check(lario_scope_open(lario_runtime_here(), "test") == one);
    check(lario_register(one, "n", lario_self(), "1") == 0);
    check(has_no_name(two, "n"));
    check(lario_register(two, "n", lario_self(), "2") == 0);
    check(has_name(one, "n", lario_self(), "1"));
    check(lario_unregister(one, "n") == 0);
    check(has_name(two, "n", lario_self(), "2"));
    check(lario_count(one) == 0 && lario_count(two) == 1 && lario_count(NULL) == 0);
    memset(name, 's', 64);
    check(!lario_scope_open(lario_runtime_here(), name));
    check(!lario_scope_open(lario_runtime_here(), ""));
    check(!lario_scope_open(lario_runtime_here(), NULL));
    check(!lario_scope_open(NULL, "test"));
    check(lario_register(NULL, "n", lario_self(), NULL) == LARIO_ESCOPE);
    check(lario_unregister(NULL, "n") == LARIO_ESCOPE);
    check(lario_whereis(NULL, "n", &found) == LARIO_ESCOPE);
    check(lario_each(NULL, "", NULL, NULL) == LARIO_ESCOPE);
    return 0;
}

static int killed_process_may_not_write(void)
{
    lario_scope *scope = open_scope();
    lario_pid self = lario_self();

    check(lario_register(scope, "n", self, NULL) == 0);
    check(lario_kill(self, -1) == 0);
    check(lario_register(scope, "m", self, NULL) == LARIO_ECANCELED);
    check(lario_unregister(scope, "n") == LARIO_ECANCELED);
    check(has_name(scope, "n", self, ""));
    return 0;
}

/* A process of one runtime and the scope of another: reads work, writes are refused. */
static int other_runtimes_scope_is_read_only(void)
{
    lario_runtime_opts opts = {.loops = 4, .workers = 1};
    lario_runtime *other = lario_runtime_new(&opts);
    lario_spawn_options spawn = LARIO_SPAWN_OPTIONS_INIT;
    lario_pid pid, found;

    check(other);
    lario_scope *scope = lario_scope_open(other, "test");

    spawn.loop = 3;
    check(scope && lario_runtime_start(other) == 0);
    check(lario_runtime_spawn(other, park, NULL, &spawn, &pid) == 0);
    check(lario_register(scope, "n", pid, NULL) == LARIO_ESCOPE);
    check(lario_register(scope, "n", lario_self(), NULL) == LARIO_ESCOPE);
    check(lario_join(scope, "g", pid, NULL) == LARIO_ESCOPE);
    check(lario_whereis(scope, "n", &found) == LARIO_ENOTFOUND);
    check(lario_runtime_stop(other, LONG_MS) == 0);
    lario_runtime_free(other);
    return 0;
}

/* ---- Iterating ---- */

typedef struct visited {
    int count;
    int stop_after;
    bool is_wrong;
    const char *prefix;
} visited;

static int visit(void *arg, const char *name, lario_pid pid, const char *meta)
{
    visited *at = arg;

    at->count++;
    if (strncmp(name, at->prefix, strlen(at->prefix)) != 0 || !lario_pid_equal(pid, lario_self()) ||
        !meta || strcmp(meta, name) != 0)
        at->is_wrong = true;
    return at->count == at->stop_after ? 77 : 0;
}

static int each_visits_names_by_prefix(void)
{
    static const char *const names[] = {"a", "ab", "abc", "b", "ba", "\xc3\xa4"};
    static const struct {
        const char *prefix;
        int count;
    } cases[] = {{"", 6}, {"a", 3}, {"ab", 2}, {"abc", 1}, {"abcd", 0}, {"b", 2}, {"\xc3", 1}};
    lario_scope *scope = open_scope();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        check(lario_register(scope, names[i], lario_self(), names[i]) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        visited at = {.prefix = cases[i].prefix};

        check(lario_each(scope, cases[i].prefix, visit, &at) == 0);
        check(at.count == cases[i].count && !at.is_wrong);
    }
    visited at = {.prefix = "", .stop_after = 2};

    check(lario_each(scope, "", visit, &at) == 77 && at.count == 2);
    check(lario_each(scope, NULL, visit, &at) == LARIO_EINVAL);
    check(lario_each(scope, "", NULL, NULL) == LARIO_EINVAL);
    return 0;
}

/* ---- Races ---- */

static atomic_int winners, losers, others;

static int race_for_the_name(void *arg)
{
    int rc = lario_register(arg, "contested", lario_self(), NULL);
    lario_msg msg;

    atomic_fetch_add(rc == 0 ? &winners : rc == LARIO_ETAKEN ? &losers : &others, 1);
    while (lario_receive(&msg, -1) > 0)
        continue;
    return 0;
}

static int name_has_one_winner(void)
{
    lario_scope *scope = open_scope();
    lario_pid pids[20];

    for (int round = 0; round < 50; round++) {
        winners = losers = others = 0;
        for (int i = 0; i < 20; i++)
            check(spawn_watched(i & 1, race_for_the_name, scope, &pids[i]) == 0);
        while (winners + losers + others < 20)
            check(lario_sleep(0) == 0);
        check(winners == 1 && losers == 19 && others == 0);
        for (int i = 0; i < 20; i++)
            check(end_of(pids[i], true) == 0);
        check(has_no_name(scope, "contested"));
    }
    return 0;
}

/*
 * Acceptance 21: the name goes to another process while an unregister is on its way. One takes it
 * away from afar while two hand it over all the time; whatever happens, only documented results do.
 */
static atomic_bool ends;

static int hold_and_release(void *arg)
{
    int rc = 0;

    while (!ends && rc == 0) {
        rc = lario_register(arg, "moving", lario_self(), NULL);
        if (rc == LARIO_ETAKEN)
            rc = 0;
        if (rc == 0)
            rc = lario_unregister(arg, "moving");
        if (rc == LARIO_ENOTFOUND || rc == LARIO_ERACE)
            rc = 0;
        if (rc == 0)
            rc = lario_yield();
    }
    return rc;
}

static int moving_name_gives_documented_results_only(void)
{
    lario_scope *scope = open_scope();
    lario_msg msg;
    int gone = 0, absent = 0, raced = 0;

    ends = false;
    for (int i = 0; i < 4; i++)
        check(spawn_watched(i & 1, hold_and_release, scope, &(lario_pid){0}) == 0);
    for (int i = 0; i < 3000; i++) {
        int rc = lario_unregister(scope, "moving");

        check(rc == 0 || rc == LARIO_ENOTFOUND || rc == LARIO_ERACE);
        ++*(rc == 0 ? &gone : rc == LARIO_ENOTFOUND ? &absent : &raced);
        check(lario_yield() == 0);
    }
    ends = true;
    for (int i = 0; i < 4; i++)
        check(lario_receive(&msg, LONG_MS) == LARIO_DOWN && msg.code == 0);
    check(has_no_name(scope, "moving"));
    check(gone + absent + raced == 3000);
    return 0;
}

/* Both loops register and remove while other threads read all the time. */
#define NAMES_A_LOOP 5000

static atomic_int writers_done, bad_reads;

static int register_many(void *arg)
{
    lario_scope *scope = arg;
    int loop = (int)(lario_self().serial >> 56);
    char name[32];

    for (int i = 0; i < NAMES_A_LOOP; i++) {
        snprintf(name, sizeof name, "many/%d/%d", loop, i);
        check(lario_register(scope, name, lario_self(), name) == 0);
        if (i % 3 == 0)
            check(lario_register(scope, name, lario_self(), "changed") == 0);
        if (i % 64 == 0)
            check(lario_yield() == 0);
    }
    writers_done++;
    return park(NULL);
}

static int count_name(void *arg, const char *name, lario_pid pid, const char *meta)
{
    ++*(size_t *)arg;
    return strncmp(name, "many/", 5) != 0 || !lario_pid_is_set(pid) || !meta ? -1 : 0;
}

static void *read_all_the_time(void *arg)
{
    char meta[LARIO_META_BYTES_MAX + 1], name[32];

    for (int i = 0; !ends; i = (i + 7) % NAMES_A_LOOP) {
        lario_pid pid;
        size_t count = 0;

        snprintf(name, sizeof name, "many/%d/%d", i & 1, i);
        int rc = lario_lookup(arg, name, &pid, meta);

        if (rc == 0 ? strcmp(meta, name) != 0 && strcmp(meta, "changed") != 0
                    : rc != LARIO_ENOTFOUND)
            bad_reads++;
        if (i % 50 == 0 && lario_each(arg, "many/", count_name, &count) != 0)
            bad_reads++;
        if (lario_count(arg) > 2 * NAMES_A_LOOP || count > 2 * NAMES_A_LOOP)
            bad_reads++;
    }
    return NULL;
}

static int ten_thousand_names_come_and_go_under_readers(void)
{
    lario_scope *scope = open_scope();
    pthread_t readers[2];
    lario_pid pids[2];
    size_t count = 0;

    ends = false;
    writers_done = bad_reads = 0;
    for (int i = 0; i < 2; i++)
        check(pthread_create(&readers[i], NULL, read_all_the_time, scope) == 0);
    for (int i = 0; i < 2; i++)
        check(spawn_watched(i, register_many, scope, &pids[i]) == 0);
    for (uint64_t began = now_ms(); writers_done < 2 && now_ms() - began < 60000;)
        check(lario_sleep(1) == 0);
    check(lario_count(scope) == 2 * NAMES_A_LOOP);
    check(lario_each(scope, "many/1/", count_name, &count) == 0 && count == NAMES_A_LOOP);
    check(has_name(scope, "many/1/4", pids[1], "many/1/4"));
    check(has_name(scope, "many/0/3", pids[0], "changed"));
    check(end_of(pids[0], true) == 0);
    check(lario_count(scope) == NAMES_A_LOOP);
    check(end_of(pids[1], false) == 0);
    check(lario_count(scope) == 0);
    ends = true;
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    check(bad_reads == 0);
    return 0;
}

IN_RUNTIME(name_lives_as_long_as_its_process)
IN_RUNTIME(taken_name_stays_and_own_meta_is_replaced)
IN_RUNTIME(start_and_stop_under_one_name_is_never_taken)
IN_RUNTIME(names_are_taken_away_from_either_loop)
IN_RUNTIME(one_process_may_have_many_names)
IN_RUNTIME(dead_processes_get_no_name)
IN_RUNTIME(names_and_meta_have_limits)
IN_RUNTIME(scopes_keep_their_names_apart)
IN_RUNTIME(killed_process_may_not_write)
IN_RUNTIME(other_runtimes_scope_is_read_only)
IN_RUNTIME(each_visits_names_by_prefix)
IN_RUNTIME(name_has_one_winner)
IN_RUNTIME(moving_name_gives_documented_results_only)
IN_RUNTIME(ten_thousand_names_come_and_go_under_readers)

/* ---- From threads outside ---- */

static void *open_same(void *arg)
{
    return lario_scope_open(arg, "shared");
}

static void scope_is_opened_once_from_many_threads(void **state)
{
    lario_runtime *runtime = lario_runtime_new(NULL);
    pthread_t threads[4];
    void *scopes[4];

    (void)state;
    assert_non_null(runtime);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, open_same, runtime), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &scopes[i]);
        assert_non_null(scopes[i]);
        assert_ptr_equal(scopes[i], scopes[0]);
    }
    assert_int_equal(lario_register(scopes[0], "n", (lario_pid){0}, NULL), LARIO_ENOTPROC);
    assert_int_equal(lario_unregister(scopes[0], "n"), LARIO_ENOTFOUND);
    lario_runtime_free(runtime);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(name_lives_as_long_as_its_process),
        RUNTIME_TEST(taken_name_stays_and_own_meta_is_replaced),
        RUNTIME_TEST(start_and_stop_under_one_name_is_never_taken),
        RUNTIME_TEST(names_are_taken_away_from_either_loop),
        RUNTIME_TEST(one_process_may_have_many_names),
        RUNTIME_TEST(dead_processes_get_no_name),
        RUNTIME_TEST(names_and_meta_have_limits),
        RUNTIME_TEST(scopes_keep_their_names_apart),
        RUNTIME_TEST(killed_process_may_not_write),
        RUNTIME_TEST(other_runtimes_scope_is_read_only),
        RUNTIME_TEST(each_visits_names_by_prefix),
        RUNTIME_TEST(name_has_one_winner),
        RUNTIME_TEST(moving_name_gives_documented_results_only),
        RUNTIME_TEST(ten_thousand_names_come_and_go_under_readers),
        cmocka_unit_test(scope_is_opened_once_from_many_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
