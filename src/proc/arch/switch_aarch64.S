/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * void lario_switch(void **save_sp, void *load_sp)
 *
 * Saves what a called function must preserve (AAPCS64: x19 to x30, d8 to d15) on the current stack,
 * and its top in *save_sp; then goes on from load_sp. 160 bytes a context:
 *
 *     load_sp -> | x19 x20 | x21 x22 | x23 x24 | x25 x26 | x27 x28 | x29 x30 | d8 to d15 |
 */
    .text
    .globl lario_switch
    .hidden lario_switch
    .type lario_switch, %function
    .p2align 4
lario_switch:
    .cfi_startproc
    hint #34 /* bti c */
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .cfi_endproc
    .size lario_switch, . - lario_switch

/*
 * Where a new context begins: x19 holds the function, x20 its argument. It never returns. The
 * undefined return address ends every backtrace here.
 */
    .globl lario_switch_entry
    .hidden lario_switch_entry
    .type lario_switch_entry, %function
    .p2align 4
lario_switch_entry:
    .cfi_startproc
    .cfi_undefined x30
    hint #34 /* bti c */
    mov x29, xzr
    mov x30, xzr
    mov x0, x20
    blr x19
    brk #1
    .cfi_endproc
    .size lario_switch_entry, . - lario_switch_entry

    .section .note.GNU-stack, "", %progbits
