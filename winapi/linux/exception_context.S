/* SPDX-License-Identifier: MIT
 *
 * exception_context.S - RtlCaptureContext and RaiseException, which store the registers in a
 * CONTEXT.
 */

#include "winapi/linux/exception_context.h"

        .text

/* Stores all registers but rsp, rip and rbp in the CONTEXT at \to, which is rdi or rsp. rax is
 * lost. */
        .macro  STORE to
        mov     %rax, IN_CONTEXT_RAX(\to)
        pushfq
        pop     %rax
        mov     %eax, IN_CONTEXT_EFLAGS(\to)
        mov     %rcx, IN_CONTEXT_RCX(\to)
        mov     %rdx, IN_CONTEXT_RDX(\to)
        mov     %rbx, IN_CONTEXT_RBX(\to)
        mov     %rsi, IN_CONTEXT_RSI(\to)
        mov     %rdi, IN_CONTEXT_RDI(\to)
        mov     %r8, IN_CONTEXT_R8(\to)
        mov     %r9, IN_CONTEXT_R9(\to)
        mov     %r10, IN_CONTEXT_R10(\to)
        mov     %r11, IN_CONTEXT_R11(\to)
        mov     %r12, IN_CONTEXT_R12(\to)
        mov     %r13, IN_CONTEXT_R13(\to)
        mov     %r14, IN_CONTEXT_R14(\to)
        mov     %r15, IN_CONTEXT_R15(\to)
        fxsave64 IN_CONTEXT_STATE(\to)
        stmxcsr IN_CONTEXT_MXCSR(\to)
        mov     %cs, IN_CONTEXT_CS(\to)
        mov     %ds, IN_CONTEXT_DS(\to)
        mov     %es, IN_CONTEXT_ES(\to)
        mov     %fs, IN_CONTEXT_FS(\to)
        mov     %gs, IN_CONTEXT_GS(\to)
        mov     %ss, IN_CONTEXT_SS(\to)
        movl    $FULL_AND_SEGMENTS, IN_CONTEXT_FLAGS(\to)
        .endm

/* VOID RtlCaptureContext(PCONTEXT): the caller's registers, as they are after the call. */
        .globl  RtlCaptureContext
        .type   RtlCaptureContext, @function
        .balign 16
RtlCaptureContext:
        .cfi_startproc
        STORE   %rdi
        mov     %rbp, IN_CONTEXT_RBP(%rdi)
        lea     8(%rsp), %rax
        mov     %rax, IN_CONTEXT_RSP(%rdi)
        mov     (%rsp), %rax
        mov     %rax, IN_CONTEXT_RIP(%rdi)
        mov     IN_CONTEXT_RAX(%rdi), %rax
        ret
        .cfi_endproc
        .size   RtlCaptureContext, . - RtlCaptureContext

/* VOID RaiseException(DWORD, DWORD, DWORD, const ULONG_PTR *): stores the registers as they are
 * after the call, and calls win__raise. */
        .globl  RaiseException
        .type   RaiseException, @function
        .balign 16
RaiseException:
        .cfi_startproc
        push    %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        mov     %rsp, %rbp
        .cfi_def_cfa_register rbp
        sub     $CONTEXT_BYTES, %rsp
        and     $-16, %rsp
        STORE   %rsp
        mov     (%rbp), %rax
        mov     %rax, IN_CONTEXT_RBP(%rsp)
        lea     16(%rbp), %rax
        mov     %rax, IN_CONTEXT_RSP(%rsp)
        mov     8(%rbp), %rax
        mov     %rax, IN_CONTEXT_RIP(%rsp)
        mov     %rsp, %r8
        call    win__raise
        ud2
        .cfi_endproc
        .size   RaiseException, . - RaiseException
        .section .note.GNU-stack, "", @progbits
