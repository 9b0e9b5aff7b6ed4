/* SPDX-License-Identifier: MIT
 *
 * guard_entry.S - the handler of SIGSEGV where thread pointers are guarded: os/thread_pointer.h.
 *
 * It runs on whichever thread faults. A thread whose thread pointer is the guard is a carrier. The
 * handler loads the thread pointer of the context that the carrier carries, before it touches
 * thread-local data. If the fault was in the fence, no more is to do: the thread makes the access
 * again. Any other fault is the program's.
 *
 * The handler of another signal that comes together with the fault runs first. In it another fault,
 * or the return of a system call (raw.S), may load the thread pointer. So the thread makes an
 * access in the fence again even if its thread pointer is not the guard. Its record notes the
 * instruction until the thread pointer is loaded again, here or there. An instruction that faults
 * while the record has it does not fault because of the guard: it uses a wild pointer of the
 * program's.
 *
 * The kernel has changed no mask for this handler, so the code here can do the work of
 * rt_sigreturn. That is cheaper, and a program that has its system calls dispatched to itself is
 * not told of a call that it has not made.
 *
 * The addresses here are the library's, so the stop signal does not act here (stop.c).
 */
#include "platform/linux/libc/signal_frame.h"
#include "platform/linux/os/thread_pointer.h"

#define INFO_CODE    8
#define INFO_ADDRESS 16

        .text

/* Jumps to \otherwise unless the fault was in the fence. Clobbers rax. */
        .macro  IN_FENCE otherwise
        cmpl    $0, INFO_CODE(%rsi)
        jle     \otherwise
        mov     INFO_ADDRESS(%rsi), %rax
        sub     thread_pointer_fence(%rip), %rax
        cmp     thread_pointer_fence_bytes(%rip), %rax
        jae     \otherwise
        .endm

/* void guard_entry(int number, siginfo_t *info, void *context) */
        .globl  guard_entry
        .hidden guard_entry
        .type   guard_entry, @function
        .balign 16
guard_entry:
        .cfi_startproc
        rdfsbase %rax
        cmp     thread_pointer_guard(%rip), %rax
        jne     1f
        mov     %gs:0, %rcx
        wrfsbase %rcx
        movq    $0, %gs:THREAD_POINTER_RETRIED
        IN_FENCE 2f
        jmp     3f
1:      rdgsbase %rax
        sub     thread_pointer_records(%rip), %rax
        cmp     $THREAD_POINTER_RECORDS_BYTES, %rax
        jae     2f
        IN_FENCE 2f
        mov     CONTEXT_RIP(%rdx), %rax
        cmp     %gs:THREAD_POINTER_RETRIED, %rax
        je      2f
        mov     %rax, %gs:THREAD_POINTER_RETRIED
        jmp     3f
2:      jmp     fault_entry

        /* Back, without the kernel: iret loads the stack pointer together with the program
         * counter. */
3:      mov     %ss, %eax
        push    %rax
        .cfi_adjust_cfa_offset 8
        pushq   CONTEXT_RSP(%rdx)
        .cfi_adjust_cfa_offset 8
        pushq   CONTEXT_FLAGS(%rdx)
        .cfi_adjust_cfa_offset 8
        mov     %cs, %eax
        push    %rax
        .cfi_adjust_cfa_offset 8
        pushq   CONTEXT_RIP(%rdx)
        .cfi_adjust_cfa_offset 8
        mov     %rdx, %rsi
        mov     CONTEXT_STATE(%rsi), %rcx
        LOAD_STATE %rcx
        mov     CONTEXT_RAX(%rsi), %rax
        mov     CONTEXT_RCX(%rsi), %rcx
        mov     CONTEXT_RDX(%rsi), %rdx
        mov     CONTEXT_RDI(%rsi), %rdi
        mov     CONTEXT_RSI(%rsi), %rsi
        iretq
        .cfi_endproc
        .size   guard_entry, . - guard_entry
        .section .note.GNU-stack, "", @progbits
