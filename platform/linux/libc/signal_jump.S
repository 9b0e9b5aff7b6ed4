/* SPDX-License-Identifier: MIT
 *
 * signal_jump.S - functions that save the caller's frame: our note first, then a jump into libc's
 * own, which finds registers, stack and return address as if it had been called itself.
 */
        .text

        .macro  NOTE_AND_JUMP name, note
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    \note
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   \name, . - \name
        .endm

        NOTE_AND_JUMP __sigsetjmp, signal_note_jump
        NOTE_AND_JUMP getcontext, signal_note_context
        NOTE_AND_JUMP swapcontext, signal_swap_context
        NOTE_AND_JUMP setcontext, signal_set_context

        .section .note.GNU-stack, "", @progbits
