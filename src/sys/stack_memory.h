/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_STACK_MEMORY_H
#define LARIO_SYS_STACK_MEMORY_H

#include <stddef.h>

/*
 * Address space for stacks. The lowest page of each stack is a guard: running into it faults.
 *
 * Where the kernel has it (Linux 6.13), MADV_GUARD_INSTALL makes guards that cost no mapping of
 * their own, so that a million stacks need a handful of mappings. Elsewhere guards are made by
 * mprotect, of which each costs two mappings; the caller limits how many it asks for.
 */

/* The size of a page, which all sizes are multiples of. */
size_t lario_stack_memory_page(void);

/* Maps `count` stacks of `size` bytes side by side, untouched. NULL: out of address space. */
void *lario_stack_memory_map(size_t size, size_t count);
void lario_stack_memory_unmap(void *memory, size_t size, size_t count);

typedef enum lario_guard_kind {
    LARIO_GUARD_FREE,     /* made without a mapping of its own */
    LARIO_GUARD_MPROTECT, /* made by mprotect */
    LARIO_GUARD_NONE,     /* none was made: the caller looks after a canary */
} lario_guard_kind;

/* Makes the lowest page of the stack at `stack` a guard, by mprotect only if `may_protect`. */
lario_guard_kind lario_stack_memory_guard(void *stack, int may_protect);

/* Gives the pages of [from, from + size) back to the system; they read as zeros again. */
void lario_stack_memory_discard(void *from, size_t size);

#endif
