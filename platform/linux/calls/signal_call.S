/* SPDX-License-Identifier: MIT
 *
 * signal_call.S - calls a signal handler on another stack.
 *
 *   void signal_call_on(void *sp, void *fn, long number, siginfo_t *info, void *context);
 *                       rdi       rsi      rdx          rcx              r8
 * rbp leads to the caller's frame, for unwinders as well: a handler may end its thread, which
 * unwinds the stack.
 */
        .text
        .globl  signal_call_on
        .hidden signal_call_on
        .type   signal_call_on, @function
        .balign 16
signal_call_on:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register %rbp
        mov     %rdi, %rsp
        and     $-64, %rsp
        mov     %rsi, %rax
        mov     %rdx, %rdi
        mov     %rcx, %rsi
        mov     %r8, %rdx
        call    *%rax
        mov     %rbp, %rsp
        pop     %rbp
        .cfi_def_cfa %rsp, 8
        ret
        .cfi_endproc
        .size   signal_call_on, . - signal_call_on
        .section .note.GNU-stack, "", @progbits
