/* SPDX-License-Identifier: MIT
 *
 * exception_load.S - loads the registers of a CONTEXT.
 */
#include "winapi/linux/exception_context.h"

        .text

/* void win__registers_load(const CONTEXT *): loads all registers. iret loads the stack pointer
 * together with the program counter. */
        .globl  win__registers_load
        .hidden win__registers_load
        .type   win__registers_load, @function
        .balign 16
win__registers_load:
        .cfi_startproc
        .cfi_undefined rip
        fxrstor64 IN_CONTEXT_STATE(%rdi)
        mov     %ss, %eax
        push    %rax
        push    IN_CONTEXT_RSP(%rdi)
        mov     IN_CONTEXT_EFLAGS(%rdi), %eax
        push    %rax
        mov     %cs, %eax
        push    %rax
        push    IN_CONTEXT_RIP(%rdi)
        mov     IN_CONTEXT_RAX(%rdi), %rax
        mov     IN_CONTEXT_RCX(%rdi), %rcx
        mov     IN_CONTEXT_RDX(%rdi), %rdx
        mov     IN_CONTEXT_RBX(%rdi), %rbx
        mov     IN_CONTEXT_RBP(%rdi), %rbp
        mov     IN_CONTEXT_RSI(%rdi), %rsi
        mov     IN_CONTEXT_R8(%rdi), %r8
        mov     IN_CONTEXT_R9(%rdi), %r9
        mov     IN_CONTEXT_R10(%rdi), %r10
        mov     IN_CONTEXT_R11(%rdi), %r11
        mov     IN_CONTEXT_R12(%rdi), %r12
        mov     IN_CONTEXT_R13(%rdi), %r13
        mov     IN_CONTEXT_R14(%rdi), %r14
        mov     IN_CONTEXT_R15(%rdi), %r15
        mov     IN_CONTEXT_RDI(%rdi), %rdi
        iretq
        .cfi_endproc
        .size   win__registers_load, . - win__registers_load
        .section .note.GNU-stack, "", @progbits
