/* SPDX-License-Identifier: MIT
 *
 * trap_resume.S - goes on behind a trapped call, with what the kernel's frame has (trap_entry.S).
 */
#define GREG(n) (40 + 8 * (n)) /* in a ucontext_t */
#define R8      GREG(0)
#define R9      GREG(1)
#define R10     GREG(2)
#define R12     GREG(4)
#define R13     GREG(5)
#define R14     GREG(6)
#define R15     GREG(7)
#define RDI     GREG(8)
#define RSI     GREG(9)
#define RBP     GREG(10)
#define RBX     GREG(11)
#define RDX     GREG(12)
#define RAX     GREG(13)
#define RSP     GREG(15)
#define RIP     GREG(16)
#define FLAGS   GREG(17)
#define FPSTATE GREG(23)
/* In the extended state: whether there is more than FXSAVE's, and which parts. */
#define MAGIC    464
#define FEATURES 472
#define XSTATE   0x46505853

        .text

/* void trap_resume(ucontext_t *trapped): `syscall` changes rcx and r11, so they are free. Once the stack pointer is
 * the program's the frame is nobody's. */
        .globl  trap_resume
        .hidden trap_resume
        .type   trap_resume, @function
        .balign 16
trap_resume:
        .cfi_startproc
        /* Each register where the frame has it: DW_OP_breg5, its place; the stack pointer is the word there. */
        .cfi_escape 0x0f, 4, 0x75, 0xa0, 0x01, 0x06
        .cfi_escape 0x10, 16, 3, 0x75, 0xa8, 0x01
        .cfi_escape 0x10, 3, 3, 0x75, 0x80, 0x01
        .cfi_escape 0x10, 6, 3, 0x75, 0xf8, 0x00
        .cfi_escape 0x10, 12, 3, 0x75, 0xc8, 0x00
        .cfi_escape 0x10, 13, 3, 0x75, 0xd0, 0x00
        .cfi_escape 0x10, 14, 3, 0x75, 0xd8, 0x00
        .cfi_escape 0x10, 15, 3, 0x75, 0xe0, 0x00
        mov     FPSTATE(%rdi), %r8
        cmpl    $XSTATE, MAGIC(%r8)
        jne     1f
        mov     FEATURES(%r8), %eax
        mov     FEATURES + 4(%r8), %edx
        xrstor64 (%r8)
        jmp     2f
1:      fxrstor64 (%r8)
2:      pushq   FLAGS(%rdi)
        popfq
        mov     R8(%rdi), %r8
        mov     R9(%rdi), %r9
        mov     R10(%rdi), %r10
        mov     R12(%rdi), %r12
        mov     R13(%rdi), %r13
        mov     R14(%rdi), %r14
        mov     R15(%rdi), %r15
        mov     RSI(%rdi), %rsi
        mov     RBP(%rdi), %rbp
        mov     RBX(%rdi), %rbx
        mov     RDX(%rdi), %rdx
        mov     RAX(%rdi), %rax
        mov     RIP(%rdi), %rcx
        mov     RSP(%rdi), %r11
        mov     RDI(%rdi), %rdi
        .cfi_def_cfa r11, 0
        .cfi_register rip, rcx
        .cfi_same_value rbx
        .cfi_same_value rbp
        .cfi_same_value r12
        .cfi_same_value r13
        .cfi_same_value r14
        .cfi_same_value r15
        mov     %r11, %rsp
        .cfi_def_cfa rsp, 0
        jmp     *%rcx
        .cfi_endproc
        .size   trap_resume, . - trap_resume
        .section .note.GNU-stack, "", @progbits
