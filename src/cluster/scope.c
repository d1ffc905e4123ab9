/* SPDX-License-Identifier: BSD-3-Clause */
#include "lario/scope.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/entry.h"

static bool length_is_valid(const char *text, size_t max)
{
    size_t len = strnlen(text, max + 1);

    return len > 0 && len <= max;
}

bool lario_scope_name_is_valid(const char *name)
{
    return name && length_is_valid(name, LARIO_NAME_BYTES_MAX);
}

static void free_scope(lario_runtime_part *part)
{
    lario_scope *scope = lario_container_of(part, lario_scope, part);

    lario_names_free(scope);
    lario_groups_free(scope);
    lario_table_done(&scope->names);
    lario_table_done(&scope->groups);
    free(scope);
}

static lario_scope *find_scope(lario_runtime *runtime, const char *name)
{
    for (lario_runtime_part *part = lario_runtime_parts(runtime); part; part = part->next) {
        lario_scope *scope = lario_container_of(part, lario_scope, part);

        if (part->free_fn == free_scope && strcmp(scope->name, name) == 0)
            return scope;
    }
    return NULL;
}

static lario_scope *new_scope(lario_runtime *runtime, const char *name)
{
    lario_scope *scope = aligned_alloc(_Alignof(lario_scope), sizeof *scope);

    if (!scope)
        return NULL;
    memset(scope, 0, sizeof *scope);
    if (lario_table_init(&scope->names) < 0)
        goto fail;
    if (lario_table_init(&scope->groups) < 0)
        goto fail_groups;
    scope->runtime = runtime;
    memcpy(scope->name, name, strlen(name) + 1);
    scope->part.free_fn = free_scope;
    lario_runtime_add_part(runtime, &scope->part);
    return scope;
fail_groups:
    lario_table_done(&scope->names);
fail:
    free(scope);
    return NULL;
}

lario_scope *lario_scope_open(lario_runtime *runtime, const char *name)
{
    if (!runtime || !name || !length_is_valid(name, LARIO_SCOPE_NAME_BYTES_MAX))
        return NULL;
    pthread_mutex_t *lock = lario_runtime_parts_lock(runtime);

    pthread_mutex_lock(lock);
    lario_scope *scope = find_scope(runtime, name);

    if (!scope)
        scope = new_scope(runtime, name);
    pthread_mutex_unlock(lock);
    return scope;
}

int lario_scope_copy_meta(const char *meta, char **ret_copy)
{
    *ret_copy = meta ? strdup(meta) : NULL;
    return meta && !*ret_copy ? LARIO_ENOMEM : 0;
}

lario_proc *lario_scope_target(lario_loop *loop, const lario_scope_request *request)
{
    return lario_sched_find(loop->slots[LARIO_LOOP_SLOT_PROC], request->pid.serial);
}

int lario_scope_write(lario_scope_request *request, void (*fn)(lario_loop *loop, void *arg))
{
    lario_proc *self = lario_proc_current();

    if (!request->scope)
        return LARIO_ESCOPE;
    if (!lario_scope_name_is_valid(request->name))
        return LARIO_EINVAL;
    if (request->meta && strnlen(request->meta, LARIO_META_BYTES_MAX + 1) > LARIO_META_BYTES_MAX)
        return LARIO_EINVAL;
    if (!self)
        return LARIO_ENOTPROC;
    if (self->sched->loop->runtime != request->scope->runtime)
        return LARIO_ESCOPE;
    if (self->is_killed)
        return lario_proc_canceled(self);
    lario_loop *loop = lario_runtime_loop_of(request->scope->runtime, request->pid);

    if (!loop)
        return LARIO_ENOPROC;
    lario_sched_call_on(self, loop->index, fn, request);
    return request->rc;
}
