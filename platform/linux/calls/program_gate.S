/* SPDX-License-Identifier: MIT
 *
 * program_gate.S - one system call of the program's, made in its name: program_gate.h.
 */
        .text
        .globl  program_gate
        .hidden program_gate
        .type   program_gate, @function
        .balign 16
program_gate:
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
        .globl  program_gate_behind
        .hidden program_gate_behind
program_gate_behind:
        add     $8, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   program_gate, . - program_gate

        .section .note.GNU-stack, "", @progbits
