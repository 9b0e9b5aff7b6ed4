/* SPDX-License-Identifier: MIT
 *
 * bare_clone.S - how a thread of bare_thread.c begins and ends, and one that begins in a program's
 * own clone. It is assembly because such a thread has no stack for C yet, or no more. The filter
 * that traps lets both clone calls through by their addresses.
 */
#define SYS_munmap 11
#define SYS_rt_sigprocmask 14
#define SYS_clone  56
#define SYS_exit   60
#define SIG_SETMASK 2

        .text

/* long bare_clone(unsigned long flags, void *stack, uintptr_t fs, void (*main)(void *), void *arg)
 *                                rdi          rsi           rdx              rcx               r8
 * The thread id, or -errno. The new thread calls main(arg), which does not return. */
        .globl  bare_clone
        .hidden bare_clone
        .type   bare_clone, @function
        .balign 16
bare_clone:
        .cfi_startproc
        mov     %rcx, -8(%rsi)
        mov     %r8, -16(%rsi)
        sub     $16, %rsi
        mov     %rdx, %r8
        xor     %edx, %edx
        xor     %r10d, %r10d
        mov     $SYS_clone, %eax
        syscall
        .globl  bare_clone_ip
        .hidden bare_clone_ip
bare_clone_ip:
        test    %rax, %rax
        jz      1f
        ret
1:      .cfi_undefined rip
        xor     %ebp, %ebp
        pop     %rdi
        pop     %rax
        call    *%rax
        ud2
        .cfi_endproc
        .size   bare_clone, . - bare_clone

/* long bare_clone_into(unsigned long flags,      rdi
 *                      struct bare_start *start, rsi
 *                      int *parent_tid,          rdx
 *                      int *child_tid,           rcx
 *                      uintptr_t fs)             r8
 * Makes the clone as the program does. The child goes on with the registers at `start`
 * (bare_thread.h), and its stack begins where they end. */
        .globl  bare_clone_into
        .hidden bare_clone_into
        .type   bare_clone_into, @function
        .balign 16
bare_clone_into:
        .cfi_startproc
        mov     %rcx, %r10
        mov     $SYS_clone, %eax
        syscall
        .globl  bare_clone_into_ip
        .hidden bare_clone_into_ip
bare_clone_into_ip:
        test    %rax, %rax
        jz      1f
        ret
1:      .cfi_undefined rip
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        mov     8(%rsp), %r8
        test    %r8, %r8
        jz      2f
        movq    $0, (%r8)
        mov     $SIG_SETMASK, %edi
        lea     16(%rsp), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        mov     $SYS_rt_sigprocmask, %eax
        syscall
        xor     %eax, %eax
2:      add     $24, %rsp
        pop     %r8
        pop     %r9
        pop     %r10
        pop     %r12
        pop     %r13
        pop     %r14
        pop     %r15
        pop     %rdi
        pop     %rsi
        pop     %rbp
        pop     %rbx
        pop     %rdx
        popfq
        ret
        .cfi_endproc
        .size   bare_clone_into, . - bare_clone_into

/* void bare_exit(void *memory, size_t bytes): unmaps the stack that it is called on, and ends.
 * Every signal is blocked. */
        .globl  bare_exit
        .hidden bare_exit
        .type   bare_exit, @function
        .balign 16
bare_exit:
        .cfi_startproc
        mov     $SYS_munmap, %eax
        syscall
        xor     %edi, %edi
        mov     $SYS_exit, %eax
        syscall
        ud2
        .cfi_endproc
        .size   bare_exit, . - bare_exit

        .section .note.GNU-stack, "", @progbits
