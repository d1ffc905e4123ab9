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

bool lario_stack_memory_guard(void *stack)
{
    return madvise(stack, lario_stack_memory_page(), MADV_GUARD_INSTALL) == 0;
}

bool lario_stack_memory_protect(void *stack)
{
    return mprotect(stack, lario_stack_memory_page(), PROT_NONE) == 0;
}

void lario_stack_memory_discard(void *from, size_t size)
{
    (void)madvise(from, size, MADV_DONTNEED);
}
