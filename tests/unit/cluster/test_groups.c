/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/scope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "in_runtime.h"

#define LONG_MS 10000
#define REASON (-99)
#define PUBLISHED (LARIO_USER + 3)

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
    check(lario_pid_equal(msg.from, pid));
    return 0;
}

static int count_visit(void *arg, const char *name, lario_pid pid, const char *meta)
{
    (void)name;
    (void)pid;
    (void)meta;
    ++*(int *)arg;
    return 0;
}

static int groups_of(lario_scope *scope)
{
    int count = 0;

    return lario_each_group(scope, count_visit, &count) == 0 ? count : -1;
}

static int members_come_and_go(void)
{
    lario_scope *scope = open_scope();
    lario_pid pids[4];

    check(groups_of(scope) == 0);
    for (int i = 0; i < 4; i++) {
        check(spawn_watched(i & 1, park, NULL, &pids[i]) == 0);
        check(!lario_is_member(scope, "g", pids[i]));
        check(lario_leave(scope, "g", pids[i]) == LARIO_ENOTMEMBER);
        check(lario_join(scope, "g", pids[i], NULL) == 0);
        check(lario_is_member(scope, "g", pids[i]));
        check(lario_member_count(scope, "g") == (size_t)i + 1);
    }
    check(groups_of(scope) == 1);
    check(lario_leave(scope, "g", pids[0]) == 0);
    check(lario_leave(scope, "g", pids[0]) == LARIO_ENOTMEMBER);
    check(lario_leave(scope, "g", pids[1]) == 0);
    check(!lario_is_member(scope, "g", pids[0]) && lario_is_member(scope, "g", pids[2]));
    check(end_of(pids[2], false) == 0);
    check(lario_member_count(scope, "g") == 1);
    check(end_of(pids[3], true) == 0);
    check(lario_member_count(scope, "g") == 0 && groups_of(scope) == 0);
    return 0;
}

static int same_meta(void *arg, const char *name, lario_pid pid, const char *meta)
{
    const char *expected = arg;
    (void)pid;

    if (strcmp(name, "g") != 0)
        return -1;
    return expected ? !meta || strcmp(meta, expected) != 0 : meta != NULL;
}

static int joining_twice_replaces_the_meta(void)
{
    lario_scope *scope = open_scope();
    lario_pid pid;

    for (int loop = 0; loop < 2; loop++) {
        check(spawn_watched(loop, park, NULL, &pid) == 0);
        check(lario_join(scope, "g", pid, "one") == 0);
        check(lario_each_member(scope, "g", same_meta, "one") == 0);
        check(lario_join(scope, "g", pid, "two") == 0);
        check(lario_each_member(scope, "g", same_meta, "two") == 0);
        check(lario_join(scope, "g", pid, NULL) == 0);
        check(lario_each_member(scope, "g", same_meta, NULL) == 0);
        check(lario_member_count(scope, "g") == 1);
        check(end_of(pid, true) == 0);
    }
    return 0;
}

static int process_may_be_in_many_groups(void)
{
    lario_scope *scope = open_scope(), *other = lario_scope_open(lario_runtime_here(), "other");
    char name[16];
    lario_pid pid;

    check(spawn_watched(1, park, NULL, &pid) == 0);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "g%d", i);
        check(lario_join(scope, name, pid, NULL) == 0);
    }
    /* Groups, names and other scopes do not touch each other. */
    check(lario_join(other, "g1", pid, NULL) == 0);
    check(lario_register(scope, "g1", pid, NULL) == 0);
    check(groups_of(scope) == 100 && groups_of(other) == 1);
    check(lario_leave(scope, "g1", pid) == 0);
    check(lario_is_member(other, "g1", pid) && lario_count(scope) == 1);
    check(end_of(pid, false) == 0);
    check(groups_of(scope) == 0 && groups_of(other) == 0 && lario_count(scope) == 0);
    return 0;
}

static int bad_arguments_are_told(void)
{
    static char name[257], meta[LARIO_META_BYTES_MAX + 2];
    lario_scope *scope = open_scope();
    lario_pid self = lario_self(), dead;
    int count = 0;

    memset(name, 'n', 256);
    memset(meta, 'm', LARIO_META_BYTES_MAX + 1);
    check(lario_join(NULL, "g", self, NULL) == LARIO_ESCOPE);
    check(lario_leave(NULL, "g", self) == LARIO_ESCOPE);
    check(lario_publish(NULL, "g", PUBLISHED, NULL, 0) == LARIO_ESCOPE);
    check(lario_each_member(NULL, "g", count_visit, &count) == LARIO_ESCOPE);
    check(lario_each_group(NULL, count_visit, &count) == LARIO_ESCOPE);
    check(!lario_is_member(NULL, "g", self) && lario_member_count(NULL, "g") == 0);
    check(lario_join(scope, "", self, NULL) == LARIO_EINVAL);
    check(lario_join(scope, name, self, NULL) == LARIO_EINVAL);
    check(lario_join(scope, "g", self, meta) == LARIO_EINVAL);
    check(lario_leave(scope, "", self) == LARIO_EINVAL);
    check(lario_publish(scope, "", PUBLISHED, NULL, 0) == LARIO_EINVAL);
    check(lario_each_member(scope, "g", NULL, NULL) == LARIO_EINVAL);
    check(lario_each_group(scope, NULL, NULL) == LARIO_EINVAL);
    for (int loop = 0; loop < 2; loop++) {
        check(spawn_watched(loop, park, NULL, &dead) == 0);
        check(end_of(dead, false) == 0);
        check(lario_join(scope, "g", dead, NULL) == LARIO_ENOPROC);
        check(lario_leave(scope, "g", dead) == LARIO_ENOTMEMBER);
    }
    check(lario_join(scope, "g", (lario_pid){0}, NULL) == LARIO_ENOPROC);
    check(groups_of(scope) == 0 && count == 0);
    check(lario_join(scope, "g", self, NULL) == 0);
    check(lario_kill(self, -1) == 0);
    check(lario_join(scope, "h", self, NULL) == LARIO_ECANCELED);
    check(lario_leave(scope, "g", self) == LARIO_ECANCELED);
    return 0;
}

/* ---- Publishing ---- */

static atomic_int got, wrong;

static int take_published(void *arg)
{
    lario_pid from = *(lario_pid *)arg;
    lario_msg msg;
    int next = 0, rc;

    while ((rc = lario_receive(&msg, -1)) > 0) {
        if (msg.kind == LARIO_USER + 1)
            return 0;
        if (msg.kind != PUBLISHED || !lario_pid_equal(msg.from, from) || msg.len != 1000 ||
            *(const int *)(const void *)msg.data != next++)
            wrong++;
        got++;
    }
    return rc;
}

static int publish_reaches_each_member_once_and_in_order(void)
{
    enum { MEMBERS = 20, ROUNDS = 100 };
    _Alignas(int) char data[1000] = {0};
    lario_scope *scope = open_scope();
    lario_pid pids[MEMBERS], self = lario_self();

    got = wrong = 0;
    check(lario_publish(scope, "g", PUBLISHED, data, sizeof data) == 0);
    for (int i = 0; i < MEMBERS; i++) {
        check(spawn_watched(i & 1, take_published, &self, &pids[i]) == 0);
        check(lario_join(scope, "g", pids[i], NULL) == 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        memcpy(data, &i, sizeof i);
        check(lario_publish(scope, "g", PUBLISHED, data, sizeof data) == MEMBERS);
    }
    memset(data, -1, sizeof data); /* the bytes were copied */
    for (int i = 0; i < MEMBERS; i++)
        check(end_of(pids[i], false) == 0);
    check(got == MEMBERS * ROUNDS && wrong == 0);
    check(lario_publish(scope, "g", PUBLISHED, data, sizeof data) == 0);
    return 0;
}

/* All members of this loop look at the very same bytes. */
static int keep_address(void *arg)
{
    lario_msg msg;
    int rc = lario_receive_kind(PUBLISHED, &msg, -1);

    *(const char **)arg = msg.data;
    return rc < 0 ? rc : park(NULL);
}

static int published_bytes_are_shared(void)
{
    const char *seen[4] = {NULL, NULL, NULL, NULL};
    lario_scope *scope = open_scope();
    lario_pid pids[4];

    for (int i = 0; i < 4; i++) {
        check(spawn_watched(i & 1, keep_address, &seen[i], &pids[i]) == 0);
        check(lario_join(scope, "g", pids[i], NULL) == 0);
    }
    check(lario_publish(scope, "g", PUBLISHED, "shared", 6) == 4);
    for (int i = 0; i < 4; i++)
        check(end_of(pids[i], false) == 0);
    check(seen[0] && seen[0] == seen[1] && seen[0] == seen[2] && seen[0] == seen[3]);
    return 0;
}

static int publisher_in_the_group_gets_its_own_message(void)
{
    lario_scope *scope = open_scope();
    lario_msg msg;

    check(lario_join(scope, "g", lario_self(), NULL) == 0);
    check(lario_publish(scope, "g", PUBLISHED, "me", 2) == 1);
    check(lario_receive(&msg, 0) == PUBLISHED && msg.len == 2 && memcmp(msg.data, "me", 2) == 0);
    check(lario_publish(scope, "g", PUBLISHED, NULL, 0) == 1);
    check(lario_receive(&msg, 0) == PUBLISHED && msg.len == 0 && msg.data);
    check(lario_publish(scope, "g", LARIO_USER - 1, NULL, 0) == LARIO_EINVAL);
    check(lario_publish(scope, "g", PUBLISHED, "", (16u << 20) + 1) == LARIO_ETOOBIG);
    return 0;
}

static int full_member_counts_what_it_misses(void)
{
    lario_spawn_options opts = LARIO_SPAWN_OPTIONS_INIT;
    lario_process_info infos[8];
    lario_scope *scope = open_scope();
    lario_pid pid;

    opts.mailbox_max = 1;
    check(lario_spawn_opts(park, NULL, &opts, &pid) == 0);
    check(lario_join(scope, "g", pid, NULL) == 0);
    check(lario_join(scope, "g", lario_self(), NULL) == 0);
    for (int i = 0; i < 3; i++)
        check(lario_publish(scope, "g", PUBLISHED, "x", 1) == 2);
    int count = lario_process_list(infos, 8), found = 0;

    for (int i = 0; i < count; i++)
        if (lario_pid_equal(infos[i].pid, pid))
            found = infos[i].mailbox == 1 && infos[i].mailbox_drops == 2;
    check(found);
    return 0;
}

/* Members come and go on both loops while both publish. */
static atomic_int joiners_done;

static int join_publish_leave(void *arg)
{
    lario_scope *scope = arg;
    lario_msg msg;

    for (int i = 0; i < 300; i++) {
        check(lario_join(scope, "busy", lario_self(), "m") == 0);
        check(lario_publish(scope, "busy", PUBLISHED, &i, sizeof i) >= 1);
        check(lario_receive_kind(PUBLISHED, &msg, LONG_MS) == PUBLISHED);
        check(lario_leave(scope, "busy", lario_self()) == 0);
        while (lario_receive(&msg, 0) > 0)
            continue;
        check(lario_yield() == 0);
    }
    joiners_done++;
    return 0;
}

static int group_changes_while_it_is_published_to(void)
{
    lario_scope *scope = open_scope();
    lario_msg msg;

    joiners_done = 0;
    for (int i = 0; i < 10; i++)
        check(spawn_watched(i & 1, join_publish_leave, scope, NULL) == 0);
    for (int i = 0; i < 10; i++)
        check(lario_receive(&msg, 60000) == LARIO_DOWN && msg.code == 0);
    check(joiners_done == 10 && groups_of(scope) == 0);
    return 0;
}

IN_RUNTIME(members_come_and_go)
IN_RUNTIME(joining_twice_replaces_the_meta)
IN_RUNTIME(process_may_be_in_many_groups)
IN_RUNTIME(bad_arguments_are_told)
IN_RUNTIME(publish_reaches_each_member_once_and_in_order)
IN_RUNTIME(published_bytes_are_shared)
IN_RUNTIME(publisher_in_the_group_gets_its_own_message)
IN_RUNTIME(full_member_counts_what_it_misses)
IN_RUNTIME(group_changes_while_it_is_published_to)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNTIME_TEST(members_come_and_go),
        RUNTIME_TEST(joining_twice_replaces_the_meta),
        RUNTIME_TEST(process_may_be_in_many_groups),
        RUNTIME_TEST(bad_arguments_are_told),
        RUNTIME_TEST(publish_reaches_each_member_once_and_in_order),
        RUNTIME_TEST(published_bytes_are_shared),
        RUNTIME_TEST(publisher_in_the_group_gets_its_own_message),
        RUNTIME_TEST(full_member_counts_what_it_misses),
        RUNTIME_TEST(group_changes_while_it_is_published_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
