/* SPDX-License-Identifier: MIT
 *
 * restart.S - a scheduler's one stack position: how it is entered, restarted and left.
 *
 * The frame of sched_base stays while the thread is a scheduler. Each restart drops everything
 * above it. All activations return to the call in it, so a walk of the stack (exceptions,
 * debuggers) finds its way down from any of them. Offsets from the saved stack pointer:
 *
 *      0  home area of the callee (32)      32  shadow stack pointer, 0 where there is none
 *     48  xmm6 to xmm15                    208  mxcsr (4), x87 control word (2)
 *    216  r15 r14 r13 r12 rdi rsi rbx rbp  280  return address
 *
 * If there is a user shadow stack, the code drops the return addresses of these frames there as
 * well. Without one rdsspq does nothing.
 */
#include "platform/windows/switch/nonvolatile.h"
        .text

        .macro  DROP_SHADOW     /* rsp: the saved stack pointer. Clobbers r10, r11. */
        xorl    %r10d, %r10d
        rdsspq  %r10
        testq   %r10, %r10
        jz      2f
        movq    32(%rsp), %r11
        subq    %r10, %r11
        shrq    $3, %r11
1:      movl    $255, %r10d
        cmpq    %r10, %r11
        cmovbq  %r11, %r10
        incsspq %r10
        subq    %r10, %r11
        jnz     1b
2:
        .endm

/* int sched_base(void **sp, void (*fn)(void *), void *arg)
 * Stores the stack position and calls fn(arg) there, which does not return. The result is what
 * sched_return is given. */
        .globl  sched_base
        .def    sched_base; .scl 2; .type 32; .endef
        .seh_proc sched_base
        .p2align 4
sched_base:
        PUSH_NONVOLATILE
        subq    $216, %rsp
        .seh_stackalloc 216
        .irp    n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  %xmm\n, 48+(\n-6)*16(%rsp)
        .seh_savexmm %xmm\n, 48+(\n-6)*16
        .endr
        .seh_endprologue
        stmxcsr 208(%rsp)
        fnstcw  212(%rsp)
        xorl    %eax, %eax
        rdsspq  %rax
        movq    %rax, 32(%rsp)
        movq    %rsp, (%rcx)
        movq    %rdx, %rax
        movq    %r8, %rcx
sched_call:
        callq   *%rax
.Lcalled:
        ud2
/* Calls rax by a push and a jump, for every context that starts at such a position. A call that
 * never returns would spoil the processor's prediction of returns. pre: there is no shadow
 * stack. */
        .globl  sched_jump
sched_jump:
        leaq    .Lcalled(%rip), %r11
        pushq   %r11
        jmp     *%rax
.Lback: .irp    n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  48+(\n-6)*16(%rsp), %xmm\n
        .endr
        ldmxcsr 208(%rsp)
        fldcw   212(%rsp)
        addq    $216, %rsp
        POP_NONVOLATILE
        retq
        .seh_endproc

/* sched_restart: drops what is above the position, which is in r10, and calls rax there, with the
 * arguments that are in their registers and the floating point modes a thread starts with. */
        .globl  sched_restart
        .def    sched_restart; .scl 2; .type 32; .endef
        .p2align 4
sched_restart:
        movq    %r10, %rsp
        ldmxcsr start_mxcsr(%rip)
        fnstcw  -8(%rsp)                /* to set the control word takes longer than to compare
                                         * it */
        cmpw    $0x027f, -8(%rsp)
        jne     4f
3:      xorl    %r10d, %r10d
        rdsspq  %r10
        testq   %r10, %r10
        jz      sched_jump
        DROP_SHADOW
        jmp     sched_call
4:      fldcw   start_x87(%rip)
        jmp     3b

/* void sched_return(void *sp, int result): lets sched_base return. */
        .globl  sched_return
        .def    sched_return; .scl 2; .type 32; .endef
        .p2align 4
sched_return:
        movq    %rcx, %rsp
        movl    %edx, %eax
        DROP_SHADOW
        jmp     .Lback

        .section .rdata, "dr"
        .p2align 2
        .globl  start_mxcsr
start_mxcsr:
        .long   0x1f80
start_x87:
        .word   0x027f
