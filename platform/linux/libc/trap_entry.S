/* SPDX-License-Identifier: MIT
 *
 * trap_entry.S - the handler of SIGSYS: how a trapped call comes to C, and how it goes on.
 *
 * The kernel's frame has all registers and the processor's extended state, and the kernel has changed nothing else: the
 * handler's mask is empty. It is on the carrier's stack, and moves to where the context may leave its scheduler
 * (signal_frame.h). What rt_sigreturn would do is done by trap_resume. That is cheaper; and a worker comes back on
 * whatever carrier it was executed on, whose alternate stack is not that in the frame.
 *
 * Addresses here are the library's: the signal that stops workers does not act here (stop.c). Unwinders come through
 * by libc's mark of a signal frame, to which the handler would return. Registers that a function keeps are not kept:
 * the frame has all of them.
 */
#include "platform/linux/libc/signal_frame.h"
#include "platform/linux/traps/filter.h"

#define INFO_ERRNO 4
#define INFO_CODE  8
#define SYS_SECCOMP 1

        .text

/* void trap_entry(int number, siginfo_t *info, void *context) */
        .globl  trap_entry
        .hidden trap_entry
        .type   trap_entry, @function
        .balign 16
trap_entry:
        .cfi_startproc
        cmpl    $SYS_SECCOMP, INFO_CODE(%rsi)
        jne     fault_entry
        cmpl    $TRAP_MARK, INFO_ERRNO(%rsi)
        jne     fault_entry
        cld
        mov     %rsi, %r12
        mov     %rdx, %rbx
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        sub     $8, %rsp
        .cfi_def_cfa_offset 16
        call    trap_place
        test    %rax, %rax
        jz      1f
        lea     -8(%rax), %rsp
        lea     SIGNAL_FRAME_CONTEXT(%rax), %rbx
        lea     SIGNAL_FRAME_INFO(%rax), %r12
1:      mov     %r12, %rdi
        mov     %rbx, %rsi
        call    trap_serve
        mov     %rbx, %rdi
        jmp     trap_resume
        .cfi_endproc
        .size   trap_entry, . - trap_entry
        .section .note.GNU-stack, "", @progbits
