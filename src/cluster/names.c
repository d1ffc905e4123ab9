/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cluster/entry.h"

/* Names of processes: at most one live process each. */

typedef struct name_entry {
    lario_table_item item;
    lario_exit_hook hook;
    lario_scope *scope;
    lario_pid pid;
    char *meta;
    char name[];
} name_entry;

static void free_entry(name_entry *entry)
{
    free(entry->meta);
    free(entry);
}

static name_entry *find_entry(lario_table_shard *shard, uint64_t hash, const char *name)
{
    lario_table_item *item = lario_table_find(shard, hash, name);

    return item ? lario_container_of(item, name_entry, item) : NULL;
}

static void remove_entry(name_entry *entry)
{
    lario_table *table = &entry->scope->names;
    lario_table_shard *shard = lario_table_shard_of(table, entry->item.hash);

    pthread_rwlock_wrlock(&shard->lock);
    lario_table_remove(table, shard, &entry->item);
    pthread_rwlock_unlock(&shard->lock);
}

static void on_exit_of_process(lario_exit_hook *hook, lario_proc *proc, int reason)
{
    name_entry *entry = lario_container_of(hook, name_entry, hook);
    (void)proc;
    (void)reason;

    remove_entry(entry);
    free_entry(entry);
}

static name_entry *new_entry(const lario_scope_request *request, uint64_t hash)
{
    size_t len = strlen(request->name);
    name_entry *entry = calloc(1, sizeof *entry + len + 1);

    if (!entry)
        return NULL;
    memcpy(entry->name, request->name, len + 1);
    entry->item.name = entry->name;
    entry->item.hash = hash;
    entry->scope = request->scope;
    entry->pid = request->pid;
    entry->hook.fn = on_exit_of_process;
    if (lario_scope_copy_meta(request->meta, &entry->meta) < 0) {
        free(entry);
        return NULL;
    }
    return entry;
}

/* Under the lock: decides between all that may be there. `entry` is NULL once it is in the table.
 */
static int insert_or_update(lario_table *table, lario_table_shard *shard, name_entry **entry)
{
    name_entry *found = find_entry(shard, (*entry)->item.hash, (*entry)->name);

    if (!found) {
        int rc = lario_table_insert(table, shard, &(*entry)->item);

        if (rc == 0)
            *entry = NULL;
        return rc;
    }
    if (!lario_pid_equal(found->pid, (*entry)->pid))
        return LARIO_ETAKEN;
    char *meta = found->meta;

    found->meta = (*entry)->meta;
    (*entry)->meta = meta; /* freed with the entry that is not needed */
    return 0;
}

static void register_here(lario_loop *loop, void *arg)
{
    lario_scope_request *request = arg;
    lario_table *table = &request->scope->names;
    lario_proc *proc = lario_scope_target(loop, request);
    uint64_t hash = lario_table_hash(table, request->name);
    lario_table_shard *shard = lario_table_shard_of(table, hash);
    name_entry *entry = proc ? new_entry(request, hash) : NULL;
    name_entry *left = entry;

    request->rc = proc ? LARIO_ENOMEM : LARIO_ENOPROC;
    if (!entry)
        return;
    pthread_rwlock_wrlock(&shard->lock);
    request->rc = insert_or_update(table, shard, &left);
    pthread_rwlock_unlock(&shard->lock);
    if (left)
        free_entry(left);
    else
        lario_proc_add_hook(proc, &entry->hook);
}

int lario_register(lario_scope *scope, const char *name, lario_pid pid, const char *meta)
{
    lario_scope_request request = {.scope = scope, .name = name, .pid = pid, .meta = meta};

    return lario_scope_write(&request, register_here);
}

static void unregister_here(lario_loop *loop, void *arg)
{
    lario_scope_request *request = arg;
    lario_table *table = &request->scope->names;
    uint64_t hash = lario_table_hash(table, request->name);
    lario_table_shard *shard = lario_table_shard_of(table, hash);
    (void)loop;

    /* Only this loop changes entries of its processes: what is found stays until we remove it. */
    pthread_rwlock_rdlock(&shard->lock);
    name_entry *entry = find_entry(shard, hash, request->name);
    bool is_its = entry && lario_pid_equal(entry->pid, request->pid);

    pthread_rwlock_unlock(&shard->lock);
    request->rc = !entry ? LARIO_ENOTFOUND : is_its ? 0 : LARIO_ERACE;
    if (!is_its)
        return;
    lario_exit_hook_remove(&entry->hook);
    remove_entry(entry);
    free_entry(entry);
}

int lario_unregister(lario_scope *scope, const char *name)
{
    lario_scope_request request = {.scope = scope, .name = name};
    int rc = lario_whereis(scope, name, &request.pid);

    return rc < 0 ? rc : lario_scope_write(&request, unregister_here);
}

/* ---- Reads ---- */

/* A process of the reader's own loop may have ended in this very turn. */
static bool is_dead_here(const lario_scope *scope, lario_pid pid)
{
    return lario_runtime_here() == scope->runtime && !lario_is_alive(pid);
}

static int look_up(lario_scope *scope, const char *name, lario_pid *ret_pid, char *ret_meta)
{
    if (!scope)
        return LARIO_ESCOPE;
    if (!lario_scope_name_is_valid(name))
        return LARIO_EINVAL;
    uint64_t hash = lario_table_hash(&scope->names, name);
    lario_table_shard *shard = lario_table_shard_of(&scope->names, hash);

    pthread_rwlock_rdlock(&shard->lock);
    name_entry *entry = find_entry(shard, hash, name);
    lario_pid pid = entry ? entry->pid : (lario_pid){0};

    if (entry && ret_meta) {
        const char *meta = entry->meta ? entry->meta : "";

        memcpy(ret_meta, meta, strlen(meta) + 1);
    }
    pthread_rwlock_unlock(&shard->lock);
    if (!entry || is_dead_here(scope, pid))
        return LARIO_ENOTFOUND;
    *ret_pid = pid;
    return 0;
}

int lario_whereis(lario_scope *scope, const char *name, lario_pid *ret_pid)
{
    return look_up(scope, name, ret_pid, NULL);
}

int lario_lookup(lario_scope *scope, const char *name, lario_pid *ret_pid,
                 char ret_meta[LARIO_META_BYTES_MAX + 1])
{
    return look_up(scope, name, ret_pid, ret_meta);
}

size_t lario_count(lario_scope *scope)
{
    return scope ? atomic_load_explicit(&scope->names.count, memory_order_relaxed) : 0;
}

static int each_in_shard(lario_table_shard *shard, const char *prefix, lario_each_fn each,
                         void *arg)
{
    size_t prefix_len = strlen(prefix);

    for (size_t i = 0; i < shard->chains_count; i++)
        for (lario_table_item *item = shard->chains[i]; item; item = item->next) {
            name_entry *entry = lario_container_of(item, name_entry, item);

            if (strncmp(entry->name, prefix, prefix_len) != 0)
                continue;
            int rc = each(arg, entry->name, entry->pid, entry->meta);

            if (rc != 0)
                return rc;
        }
    return 0;
}

int lario_each(lario_scope *scope, const char *prefix, lario_each_fn each, void *arg)
{
    int rc = 0;

    if (!scope)
        return LARIO_ESCOPE;
    if (!prefix || !each)
        return LARIO_EINVAL;
    for (unsigned i = 0; rc == 0 && i < LARIO_TABLE_SHARDS; i++) {
        lario_table_shard *shard = &scope->names.shards[i];

        pthread_rwlock_rdlock(&shard->lock);
        rc = each_in_shard(shard, prefix, each, arg);
        pthread_rwlock_unlock(&shard->lock);
    }
    return rc;
}

void lario_names_free(lario_scope *scope)
{
    for (unsigned i = 0; i < LARIO_TABLE_SHARDS; i++) {
        lario_table_shard *shard = &scope->names.shards[i];

        for (size_t k = 0; k < shard->chains_count; k++)
            while (shard->chains[k]) {
                lario_table_item *item = shard->chains[k];

                shard->chains[k] = item->next;
                free_entry(lario_container_of(item, name_entry, item));
            }
    }
}
