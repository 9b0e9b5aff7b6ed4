/* SPDX-License-Identifier: MIT
 *
 * trap_resume.S - goes on behind a trapped call, with what the kernel's frame has (trap_entry.S).
 */
#include "platform/linux/libc/signal_frame.h"

        .text

/* void trap_resume(ucontext_t *trapped): `syscall` changes rcx and r11, so they are free. Once the
 * stack pointer is the program's, the frame may be overwritten. */
        .globl  trap_resume
        .hidden trap_resume
        .type   trap_resume, @function
        .balign 16
trap_resume:
        .cfi_startproc
        /* The unwind rules find each register where the frame has it: DW_OP_breg5, its place; the
         * stack pointer is the word there. */
        .cfi_escape 0x0f, 4, 0x75, 0xa0, 0x01, 0x06
        .cfi_escape 0x10, 16, 3, 0x75, 0xa8, 0x01
        .cfi_escape 0x10, 3, 3, 0x75, 0x80, 0x01
        .cfi_escape 0x10, 6, 3, 0x75, 0xf8, 0x00
        .cfi_escape 0x10, 12, 3, 0x75, 0xc8, 0x00
        .cfi_escape 0x10, 13, 3, 0x75, 0xd0, 0x00
        .cfi_escape 0x10, 14, 3, 0x75, 0xd8, 0x00
        .cfi_escape 0x10, 15, 3, 0x75, 0xe0, 0x00
        mov     CONTEXT_STATE(%rdi), %r8
        LOAD_STATE %r8
        pushq   CONTEXT_FLAGS(%rdi)
        popfq
        mov     CONTEXT_R8(%rdi), %r8
        mov     CONTEXT_R9(%rdi), %r9
        mov     CONTEXT_R10(%rdi), %r10
        mov     CONTEXT_R12(%rdi), %r12
        mov     CONTEXT_R13(%rdi), %r13
        mov     CONTEXT_R14(%rdi), %r14
        mov     CONTEXT_R15(%rdi), %r15
        mov     CONTEXT_RSI(%rdi), %rsi
        mov     CONTEXT_RBP(%rdi), %rbp
        mov     CONTEXT_RBX(%rdi), %rbx
        mov     CONTEXT_RDX(%rdi), %rdx
        mov     CONTEXT_RAX(%rdi), %rax
        mov     CONTEXT_RIP(%rdi), %rcx
        mov     CONTEXT_RSP(%rdi), %r11
        mov     CONTEXT_RDI(%rdi), %rdi
        .cfi_def_cfa r11, 0
        .cfi_register rip, rcx
        .cfi_same_value rbx
        .cfi_same_value rbp
        .cfi_same_value r12
        .cfi_same_value r13
        .cfi_same_value r14
        .cfi_same_value r15
        mov     %r11, %rsp
        .cfi_def_cfa rsp, 0
        jmp     *%rcx
        .cfi_endproc
        .size   trap_resume, . - trap_resume
        .section .note.GNU-stack, "", @progbits
