/* SPDX-License-Identifier: MIT
 *
 * program_gate.S - one system call of the program's, made in its name: program_gate.h, open_gate.h.
 */
        .text

        .macro  GATE name
        .globl  \name
        .hidden \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        mov     %rsi, %rax
        push    40(%rax)
        .cfi_def_cfa_offset 16
        mov     (%rax), %rsi
        mov     8(%rax), %rdx
        mov     16(%rax), %rcx
        mov     24(%rax), %r8
        mov     32(%rax), %r9
        call    raw_syscall
        .globl  \name\()_behind
        .hidden \name\()_behind
\name\()_behind:
        add     $8, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        GATE    program_gate
        GATE    open_gate

        .section .note.GNU-stack, "", @progbits
