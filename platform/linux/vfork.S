/* SPDX-License-Identifier: MIT
 *
 * vfork.S - vfork before libc's. libc's own must be jumped to with the caller's frame on top: child and
 * parent both return through it, on one stack, so no function of ours may have a frame there.
 */
        .text
        .globl  vfork
        .type   vfork, @function
        .balign 16
vfork:
        .cfi_startproc
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    vfork_function
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   vfork, . - vfork
        .section .note.GNU-stack, "", @progbits
