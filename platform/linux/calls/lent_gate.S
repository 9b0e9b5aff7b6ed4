/* SPDX-License-Identifier: MIT
 *
 * lent_gate.S - one system call, in a place of its own: lent_gate.h.
 *
 * For signal handlers that interrupt this code, rbx has `cancellable`, and rcx is 0 until the call
 * is made.
 */
        .text
        .globl  lent_gate
        .hidden lent_gate
        .type   lent_gate, @function
        .balign 16
lent_gate:
        .cfi_startproc
        push    %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        movzbl  %dl, %ebx
        mov     %rdi, %rax
        mov     %rsi, %r11
        mov     (%r11), %rdi
        mov     8(%r11), %rsi
        mov     16(%r11), %rdx
        mov     24(%r11), %r10
        mov     32(%r11), %r8
        mov     40(%r11), %r9
        xor     %ecx, %ecx
        syscall
        .globl  lent_gate_behind
        .hidden lent_gate_behind
lent_gate_behind:
        pop     %rbx
        .cfi_def_cfa_offset 8
        .cfi_same_value rbx
        ret
        .cfi_endproc
        .globl  lent_gate_end
        .hidden lent_gate_end
lent_gate_end:
        .size   lent_gate, . - lent_gate

        .section .note.GNU-stack, "", @progbits
