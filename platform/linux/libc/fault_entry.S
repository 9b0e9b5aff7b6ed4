/* SPDX-License-Identifier: MIT
 *
 * fault_entry.S - the handler of kept signals that are the program's: signal_frame.h,
 * signals/kept_action.h.
 *
 * fault_place moves the frame to the stack where the program's handler is to run, and
 * kept_action_serve carries out the program's action. A moved frame goes back to the kernel here.
 * The context may be on another carrier by then, so kept_action_serve has put that carrier's
 * alternate stack into the frame. From there to the return the carrier must not change. The
 * addresses here are the library's, so the stop signal does not act here (stop.c).
 *
 * This code does not keep registers as a function does: the frame has all of them.
 */
#include "platform/linux/libc/signal_frame.h"

#define SYS_rt_sigreturn 15

        .text

/* void fault_entry(int number, siginfo_t *info, void *context) */
        .globl  fault_entry
        .hidden fault_entry
        .type   fault_entry, @function
        .balign 16
fault_entry:
        .cfi_startproc
        cld
        mov     %edi, %r13d
        mov     %rsi, %r12
        mov     %rdx, %rbx
        xor     %r14d, %r14d
        sub     $8, %rsp
        .cfi_def_cfa_offset 16
        call    fault_place
        cmp     %rbx, %rax
        je      2f
        test    %rax, %rax
        jz      1f
        lea     -8(%rax), %rsp
        lea     SIGNAL_FRAME_CONTEXT(%rax), %rbx
        lea     SIGNAL_FRAME_INFO(%rax), %r12
        mov     $1, %r14d
1:      mov     %r13d, %edi
        mov     %r12, %rsi
        mov     %rbx, %rdx
        call    kept_action_serve
        test    %r14d, %r14d
        jz      2f
        add     $16, %rsp
        .cfi_def_cfa_offset 0
        mov     $SYS_rt_sigreturn, %eax
        syscall
        ud2
        .cfi_def_cfa_offset 16
2:      add     $8, %rsp
        .cfi_def_cfa_offset 8
        ret
        .cfi_endproc
        .size   fault_entry, . - fault_entry
        .section .note.GNU-stack, "", @progbits
