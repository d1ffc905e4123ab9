/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_CLUSTER_ENTRY_H
#define LARIO_CLUSTER_ENTRY_H

#include "cluster/table.h"
#include "lario/scope.h"
#include "proc/process.h"
#include "proc/runtime.h"

#define LARIO_NAME_BYTES_MAX 255
#define LARIO_SCOPE_NAME_BYTES_MAX 63

/*
 * A scope: names and groups, in a table each. Every entry hangs on its process by an exit hook, so
 * that it goes with it, and is changed only on that process' loop.
 */
struct lario_scope {
    lario_runtime_part part; /* of its runtime, which frees it */
    lario_runtime *runtime;
    char name[LARIO_SCOPE_NAME_BYTES_MAX + 1];
    lario_table names;
    lario_table groups;
};

/* A write, on its way to the loop of the process it concerns. */
typedef struct lario_scope_request {
    lario_scope *scope;
    const char *name; /* of the process or the group */
    lario_pid pid;
    const char *meta;
    int rc;
} lario_scope_request;

/*
 * Checks the names, then calls `fn` with the request on the loop of request->pid, from the running
 * process. Returns the request's rc, or why it was not made.
 */
int lario_scope_write(lario_scope_request *request, void (*fn)(lario_loop *loop, void *arg));

/* lario_publish() of bytes that are shared already, of any kind. */
int lario_scope_publish_shared(lario_scope *scope, const char *name, int kind,
                               lario_shared *shared);

bool lario_scope_name_is_valid(const char *name);

/* The live process of the request on this loop, or NULL. */
lario_proc *lario_scope_target(lario_loop *loop, const lario_scope_request *request);

/* A copy of `meta`; *ret_copy is NULL for NULL. 0 or LARIO_ENOMEM. */
int lario_scope_copy_meta(const char *meta, char **ret_copy);

void lario_names_free(lario_scope *scope);
void lario_groups_free(lario_scope *scope);

#endif
