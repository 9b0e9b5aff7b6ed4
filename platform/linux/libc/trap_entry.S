/* SPDX-License-Identifier: MIT
 *
 * trap_entry.S - the handler of SIGSYS: how a trapped call comes to C, and how it goes on.
 *
 * The kernel has put a frame below the red zone of the trapped stack, with all registers and the processor's extended
 * state in it, and has changed nothing else: the handler's mask is empty, and it has no stack of its own. So what
 * rt_sigreturn would do is done here. That is cheaper; and a worker comes back on whatever carrier it was executed
 * on, whose mask and alternate stack are not those in the frame.
 *
 * Addresses here are the library's: the signal that stops workers does not act here (stop.c). Unwinders come through
 * by libc's mark of a signal frame, to which the handler returns.
 */
        .text

/* void trap_entry(int number, siginfo_t *info, void *context) */
        .globl  trap_entry
        .hidden trap_entry
        .type   trap_entry, @function
        .balign 16
trap_entry:
        .cfi_startproc
        push    %rbx
        .cfi_def_cfa_offset 16
        .cfi_offset rbx, -16
        mov     %rdx, %rbx
        cld
        call    trap_serve
        mov     %rbx, %rdi
        test    %al, %al
        jnz     trap_resume
        pop     %rbx
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   trap_entry, . - trap_entry
        .section .note.GNU-stack, "", @progbits
