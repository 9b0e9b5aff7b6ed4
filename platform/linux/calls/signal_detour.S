/* SPDX-License-Identifier: MIT
 *
 * signal_detour.S - the detour that a worker takes through its handlers, ahead of going on in a
 * saved frame.
 */
        .text
/* A context whose return address is ctx_detour runs its handlers first. rbx is the saved frame
 * above, where the worker goes on then. An unwinder sees the detour as called from that frame. */
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
