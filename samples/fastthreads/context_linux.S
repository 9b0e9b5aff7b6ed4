/* SPDX-License-Identifier: MIT
 *
 * context_linux.S - ft__context_switch of context.h, System V x86-64: a context begins with its
 * position.
 *
 * The compiler has saved all that a call may destroy. The rest lies on the stack that is left:
 *
 *   position + 0   mxcsr (4 bytes), x87 control word (2 bytes)
 *   position + 8   r15, r14, r13, r12, rbx, rbp
 *   position + 56  where to go on
 */
        .text
        .globl  ft__context_switch
        .hidden ft__context_switch
        .type   ft__context_switch, @function
ft__context_switch:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, (%rdi)
        movq    (%rsi), %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        addq    $8, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        popq    %rdx
        jmp     *%rdx           /* a return would be predicted to go elsewhere */
        .size   ft__context_switch, . - ft__context_switch
        .section .note.GNU-stack, "", @progbits
