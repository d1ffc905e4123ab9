/* SPDX-License-Identifier: BSD-3-Clause */
#include "proc/context.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef LARIO_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef LARIO_TSAN
#include <sanitizer/tsan_interface.h>
#endif

extern void lario_switch(void **save_sp, void *load_sp);
extern void lario_switch_entry(void);

void lario_context_adopt(lario_context *context)
{
    memset(context, 0, sizeof *context);
#ifdef LARIO_TSAN
    context->fiber = __tsan_get_current_fiber();
#endif
}

#if defined(__x86_64__)
/* The frame that lario_switch() pops; see arch/switch_x86_64.S. */
struct frame {
    uint32_t mxcsr;
    uint16_t x87_control;
    uint16_t unused;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    uint64_t return_address;
    uint64_t pad; /* a function starts with the stack 8 bytes off a multiple of 16 */
};

static void fill_frame(struct frame *frame, void (*entry)(void *), void *arg)
{
    *frame = (struct frame){
        .mxcsr = 0x1f80,       /* the ABI's default: all exceptions masked, round to nearest */
        .x87_control = 0x037f, /* the same for the x87 */
        .r12 = (uint64_t)(uintptr_t)entry,
        .r13 = (uint64_t)(uintptr_t)arg,
        .return_address = (uint64_t)(uintptr_t)lario_switch_entry,
    };
}
#elif defined(__aarch64__)
/* The frame that lario_switch() loads; see arch/switch_aarch64.S. */
struct frame {
    uint64_t x19, x20, x21_x29[9];
    uint64_t x30;
    uint64_t d8_d15[8];
};

static void fill_frame(struct frame *frame, void (*entry)(void *), void *arg)
{
    *frame = (struct frame){
        .x19 = (uint64_t)(uintptr_t)entry,
        .x20 = (uint64_t)(uintptr_t)arg,
        .x30 = (uint64_t)(uintptr_t)lario_switch_entry,
    };
}
#else
#error "Lario has a context switch for x86-64 and aarch64 only"
#endif

_Static_assert(sizeof(struct frame) % 16 == 0 || sizeof(struct frame) % 16 == 8,
               "frames keep the stack on words");

void lario_context_make(lario_context *context, void *stack, size_t size, void (*entry)(void *),
                        void *arg)
{
    uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    struct frame *frame = (struct frame *)(top - sizeof(struct frame) - sizeof(struct frame) % 16);

    fill_frame(frame, entry, arg);
    context->sp = frame;
#ifdef LARIO_ASAN
    context->stack = stack;
    context->stack_bytes = size;
    context->fake_stack = NULL;
#endif
#ifdef LARIO_TSAN
    context->fiber = __tsan_create_fiber(0);
#endif
}

void lario_context_drop(lario_context *context)
{
    (void)context;
#ifdef LARIO_TSAN
    if (context->fiber)
        __tsan_destroy_fiber(context->fiber);
    context->fiber = NULL;
#endif
}

static void announce(lario_context *from, lario_context *to, bool is_last)
{
    (void)from;
    (void)to;
    (void)is_last;
#ifdef LARIO_ASAN
    __sanitizer_start_switch_fiber(is_last ? NULL : &from->fake_stack, to->stack, to->stack_bytes);
#endif
#ifdef LARIO_TSAN
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
}

void lario_context_switch(lario_context *from, lario_context *to)
{
    announce(from, to, false);
    lario_switch(&from->sp, to->sp);
#ifdef LARIO_ASAN
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
#endif
}

void lario_context_leave(lario_context *from, lario_context *to)
{
    announce(from, to, true);
    lario_switch(&from->sp, to->sp);
    __builtin_unreachable();
}

void lario_context_entered(lario_context *from)
{
    (void)from;
#ifdef LARIO_ASAN
    /* The bounds of the thread's own stack, which the sanitizer asks for at the switch back. */
    const void *stack;
    size_t size;

    __sanitizer_finish_switch_fiber(NULL, &stack, &size);
    from->stack = (void *)(uintptr_t)stack;
    from->stack_bytes = size;
#endif
}
