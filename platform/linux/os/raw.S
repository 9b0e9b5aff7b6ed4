/* SPDX-License-Identifier: MIT
 *
 * raw.S - the one place from which the engine makes system calls.
 *
 *   long raw_syscall(long nr, long a1, long a2, long a3, long a4, long a5, long a6);
 *
 * The filter lets a trapped call through when it was made here: seccomp reports the address after
 * the instruction, raw_syscall_ip. Returns what the kernel returns; errno is not touched.
 * A carrier that has slept in the call may come back with the guard as its thread pointer
 * (thread_pointer.h). Then this loads the carrier's own. The signal at the next access would do so,
 * too, but costs a thousand times as much.
 */
#include "platform/linux/os/thread_pointer.h"

        .text
        .globl  raw_syscall
        .hidden raw_syscall
        .type   raw_syscall, @function
        .balign 16
raw_syscall:
        .cfi_startproc
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        mov     %rcx, %rdx
        mov     %r8, %r10
        mov     %r9, %r8
        mov     8(%rsp), %r9
        syscall
        .globl  raw_syscall_ip
        .hidden raw_syscall_ip
raw_syscall_ip:
        cmpb    $THREAD_POINTER_GUARDED, thread_pointer_way(%rip)
        je      1f
        ret
1:      rdfsbase %rcx
        cmp     thread_pointer_guard(%rip), %rcx
        jne     2f
        mov     %gs:0, %rcx
        wrfsbase %rcx
        movq    $0, %gs:THREAD_POINTER_RETRIED
2:      ret
        .cfi_endproc
        .size   raw_syscall, . - raw_syscall

/* thread_pointer.c writes them, once. They lie here, because this file is below all others. */
        .bss
        .globl  thread_pointer_guard, thread_pointer_way
        .hidden thread_pointer_guard, thread_pointer_way
        .type   thread_pointer_guard, @object
        .type   thread_pointer_way, @object
        .balign 64
thread_pointer_guard:
        .zero   8
        .size   thread_pointer_guard, 8
thread_pointer_way:
        .zero   1
        .size   thread_pointer_way, 1
        .section .note.GNU-stack, "", @progbits
