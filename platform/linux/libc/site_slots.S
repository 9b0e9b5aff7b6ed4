/* SPDX-License-Identifier: MIT
 *
 * site_slots.S - the slots that rewritten call sites jump to, and the way from there to C.
 *
 * A slot, filled by sites.c:
 *
 *         the lead and what follows it, as they stood
 *         mov     %fs:current, %rcx   rcx is free: `syscall` changes rcx and r11
 *         jrcxz   1f
 *         lea     behind the syscall(%rip), %rcx
 *         jmp     site_stub
 *     1:  jmp     the syscall
 *         (at 56) .quad behind the syscall
 *
 * or, for the function that libc's cancellable calls share, at its beginning, where no code needs
 * the flags:
 *
 *         cmpq    $0, %fs:current
 *         jne     1f
 *         jmp     behind the lead
 *     1:  lea     behind the lead(%rip), %r11
 *         jmp     site_shared_stub
 *         (at 56) .quad behind the lead
 *
 * So a plain thread pays a load and a branch that changes no flags, and makes its call where it
 * always did: a debugger sees it there, and it returns there from a signal.
 *
 * site_stub decides for a UMS thread. It uses no byte of stack, and keeps the flags in ax. It goes
 * back to the `syscall`, which the filter then sees, in two cases: the library does not take calls
 * of this number, or the stack pointer is not within the part of the worker's own stack that has
 * room (another stack, an alternate one, near the guard page, the home's share). Else it goes on to
 * site_door, which skips the red zone, keeps all registers, flags and the processor's extended
 * state, and calls sites_call. If the arguments say that the call does not wait, site_door goes
 * back to the `syscall`, too.
 *
 * An unwinder sees slot, stub and door as frames that were called from the `syscall`, with nothing
 * pushed: the caller's stack pointer is this one's, and the return address is behind the `syscall`
 * (or the lead). In a slot the rule finds that address by the program counter; in the stub it is in
 * rcx; in the door it is on the stack. So backtraces, exceptions and cancellation pass through at
 * every instruction.
 *
 * The addresses here are the library's, so the stop signal does not act here (stop.c).
 */
#include "platform/linux/libc/site_slots.h"
#include "platform/linux/os/vector_state.h"

#define FLAG_OVERFLOW 11
/* Trap, direction, nested task, alignment, identification: flags that sahf does not set. */
#define FLAGS_ODD 0x244500

        .section .text.sites, "ax", @progbits
        .balign 4096
        .globl  site_slots
        .hidden site_slots
        .type   site_slots, @object
site_slots:

/* The first slots are the stub. site_write_stubs writes offsets from the thread pointer into the
 * words LOW and HIGH. */
        .cfi_startproc
        .cfi_def_cfa rsp, 0
        .cfi_register rip, rcx
        .globl  site_stub
        .hidden site_stub
site_stub:
        mov     %rax, %r11
        lahf
        seto    %al
        cmp     $(SITE_NUMBERS - 1), %r11
        ja      1f
        bt      %r11, site_numbers(%rip)
        jnc     1f
        .byte   0x64, 0x48, 0x3b, 0x24, 0x25    /* cmp %fs:LOW, %rsp */
        .globl  site_stub_low
        .hidden site_stub_low
site_stub_low:
        .long   0
        jb      1f
        .byte   0x64, 0x48, 0x3b, 0x24, 0x25    /* cmp %fs:HIGH, %rsp */
        .globl  site_stub_high
        .hidden site_stub_high
site_stub_high:
        .long   0
        ja      1f
        add     $0x7f, %al
        sahf
        mov     %r11, %rax
        jmp     site_door
1:      add     $0x7f, %al
        sahf
        mov     %r11, %rax
        lea     -2(%rcx), %rcx
        jmp     *%rcx
        .cfi_endproc

/* The same for the function that libc's cancellable calls share since 2.41, at its beginning: rdi
 * whether the thread is cancelled, rsi number, rdx rcx r8 r9 and the stack the arguments; r11 where
 * it goes on. A function may change flags and registers, so this ends in a function of C's, which
 * returns to libc. */
        .cfi_startproc
        .cfi_def_cfa rsp, 0
        .cfi_register rip, r11
        .balign 16
        .globl  site_shared_stub
        .hidden site_shared_stub
site_shared_stub:
        testb   $SITE_CANCELLED, (%rdi)
        jnz     1f
        cmp     $(SITE_NUMBERS - 1), %rsi
        ja      1f
        bt      %rsi, site_numbers(%rip)
        jnc     1f
        .byte   0x64, 0x48, 0x3b, 0x24, 0x25    /* cmp %fs:LOW, %rsp */
        .globl  site_shared_low
        .hidden site_shared_low
site_shared_low:
        .long   0
        jb      1f
        .byte   0x64, 0x48, 0x3b, 0x24, 0x25    /* cmp %fs:HIGH, %rsp */
        .globl  site_shared_high
        .hidden site_shared_high
site_shared_high:
        .long   0
        ja      1f
        jmp     sites_shared_call
1:      jmp     *%r11
        .fill   SITE_STUB_SLOTS * 64 - (. - site_slots), 1, 0xcc
        .cfi_endproc

/* DW_CFA_val_expression, rip: the word at 56 in the 64 bytes that rip is in.
 * DW_OP_breg16 0; const1s -64; and; plus_uconst 56; deref */
        .cfi_startproc
        .cfi_def_cfa rsp, 0
        .cfi_escape 0x16, 16, 8, 0x80, 0, 0x09, 0xc0, 0x1a, 0x23, 56, 0x06
        .fill   (SITE_SLOTS - SITE_STUB_SLOTS) * 64, 1, 0xcc
        .cfi_endproc
        .size   site_slots, . - site_slots

/* rax number; rdi rsi rdx r10 r8 r9 arguments; rcx where to go on. */
        .text
        .type   site_door, @function
        .balign 64
site_door:
        .cfi_startproc
        .cfi_def_cfa rsp, 0
        .cfi_register rip, rcx
        lea     -128(%rsp), %rsp
        .cfi_def_cfa_offset 128
        push    %rcx
        .cfi_def_cfa_offset 136
        .cfi_offset rip, -136
        pushfq
        .cfi_def_cfa_offset 144
        push    %rbp
        .cfi_def_cfa_offset 152
        .cfi_offset rbp, -152
        mov     %rsp, %rbp
        .cfi_def_cfa_register rbp
        push    %r9
        push    %r8
        push    %r10
        push    %rdx
        push    %rsi
        push    %rdi
        push    %rbx
        .cfi_offset rbx, -208
        push    %r12
        .cfi_offset r12, -216
        mov     %rax, %rbx
        cld
        mov     %rax, %rdi
        lea     16(%rsp), %rsi
        and     $-16, %rsp
        call    sites_leads             /* touches general registers only */
        test    %al, %al
        jz      6f
        lea     -64(%rbp), %rsp
        sub     vector_state_bytes(%rip), %rsp
        and     $-64, %rsp
        mov     %rsp, %rdi
        call    vector_state_keep
        mov     %eax, %r12d
        mov     %rbx, %rdi
        lea     -48(%rbp), %rsi
        mov     16(%rbp), %rdx
        call    sites_call
        mov     %rax, %rbx
        mov     %rsp, %rdi
        mov     %r12d, %esi
        call    vector_state_bring_back
        jmp     7f
6:      subq    $2, 16(%rbp)            /* back to the `syscall` */
7:      mov     8(%rbp), %eax
        test    $FLAGS_ODD, %eax
        jnz     8f
        mov     %eax, %ecx              /* popf takes as long as all the rest here */
        shr     $FLAG_OVERFLOW, %ecx
        and     $1, %ecx
        mov     %al, %ah
        mov     %cl, %al
        add     $0x7f, %al
        sahf
        jmp     9f
8:      push    8(%rbp)
        popfq
9:      mov     %rbx, %rax              /* no flags change from here on */
        lea     -64(%rbp), %rsp
        pop     %r12
        .cfi_same_value r12
        pop     %rbx
        pop     %rdi
        pop     %rsi
        pop     %rdx
        pop     %r10
        pop     %r8
        pop     %r9
        pop     %rbp
        .cfi_def_cfa rsp, 144
        .cfi_same_value rbp
        .cfi_same_value rbx
        lea     8(%rsp), %rsp
        .cfi_def_cfa_offset 136
        pop     %rcx
        .cfi_def_cfa_offset 128
        .cfi_register rip, rcx
        lea     128(%rsp), %rsp
        .cfi_def_cfa_offset 0
        jmp     *%rcx
        .cfi_endproc
        .size   site_door, . - site_door
        .section .note.GNU-stack, "", @progbits
