/* SPDX-License-Identifier: MIT
 *
 * inplace.S - leaving a stack for another one and coming back: the parts of in-place switching that
 * C cannot express.
 *
 * A context that does not run has a frame on top of its stack, which struct saved_frame in frames.h
 * mirrors. Offsets from the saved stack pointer:
 *
 *      0  xmm6 to xmm15                      160  mxcsr (4), x87 control word (2)
 *    184  r15 r14 r13 r12 rdi rsi rbx rbp    248  return address
 */
#include "platform/windows/switch/nonvolatile.h"
        .text

/* int inplace_switch(void **saved, void *sp, void (*run)(void *arg), void *arg)
 * Saves what a call must preserve, stores the stack pointer, and calls run(arg) at the stack
 * position of a sched_base; run does not return. The result is 1, when the context is resumed. */
        .globl  inplace_switch
        .def    inplace_switch; .scl 2; .type 32; .endef
        .seh_proc inplace_switch
        .p2align 4
inplace_switch:
        PUSH_NONVOLATILE
        subq    $184, %rsp
        .seh_stackalloc 184
        .irp    n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  %xmm\n, (\n-6)*16(%rsp)
        .seh_savexmm %xmm\n, (\n-6)*16
        .endr
        .seh_endprologue
        stmxcsr 160(%rsp)
        fnstcw  164(%rsp)
        movq    %rsp, (%rcx)
        movq    %r9, %rcx
        movq    %rdx, %rsp
        movq    %r8, %rax
        jmp     sched_jump
        .seh_endproc

/* The frame at rcx, but for its return address. */
        .macro  LOAD_FRAME
        .irp    n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movaps  (\n-6)*16(%rcx), %xmm\n
        .endr
        ldmxcsr 160(%rcx)
        fnstcw  168(%rcx)               /* to set the control word takes longer than to compare
                                         * it */
        movzwl  164(%rcx), %eax
        cmpw    168(%rcx), %ax
        je      1f
        fldcw   164(%rcx)
1:      movq    184(%rcx), %r15
        movq    192(%rcx), %r14
        movq    200(%rcx), %r13
        movq    208(%rcx), %r12
        movq    216(%rcx), %rdi
        movq    224(%rcx), %rsi
        movq    232(%rcx), %rbx
        movq    240(%rcx), %rbp
        movl    $1, %eax
        .endm

/* int inplace_resume(void *saved): the context goes on where it left, with 1 as the result. It ends
 * in a jump: the processor would predict a return from the calls of the context that ran before,
 * and be wrong. */
        .globl  inplace_resume
        .def    inplace_resume; .scl 2; .type 32; .endef
        .p2align 4
inplace_resume:
        LOAD_FRAME
        movq    248(%rcx), %rdx
        leaq    256(%rcx), %rsp
        jmp     *%rdx

/* The same for a context that left in a wait, with many calls on its stack. The worker that ran on
 * the thread before is likely to have left from the same calls. So the return addresses that the
 * processor has kept predict this context's returns rightly. Only the call of ExecuteUmsThread,
 * which has not returned, lies above them. The first return here, which is mispredicted, takes it
 * away; the second one returns to the context. All other calls on the way here are jumps, for this
 * reason. */
        .globl  inplace_resume_deep
        .def    inplace_resume_deep; .scl 2; .type 32; .endef
        .p2align 4
inplace_resume_deep:
        LOAD_FRAME
        leaq    240(%rcx), %rsp
        leaq    1f(%rip), %rdx
        movq    %rdx, (%rsp)
        retq
1:      retq

/* A new worker's frame returns here: it calls rsi(rbx), which does not return. A walk of the stack
 * takes this for the frame of sched_base on the worker's own thread, INPLACE_GAP bytes further
 * down. So the walk, and the search for an exception's handler, go on with sched_base's caller. */
#include "platform/windows/switch/inplace_gap.h"
        .globl  inplace_begin
        .def    inplace_begin; .scl 2; .type 32; .endef
        .seh_proc inplace_walked
        .p2align 4
inplace_walked:
        .seh_pushreg %rbp
        .seh_pushreg %rbx
        .seh_pushreg %rsi
        .seh_pushreg %rdi
        .seh_pushreg %r12
        .seh_pushreg %r13
        .seh_pushreg %r14
        .seh_pushreg %r15
        .seh_stackalloc 216 + INPLACE_GAP
        .irp    n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        .seh_savexmm %xmm\n, INPLACE_GAP+48+(\n-6)*16
        .endr
        .seh_endprologue
        nop
inplace_begin:
        movq    %rbx, %rcx
        callq   *%rsi
        ud2
        .seh_endproc
