/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * void lario_switch(void **save_sp, void *load_sp)
 *
 * Saves what a called function must preserve (System V ABI: rbx, rbp, r12 to r15, and the control
 * words of SSE and x87) on the current stack, and its top in *save_sp; then goes on from load_sp.
 * The return address is the one that the call pushed.
 *
 *     load_sp -> | mxcsr, x87 cw | r15 | r14 | r13 | r12 | rbx | rbp | return address |
 */
    .text
    .globl lario_switch
    .hidden lario_switch
    .type lario_switch, @function
    .p2align 4
lario_switch:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size lario_switch, . - lario_switch

/*
 * Where a new context begins: r12 holds the function, r13 its argument. It never returns. The
 * undefined return address ends every backtrace here.
 */
    .globl lario_switch_entry
    .hidden lario_switch_entry
    .type lario_switch_entry, @function
    .p2align 4
lario_switch_entry:
    .cfi_startproc
    .cfi_undefined rip
    endbr64
    xorl %ebp, %ebp
    movq %r13, %rdi
    callq *%r12
    ud2
    .cfi_endproc
    .size lario_switch_entry, . - lario_switch_entry

    .section .note.GNU-stack, "", @progbits
