/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LARIO_SYS_STACK_MEMORY_H
#define LARIO_SYS_STACK_MEMORY_H

#include <stdbool.h>
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

/* Makes the lowest page of the stack at `stack` a guard. False when the kernel cannot. */
bool lario_stack_memory_guard(void *stack);

/* The same by mprotect. */
bool lario_stack_memory_protect(void *stack);

/*
 * Gives the pages of [from, from + size) back to the system; they read as zeros again. Guards in
 * the range stay.
 */
void lario_stack_memory_discard(void *from, size_t size);

#endif
