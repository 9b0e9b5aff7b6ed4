/* SPDX-License-Identifier: MIT
 *
 * jumps.S - fronts that must not be on the stack when libc's function runs.
 *
 *   vfork          child and parent return through one frame, one after the other: the caller's.
 *   dlopen, dlsym  look at their caller: its run path counts, and the modules after it in the
 *                  order.
 *
 * Each calls name_function first, which returns the function to go on at. For dlopen and dlsym it
 * may return NULL and store an answer instead: then they return that answer.
 */

        .macro  GO_ON name
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    \name\()_function
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        jmp     *%rax
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .macro  GO_ON_FROM name
        .globl  \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        mov     (%rsp), %rdx            /* its caller */
        push    %rdi
        .cfi_adjust_cfa_offset 8
        push    %rsi
        .cfi_adjust_cfa_offset 8
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        mov     %rsp, %rcx              /* where to store an answer */
        call    \name\()_function
        mov     (%rsp), %rdx
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
        pop     %rsi
        .cfi_adjust_cfa_offset -8
        pop     %rdi
        .cfi_adjust_cfa_offset -8
        test    %rax, %rax
        jz      1f
        jmp     *%rax
1:      mov     %rdx, %rax
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .text
        GO_ON   vfork
        GO_ON   __vfork
        GO_ON_FROM dlopen
        GO_ON_FROM dlsym
        .section .note.GNU-stack, "", @progbits
