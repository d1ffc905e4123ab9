/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SCOPE_H
#define LARIO_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "lario/error.h"
#include "lario/export.h"
#include "lario/process.h"
#include "lario/runtime.h"

LARIO_BEGIN_DECLS

/*
 * A scope is a registry of names and a set of groups. A name belongs to at most one process; a
 * process may hold many names and be in many groups. All of them are removed when it ends. Reads
 * never leave the node and never park; a process that has ended reads as absent. Writes are judged
 * at the loop of the process they concern: they park only when that is another loop.
 *
 * Names of groups and processes have 1 to 255 bytes; meta is a C string of at most 4,096 bytes or
 * NULL, and is copied; beyond either: LARIO_EINVAL.
 */
typedef struct lario_scope lario_scope;

/* Room for the meta of lario_lookup() and the member callbacks. */
#define LARIO_META_BYTES_MAX 4096

/*
 * Opens the scope `name` (1 to 63 bytes) of this runtime; opening it again gives the same one. It
 * is freed with the runtime. Any thread. NULL when memory is out or the name is bad.
 */
LARIO_API lario_scope *lario_scope_open(lario_runtime *runtime, const char *name);

/*
 * Gives `pid` the name. The same pid again only replaces the meta. From a process.
 * Errors: LARIO_ETAKEN (another live process has it), LARIO_ENOPROC (not alive),
 * LARIO_ESCOPE (scope NULL, or another runtime's), LARIO_EINVAL, LARIO_ENOMEM, LARIO_ECANCELED.
 */
LARIO_API LARIO_MUST_USE int lario_register(lario_scope *scope, const char *name, lario_pid pid,
                                            const char *meta);

/*
 * Takes the name away. Errors: LARIO_ENOTFOUND (nobody has it), LARIO_ERACE (it went to another
 * process while the call was on its way; nothing changed), LARIO_ESCOPE, LARIO_EINVAL,
 * LARIO_ECANCELED. From a process.
 */
LARIO_API LARIO_MUST_USE int lario_unregister(lario_scope *scope, const char *name);

/* Who has the name. Any thread. Errors: LARIO_ENOTFOUND, LARIO_ESCOPE, LARIO_EINVAL. */
LARIO_API LARIO_MUST_USE int lario_whereis(lario_scope *scope, const char *name,
                                           lario_pid *ret_pid);

/* The same with a copy of its meta ("" without one). Any thread. */
LARIO_API LARIO_MUST_USE int lario_lookup(lario_scope *scope, const char *name, lario_pid *ret_pid,
                                          char ret_meta[LARIO_META_BYTES_MAX + 1]);

/* How many names there are. Any thread. 0 when scope is NULL. */
LARIO_API size_t lario_count(lario_scope *scope);

/*
 * Calls `each` for every name that starts with `prefix` ("" for all), in no order, until it
 * returns other than 0; that value is returned, else 0. The strings are valid during the call.
 * Names that come or go meanwhile may or may not be seen. `each` must not call the scope, park or
 * send; collect, then act. Any thread. Errors: LARIO_ESCOPE, LARIO_EINVAL.
 */
typedef int (*lario_each_fn)(void *arg, const char *name, lario_pid pid, const char *meta);
LARIO_API LARIO_MUST_USE int lario_each(lario_scope *scope, const char *prefix, lario_each_fn each,
                                        void *arg);

/*
 * Puts `pid` into the group, which exists while it has members. Joining twice replaces the meta.
 * From a process. Errors: LARIO_ENOPROC, LARIO_ESCOPE, LARIO_EINVAL, LARIO_ENOMEM,
 * LARIO_ECANCELED.
 */
LARIO_API LARIO_MUST_USE int lario_join(lario_scope *scope, const char *group, lario_pid pid,
                                        const char *meta);

/* Takes it out. Errors: LARIO_ENOTMEMBER, and those of lario_join(). From a process. */
LARIO_API LARIO_MUST_USE int lario_leave(lario_scope *scope, const char *group, lario_pid pid);

/* Whether it is in the group. Any thread. */
LARIO_API bool lario_is_member(lario_scope *scope, const char *group, lario_pid pid);

/* How many members the group has; 0 when there is no such group. Any thread. */
LARIO_API size_t lario_member_count(lario_scope *scope, const char *group);

/* Calls `each` for every member, with the group's name; the rules of lario_each(). */
LARIO_API LARIO_MUST_USE int lario_each_member(lario_scope *scope, const char *group,
                                               lario_each_fn each, void *arg);

/* Calls `each` for every group, once, with the unset pid and meta NULL. */
LARIO_API LARIO_MUST_USE int lario_each_group(lario_scope *scope, lario_each_fn each, void *arg);

/*
 * Sends a message to every member (also to the caller, when it is one). The bytes are copied once
 * and shared. Returns the number of intended receivers. From a process. Does not park.
 * Errors: those of lario_send() but for the full mailbox, which the receiver counts; LARIO_ESCOPE.
 */
LARIO_API int lario_publish(lario_scope *scope, const char *group, int kind, const void *data,
                            size_t len);

LARIO_END_DECLS

#endif
