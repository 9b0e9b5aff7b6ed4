/* SPDX-License-Identifier: MIT
 *
 * signal_call.S - calling a signal handler on another stack, and the detour that a worker takes through its
 * handlers (ctx_detour).
 *
 *   void signal_call_on(void *sp, void *fn, long number, siginfo_t *info, void *context);
 *                       rdi       rsi      rdx          rcx              r8
 * The caller's frame is found through rbp, by unwinders as well: a handler may end its thread.
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

/* The return address of a context that runs its handlers first: rbx is the saved frame above, where it
 * goes on. To an unwinder it is called from there. */
        .globl  ctx_detour
        .hidden ctx_detour
        .type   ctx_detour, @function
        .balign 16
        .cfi_startproc
        .cfi_def_cfa rbx, 64
        .cfi_offset rip, -8
        .cfi_offset rbp, -16
        .cfi_offset rbx, -24
        .cfi_offset r12, -32
        .cfi_offset r13, -40
        .cfi_offset r14, -48
        .cfi_offset r15, -56
        nop
ctx_detour:
        call    signals_detour
        mov     %rbx, %rdi
        mov     %rax, %rsi
        jmp     ctx_load
        .cfi_endproc
        .size   ctx_detour, . - ctx_detour

        .section .note.GNU-stack, "", @progbits
