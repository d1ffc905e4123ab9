/* SPDX-License-Identifier: BSD-3-Clause */
#include "sys/stack_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13; the headers of Debian 12 are older */
#endif

size_t lario_stack_memory_page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *lario_stack_memory_map(size_t size, size_t count)
{
    void *memory = mmap(NULL, size * count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
    /* A huge page would make one touched byte cost two megabytes. Not all kernels have them. */
    (void)madvise(memory, size * count, MADV_NOHUGEPAGE);
    return memory;
}

void lario_stack_memory_unmap(void *memory, size_t size, size_t count)
{
    munmap(memory, size * count);
}

lario_guard_kind lario_stack_memory_guard(void *stack, int may_protect)
{
    size_t page = lario_stack_memory_page();

    if (madvise(stack, page, MADV_GUARD_INSTALL) == 0)
        return LARIO_GUARD_FREE;
    if (may_protect && mprotect(stack, page, PROT_NONE) == 0)
        return LARIO_GUARD_MPROTECT;
    return LARIO_GUARD_NONE;
}

void lario_stack_memory_discard(void *from, size_t size)
{
    (void)madvise(from, size, MADV_DONTNEED);
}
