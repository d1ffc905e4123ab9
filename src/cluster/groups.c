/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cluster/entry.h"

/* Groups: sets of processes. A group is there while it has members. */

typedef struct group {
    lario_table_item item;
    lario_list_link members; /* in the order of joining */
    size_t count;
    char name[];
} group;

typedef struct member {
    lario_list_link link; /* of the group, under its shard's lock */
    lario_exit_hook hook;
    lario_scope *scope;
    group *group;
    lario_pid pid;
    char *meta;
} member;

static lario_table_shard *shard_of(lario_scope *scope, uint64_t hash)
{
    return lario_table_shard_of(&scope->groups, hash);
}

static group *find_group(lario_table_shard *shard, uint64_t hash, const char *name)
{
    lario_table_item *item = lario_table_find(shard, hash, name);

    return item ? lario_container_of(item, group, item) : NULL;
}

static member *member_at(lario_list_link *link)
{
    return lario_container_of(link, member, link);
}

static member *find_member(group *in, lario_pid pid)
{
    for (lario_list_link *link = in->members.next; link != &in->members; link = link->next)
        if (lario_pid_equal(member_at(link)->pid, pid))
            return member_at(link);
    return NULL;
}

/* ---- Joining and leaving ---- */

static group *new_group(const char *name, uint64_t hash)
{
    size_t len = strlen(name);
    group *made = calloc(1, sizeof *made + len + 1);

    if (!made)
        return NULL;
    memcpy(made->name, name, len + 1);
    made->item.name = made->name;
    made->item.hash = hash;
    lario_list_init(&made->members);
    return made;
}

static void remove_member(member *gone)
{
    lario_table *table = &gone->scope->groups;
    group *in = gone->group;
    lario_table_shard *shard = shard_of(gone->scope, in->item.hash);

    pthread_rwlock_wrlock(&shard->lock);
    lario_list_remove(&gone->link);
    if (--in->count == 0) {
        lario_table_remove(table, shard, &in->item);
        free(in);
    }
    pthread_rwlock_unlock(&shard->lock);
    free(gone->meta);
    free(gone);
}

static void on_exit_of_process(lario_exit_hook *hook, lario_proc *proc, int reason)
{
    (void)proc;
    (void)reason;
    remove_member(lario_container_of(hook, member, hook));
}

static member *new_member(const lario_scope_request *request)
{
    member *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->scope = request->scope;
    made->pid = request->pid;
    made->hook.fn = on_exit_of_process;
    if (lario_scope_copy_meta(request->meta, &made->meta) < 0) {
        free(made);
        return NULL;
    }
    return made;
}

/* Under the lock: the group, made if need be; NULL when memory is out. */
static group *need_group(lario_table *table, lario_table_shard *shard, const char *name,
                         uint64_t hash)
{
    group *found = find_group(shard, hash, name);

    if (found)
        return found;
    found = new_group(name, hash);
    if (found && lario_table_insert(table, shard, &found->item) < 0) {
        free(found);
        return NULL;
    }
    return found;
}

/*
 * The membership of a process of this loop. Its own hooks are few, while a group may have a million
 * members; and only this loop changes them, so no lock is needed.
 */
static member *find_own(lario_proc *proc, const lario_scope *scope, const char *name)
{
    for (lario_list_link *link = proc->hooks.next; link != &proc->hooks; link = link->next) {
        lario_exit_hook *hook = lario_container_of(link, lario_exit_hook, link);
        member *own = lario_container_of(hook, member, hook);

        if (hook->fn == on_exit_of_process && own->scope == scope &&
            strcmp(own->group->name, name) == 0)
            return own;
    }
    return NULL;
}

static void replace_meta(member *own, lario_table_shard *shard, member *with)
{
    char *meta = own->meta;

    pthread_rwlock_wrlock(&shard->lock);
    own->meta = with->meta;
    pthread_rwlock_unlock(&shard->lock);
    with->meta = meta;
}

/* `joining` becomes a member, unless memory is out. */
static int add_member(const lario_scope_request *request, uint64_t hash, member *joining)
{
    lario_table *table = &request->scope->groups;
    lario_table_shard *shard = shard_of(request->scope, hash);

    pthread_rwlock_wrlock(&shard->lock);
    group *in = need_group(table, shard, request->name, hash);

    if (in) {
        joining->group = in;
        lario_list_push_back(&in->members, &joining->link);
        in->count++;
    }
    pthread_rwlock_unlock(&shard->lock);
    return in ? 0 : LARIO_ENOMEM;
}

static void join_here(lario_loop *loop, void *arg)
{
    lario_scope_request *request = arg;
    lario_proc *proc = lario_scope_target(loop, request);
    uint64_t hash = lario_table_hash(&request->scope->groups, request->name);
    member *joining = proc ? new_member(request) : NULL;

    request->rc = !proc ? LARIO_ENOPROC : joining ? 0 : LARIO_ENOMEM;
    if (!joining)
        return;
    member *own = find_own(proc, request->scope, request->name);

    if (own)
        replace_meta(own, shard_of(request->scope, hash), joining);
    else
        request->rc = add_member(request, hash, joining);
    if (own || request->rc < 0) {
        free(joining->meta);
        free(joining);
    } else {
        lario_proc_add_hook(proc, &joining->hook);
    }
}

int lario_join(lario_scope *scope, const char *name, lario_pid pid, const char *meta)
{
    lario_scope_request request = {.scope = scope, .name = name, .pid = pid, .meta = meta};

    return lario_scope_write(&request, join_here);
}

static void leave_here(lario_loop *loop, void *arg)
{
    lario_scope_request *request = arg;
    lario_proc *proc = lario_scope_target(loop, request);
    member *own = proc ? find_own(proc, request->scope, request->name) : NULL;

    request->rc = own ? 0 : LARIO_ENOTMEMBER;
    if (!own)
        return;
    lario_exit_hook_remove(&own->hook);
    remove_member(own);
}

int lario_leave(lario_scope *scope, const char *name, lario_pid pid)
{
    lario_scope_request request = {.scope = scope, .name = name, .pid = pid};
    int rc = lario_scope_write(&request, leave_here);

    return rc == LARIO_ENOPROC ? LARIO_ENOTMEMBER : rc;
}

/* ---- Reads ---- */

/* Calls fn(group or NULL, arg) under the lock for reading. */
static int with_group(lario_scope *scope, const char *name, int (*fn)(group *in, void *arg),
                      void *arg)
{
    if (!scope)
        return LARIO_ESCOPE;
    if (!lario_scope_name_is_valid(name))
        return LARIO_EINVAL;
    uint64_t hash = lario_table_hash(&scope->groups, name);
    lario_table_shard *shard = shard_of(scope, hash);

    pthread_rwlock_rdlock(&shard->lock);
    int rc = fn(find_group(shard, hash, name), arg);

    pthread_rwlock_unlock(&shard->lock);
    return rc;
}

static int has_member(group *in, void *arg)
{
    return in && find_member(in, *(lario_pid *)arg);
}

bool lario_is_member(lario_scope *scope, const char *name, lario_pid pid)
{
    return with_group(scope, name, has_member, &pid) == 1;
}

static int count_members(group *in, void *arg)
{
    *(size_t *)arg = in ? in->count : 0;
    return 0;
}

size_t lario_member_count(lario_scope *scope, const char *name)
{
    size_t count = 0;

    return with_group(scope, name, count_members, &count) < 0 ? 0 : count;
}

typedef struct visit {
    lario_each_fn each;
    void *arg;
} visit;

static int visit_members(group *in, void *arg)
{
    visit *to = arg;
    int rc = 0;

    if (!in)
        return 0;
    for (lario_list_link *link = in->members.next; rc == 0 && link != &in->members;
         link = link->next)
        rc = to->each(to->arg, in->name, member_at(link)->pid, member_at(link)->meta);
    return rc;
}

int lario_each_member(lario_scope *scope, const char *name, lario_each_fn each, void *arg)
{
    visit to = {.each = each, .arg = arg};

    return each ? with_group(scope, name, visit_members, &to) : LARIO_EINVAL;
}

static int each_in_shard(lario_table_shard *shard, lario_each_fn each, void *arg)
{
    for (size_t i = 0; i < shard->chains_count; i++)
        for (lario_table_item *item = shard->chains[i]; item; item = item->next) {
            int rc = each(arg, item->name, (lario_pid){0}, NULL);

            if (rc != 0)
                return rc;
        }
    return 0;
}

int lario_each_group(lario_scope *scope, lario_each_fn each, void *arg)
{
    int rc = 0;

    if (!scope)
        return LARIO_ESCOPE;
    if (!each)
        return LARIO_EINVAL;
    for (unsigned i = 0; rc == 0 && i < LARIO_TABLE_SHARDS; i++) {
        lario_table_shard *shard = &scope->groups.shards[i];

        pthread_rwlock_rdlock(&shard->lock);
        rc = each_in_shard(shard, each, arg);
        pthread_rwlock_unlock(&shard->lock);
    }
    return rc;
}

/* ---- Publishing ---- */

typedef struct receivers {
    lario_pid *pids;
    size_t room;
    size_t count;
} receivers;

static int collect(group *in, void *arg)
{
    receivers *to = arg;
    lario_list_link *link = in ? in->members.next : NULL;

    to->count = in ? in->count : 0;
    if (to->count > to->room)
        return 0; /* the caller makes room and comes again */
    for (size_t i = 0; i < to->count; i++, link = link->next)
        to->pids[i] = member_at(link)->pid;
    return 0;
}

/* The members of now, so that nothing is sent under the lock. */
static int collect_all(lario_scope *scope, const char *name, receivers *to)
{
    for (;;) {
        int rc = with_group(scope, name, collect, to);

        if (rc < 0 || to->count <= to->room)
            return rc;
        lario_pid *pids = realloc(to->pids, to->count * sizeof *pids);

        if (!pids)
            return LARIO_ENOMEM;
        to->pids = pids;
        to->room = to->count;
    }
}

static int send_to_all(const receivers *to, int kind, lario_shared *shared)
{
    for (size_t i = 0; i < to->count; i++) {
        int rc = lario_send_shared(to->pids[i], kind, shared);

        if (rc < 0 && rc != LARIO_EFULL) /* the receiver counts that */
            return rc;
    }
    return (int)to->count;
}

int lario_publish(lario_scope *scope, const char *name, int kind, const void *data, size_t len)
{
    receivers to = {0};
    int rc = lario_message_check(kind, len);

    if (rc == 0 && !lario_loop_current)
        rc = LARIO_ENOTPROC;
    if (rc == 0)
        rc = collect_all(scope, name, &to);
    if (rc == 0 && to.count > 0) {
        lario_shared *shared = lario_shared_new(data, len);

        rc = shared ? send_to_all(&to, kind, shared) : LARIO_ENOMEM;
        lario_shared_unref(shared);
    }
    free(to.pids);
    return rc;
}

int lario_scope_publish_shared(lario_scope *scope, const char *name, int kind, lario_shared *shared)
{
    receivers to = {0};
    int rc = lario_loop_current ? collect_all(scope, name, &to) : LARIO_ENOTPROC;

    if (rc == 0)
        rc = send_to_all(&to, kind, shared);
    free(to.pids);
    return rc;
}

void lario_groups_free(lario_scope *scope)
{
    for (unsigned i = 0; i < LARIO_TABLE_SHARDS; i++) {
        lario_table_shard *shard = &scope->groups.shards[i];

        for (size_t k = 0; k < shard->chains_count; k++)
            while (shard->chains[k]) {
                group *gone = lario_container_of(shard->chains[k], group, item);

                shard->chains[k] = gone->item.next;
                for (lario_list_link *link; (link = lario_list_pop_front(&gone->members));) {
                    free(member_at(link)->meta);
                    free(member_at(link));
                }
                free(gone);
            }
    }
}
