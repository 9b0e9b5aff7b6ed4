/* SPDX-License-Identifier: MIT
 *
 * signal_jump.S - fronts of functions that save the caller's frame. Each notes the mask, then jumps
 * into libc's function. That finds registers, stack and return address as if the program had called
 * it.
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
