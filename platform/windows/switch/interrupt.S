/* SPDX-License-Identifier: MIT
 *
 * interrupt.S - where a hosted worker goes on when another thread has interrupted it.
 *
 * It looks like a call from the interrupted instruction. interrupt_run gets the address of the
 * frame (struct interrupt_frame), fills in the return address, and returns when the worker is to go
 * on. The code keeps all registers and whatever else XSAVE stores.
 */
        .text
        .globl  interrupt_entry
        .def    interrupt_entry; .scl 2; .type 32; .endef
        .seh_proc interrupt_entry
        .p2align 4
interrupt_entry:
        pushq   $0                      /* the return address, for now */
        pushfq
        .seh_stackalloc 8
        pushq   %rax
        .seh_stackalloc 8
        pushq   %rcx
        .seh_stackalloc 8
        pushq   %rdx
        .seh_stackalloc 8
        pushq   %rbx
        .seh_pushreg %rbx
        pushq   %rbp
        .seh_pushreg %rbp
        pushq   %rsi
        .seh_pushreg %rsi
        pushq   %rdi
        .seh_pushreg %rdi
        pushq   %r8
        .seh_stackalloc 8
        pushq   %r9
        .seh_stackalloc 8
        pushq   %r10
        .seh_stackalloc 8
        pushq   %r11
        .seh_stackalloc 8
        pushq   %r12
        .seh_pushreg %r12
        pushq   %r13
        .seh_pushreg %r13
        pushq   %r14
        .seh_pushreg %r14
        pushq   %r15
        .seh_pushreg %r15
        movq    %rsp, %rbp
        .seh_setframe %rbp, 0
        .seh_endprologue
        cld
        andq    $-64, %rsp
        movl    interrupt_state_bytes(%rip), %eax       /* a multiple of 64 */
        movq    %rsp, %rcx
        subq    %rax, %rcx
1:      cmpq    $4096, %rax             /* page by page, as a stack has to grow */
        jbe     2f
        subq    $4096, %rsp
        orq     $0, (%rsp)
        subq    $4096, %rax
        jmp     1b
2:      movq    %rcx, %rsp
        xorl    %eax, %eax
        .irp    n, 0, 8, 16, 24, 32, 40, 48, 56
        movq    %rax, 512+\n(%rsp)
        .endr
        movl    $-1, %eax
        movl    $-1, %edx
        xsave64 (%rsp)
        fninit                          /* the contexts that run next need an empty x87 stack */
        ldmxcsr start_mxcsr(%rip)
        movq    %rbp, %rcx
        movq    %rsp, %rdx
        subq    $32, %rsp
        callq   interrupt_run
        addq    $32, %rsp
        movl    $-1, %eax
        movl    $-1, %edx
        xrstor64 (%rsp)
        movq    %rbp, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rbp
        popq    %rbx
        popq    %rdx
        popq    %rcx
        popq    %rax
        popfq
        retq
        .seh_endproc
