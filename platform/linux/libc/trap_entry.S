/* SPDX-License-Identifier: MIT
 *
 * trap_entry.S - the handler of SIGSYS: how a call that the filter stops comes to C, and how it
 * goes on.
 *
 * The kernel's frame has all registers and the processor's extended state, and the kernel has
 * changed nothing else: the handler's mask is empty. The frame is on the carrier's stack.
 * trap_place moves it to where the context may leave its scheduler (signal_frame.h). trap_resume
 * does the work of rt_sigreturn: it is cheaper, and a worker may come back on another carrier,
 * whose alternate stack is not that in the frame.
 *
 * The addresses here are the library's, so the stop signal does not act here (stop.c). Unwinders
 * come through by libc's mark of a signal frame, to which the handler would return. This code does
 * not keep registers as a function does: the frame has all of them.
 */
#include "platform/linux/libc/signal_frame.h"
#include "platform/linux/traps/filter.h"

#define INFO_ERRNO 4
#define INFO_CODE  8
#define SYS_SECCOMP 1
#define MESSAGE_IS_LATE 1 /* enum message */
#define MESSAGE_IS_CALL 2

        .text

/* void trap_entry(int number, siginfo_t *info, void *context) */
        .globl  trap_entry
        .hidden trap_entry
        .type   trap_entry, @function
        .balign 16
trap_entry:
        .cfi_startproc
        cld
        mov     %edi, %r13d
        mov     %rsi, %r12
        mov     %rdx, %rbx
        sub     $8, %rsp
        .cfi_def_cfa_offset 16
        cmpl    $SYS_SECCOMP, INFO_CODE(%rsi)
        jne     2f
        cmpl    $TRAP_MARK, INFO_ERRNO(%rsi)
        jne     4f
3:      mov     %r12, %rdi
        mov     %rbx, %rsi
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
2:      mov     %rsi, %rdi
        mov     %rdx, %rsi
        call    trap_message
        cmp     $MESSAGE_IS_CALL, %eax
        je      3b
        cmp     $MESSAGE_IS_LATE, %eax
        jne     4f
        add     $8, %rsp /* the kernel's frame is as it was: back to where the signal came */
        .cfi_def_cfa_offset 8
        ret
        .cfi_def_cfa_offset 16
4:      mov     %r13d, %edi
        mov     %r12, %rsi
        mov     %rbx, %rdx
        add     $8, %rsp
        .cfi_def_cfa_offset 8
        jmp     fault_entry
        .cfi_endproc
        .size   trap_entry, . - trap_entry
        .section .note.GNU-stack, "", @progbits
