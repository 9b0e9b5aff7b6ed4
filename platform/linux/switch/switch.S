/* SPDX-License-Identifier: MIT
 *
 * switch.S - changing stack and thread pointer together: only the parts that C cannot express.
 *
 * A saved context is a stack pointer to this frame (offsets from the saved rsp):
 *
 *      0  mxcsr (4 bytes), x87 control word (2 bytes), 2 unused
 *      8  r15   16 r14   24 r13   32 r12   40 rbx   48 rbp   56 return address
 *
 * The thread pointer is not part of it: it never changes for a context and is kept beside it.
 * os/thread_pointer.h has the three ways to load it.
 */
#include "platform/linux/os/thread_pointer.h"

#define ARCH_SET_FS   0x1002
#define SYS_arch_prctl 158

        .text

/* Loads the thread pointer from \reg. Clobbers rax and r11; the callers below keep their values in
 * other registers. Guarded: first it writes the record, then the register. A thread that is no
 * carrier has its GS base elsewhere, and makes the call. The labels differ from those of the
 * callers below. */
        .macro  SET_FS reg
        cmpb    $THREAD_POINTER_BY_INSTRUCTION, thread_pointer_way(%rip)
        jne     91f
        wrfsbase \reg
        jmp     93f
91:     jb      92f
        rdgsbase %rax
        sub     thread_pointer_records(%rip), %rax
        cmp     $THREAD_POINTER_RECORDS_BYTES, %rax
        jae     92f
        mov     \reg, %gs:0
        wrfsbase \reg
        jmp     93f
92:     push    %rdi
        push    %rsi
        push    %rcx
        mov     \reg, %rsi
        mov     $ARCH_SET_FS, %edi
        mov     $SYS_arch_prctl, %eax
        syscall
        pop     %rcx
        pop     %rsi
        pop     %rdi
93:
        .endm

/* Saves the caller's frame on its stack, and the frame's address in the memory at \reg. */
        .macro  SAVE_FRAME reg
        push    %rbp
        push    %rbx
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        sub     $8, %rsp
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        mov     %rsp, (\reg)
        .endm

/* Loads the registers of the frame at \reg, and its return address into rdx; not rsp, nor x87's
 * control word. */
        .macro  LOAD_FRAME reg
        mov     8(\reg), %r15
        mov     16(\reg), %r14
        mov     24(\reg), %r13
        mov     32(\reg), %r12
        mov     40(\reg), %rbx
        mov     48(\reg), %rbp
        mov     56(\reg), %rdx
        ldmxcsr (\reg)
        .endm

/* Calls rdi(rsi, rdx) as the first function of this stack. It does not return. */
        .macro  CALL_FIRST
        xor     %ebp, %ebp
        mov     %rdi, %rax
        mov     %rsi, %rdi
        mov     %rdx, %rsi
        push    $0
        jmp     *%rax
        .endm

/* int ctx_leave(void *fn, void *a, void *b, void *sp, uintptr_t fs, void **save)
 *                rdi       rsi      rdx      rcx       r8             r9
 * Saves the caller in *save, then calls fn(a, b) on another stack; fn does not return. The caller
 * continues after ctx_load, with 1 as the result. So a function can end in a jump to here, which
 * leaves no return for the processor to mispredict. */
        .globl  ctx_leave
        .hidden ctx_leave
        .type   ctx_leave, @function
        .balign 32
ctx_leave:
        .cfi_startproc
        SAVE_FRAME %r9
        SET_FS  %r8
        ldmxcsr ctx_mxcsr(%rip)
        cmpw    $0x037f, 4(%rsp)
        mov     %rcx, %rsp
        jne     4f
3:      CALL_FIRST
4:      fldcw   ctx_x87(%rip)
        jmp     3b
        .cfi_endproc
        .size   ctx_leave, . - ctx_leave

/* void ctx_jump(void *fn, void *a, void *b, void *sp, uintptr_t fs): the same, saving nothing.
 * Loading x87's word would put x87 in use for good (vector_state_keep.S). */
        .globl  ctx_jump
        .hidden ctx_jump
        .type   ctx_jump, @function
        .balign 32
ctx_jump:
        .cfi_startproc
        SET_FS  %r8
        mov     %rcx, %rsp
        push    $0
        fnstcw  (%rsp)
        cmpw    $0x037f, (%rsp)
        jne     4f
3:      ldmxcsr ctx_mxcsr(%rip)
        pop     %rax
        CALL_FIRST
4:      fldcw   ctx_x87(%rip)
        jmp     3b
        .cfi_endproc
        .size   ctx_jump, . - ctx_jump

/* void ctx_load(void *sp, uintptr_t fs): continues a saved context. Does not return. All loads come
 * before the thread pointer is set, since that instruction waits for older ones and holds up
 * younger ones. mxcsr is always loaded (to read it costs ten times as much), x87's word only if it
 * differs. Ends in an indirect jump: the processor would predict a return from the stack that was
 * left. */
        .globl  ctx_load
        .hidden ctx_load
        .type   ctx_load, @function
        .balign 32
ctx_load:
        .cfi_startproc
        fnstcw  -64(%rsp)
        LOAD_FRAME %rdi
        movzwl  -64(%rsp), %r8d
        cmp     4(%rdi), %r8w
        jne     4f
3:      SET_FS  %rsi
        lea     64(%rdi), %rsp
        mov     $1, %eax
        jmp     *%rdx
4:      fldcw   4(%rdi)
        jmp     3b
        .cfi_endproc
        .size   ctx_load, . - ctx_load

/* void ctx_switch(void **save, void *sp): from one fiber to another, which another thread may have
 * run before. The thread pointer stays. */
        .globl  ctx_switch
        .hidden ctx_switch
        .type   ctx_switch, @function
        .balign 32
ctx_switch:
        .cfi_startproc
        SAVE_FRAME %rdi
        movzwl  4(%rsp), %r8d
        LOAD_FRAME %rsi
        cmp     4(%rsi), %r8w
        jne     4f
3:      lea     64(%rsi), %rsp
        jmp     *%rdx
4:      fldcw   4(%rsi)
        jmp     3b
        .cfi_endproc
        .size   ctx_switch, . - ctx_switch

/* The return address of a context that has not run yet: r12 is the function, r13 its argument. */
        .globl  ctx_first
        .hidden ctx_first
        .type   ctx_first, @function
        .balign 16
ctx_first:
        .cfi_startproc
        .cfi_undefined rip
        mov     %r13, %rdi
        xor     %ebp, %ebp
        call    *%r12
        ud2
        .cfi_endproc
        .size   ctx_first, . - ctx_first

        .section .rodata
        .balign 4
ctx_mxcsr:
        .long   0x1f80
ctx_x87:
        .word   0x037f

        .section .note.GNU-stack, "", @progbits
