/* SPDX-License-Identifier: MIT
 *
 * vector_state_keep.S - writes the processor's extended state down, and brings it back.
 *
 *   vector_state_keep         rdi: the place, aligned to 64, vector_state_bytes long. Returns in
 *                             eax how the state was kept
 *   vector_state_bring_back   rdi: the same place, esi: what eax was
 * Both change no general register but rax, rcx and rdx, and use no stack.
 *
 * The quick way serves where the processor tells which parts are in use (xgetbv with 1). The code
 * moves the vector registers one by one, which takes a tenth of the time of xsavec and xrstor. Of
 * the lower sixteen it moves as much as is in use: 16, 32 or 64 bytes of each. State that is not in
 * use is zero, and is made zero again. libc's own functions for strings use the upper sixteen and
 * never mark them free, so the code always moves them. If x87 counts as in use, fxsave shows
 * whether it holds anything: after any signal it counts as in use, and mostly is empty. Then the
 * code marks it as not in use, which lasts. If x87 was not in use before the call but is after it,
 * the code resets it.
 */
#include "platform/linux/os/vector_state.h"

#define KEPT_QUICKLY 31 /* bit in eax: kept in the quick way */

#define PART_X87    0x01
#define PART_AVX    0x04
#define PART_512    0x40 /* the upper halves of zmm0 to zmm15 */
#define PART_UPPER  0x80 /* zmm16 to zmm31 */
#define PARTS_QUICK 0xe7
#define FIRST_WORDS 0x37f /* x87's initial control word, and a status word of 0 */

/* The quick way's layout, which ends at VECTOR_STATE_QUICK. fxsave's layout comes first, with mxcsr
 * and 16 bytes of each register. */
#define TAGS   4
#define MXCSR  24
#define NARROW 160
#define MASKS  512
#define LOWER  576
#define UPPER  1600

        .text
        .globl  vector_state_keep
        .hidden vector_state_keep
        .type   vector_state_keep, @function
        .balign 32
vector_state_keep:
        .cfi_startproc
        cmpl    $0, vector_state_asks(%rip)
        je      8f
        mov     $1, %ecx
        xgetbv
        and     vector_state_parts(%rip), %eax
        test    $~PARTS_QUICK, %eax
        jnz     8f
        test    $PART_X87, %al
        jnz     2f
        stmxcsr MXCSR(%rdi)
        test    $(PART_AVX | PART_512), %al
        jnz     3f
        .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movaps  %xmm\n, NARROW + 16 * \n(%rdi)
        .endr
1:      testb   $PART_UPPER, vector_state_parts(%rip)
        jz      5f
        .irp    n, 0,1,2,3,4,5,6,7
        kmovq   %k\n, MASKS + 8 * \n(%rdi)
        .endr
        .irp    n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        vmovdqa64 %zmm\n, UPPER + 64 * (\n - 16)(%rdi)
        .endr
5:      bts     $KEPT_QUICKLY, %eax
        ret
2:      fxsave64 (%rdi)
        cmpl    $FIRST_WORDS, (%rdi)
        jne     6f
        cmpb    $0, TAGS(%rdi)
        jne     6f
        mov     %eax, %ecx
        mov     $PART_X87, %eax
        xor     %edx, %edx
        xrstor64 first_state(%rip)
        mov     %ecx, %eax
        and     $~PART_X87, %eax
6:      test    $(PART_AVX | PART_512), %al
        jz      1b
3:      test    $PART_512, %al
        jnz     4f
        .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovaps %ymm\n, LOWER + 32 * \n(%rdi)
        .endr
        jmp     1b
4:      .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovdqa64 %zmm\n, LOWER + 64 * \n(%rdi)
        .endr
        jmp     1b

8:      mov     vector_state_parts(%rip), %eax
        xor     %edx, %edx
        cmpl    $VECTOR_STATE_COMPACT, vector_state_form(%rip)
        jb      1f
        mov     %rdx, 512(%rdi)         /* clears the header, of which xsavec writes only a part */
        mov     %rdx, 520(%rdi)
        mov     %rdx, 528(%rdi)
        mov     %rdx, 536(%rdi)
        mov     %rdx, 544(%rdi)
        mov     %rdx, 552(%rdi)
        mov     %rdx, 560(%rdi)
        mov     %rdx, 568(%rdi)
        ja      2f
        xsavec64 (%rdi)
        xor     %eax, %eax
        ret
2:      xsave64 (%rdi)
        xor     %eax, %eax
        ret
1:      fxsave64 (%rdi)
        xor     %eax, %eax
        ret
        .cfi_endproc
        .size   vector_state_keep, . - vector_state_keep

        .globl  vector_state_bring_back
        .hidden vector_state_bring_back
        .type   vector_state_bring_back, @function
        .balign 32
vector_state_bring_back:
        .cfi_startproc
        bt      $KEPT_QUICKLY, %esi
        jnc     8f
        testb   $PART_AVX, vector_state_parts(%rip)
        jz      1f
        vzeroupper
1:      test    $PART_X87, %sil
        jnz     4f
        ldmxcsr MXCSR(%rdi)
        fnstsw  %ax
        test    %ax, %ax
        jz      2f
        fninit
2:      test    $(PART_AVX | PART_512), %sil
        jnz     5f
        .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        movaps  NARROW + 16 * \n(%rdi), %xmm\n
        .endr
1:      testb   $PART_UPPER, vector_state_parts(%rip)
        jz      2f
        .irp    n, 0,1,2,3,4,5,6,7
        kmovq   MASKS + 8 * \n(%rdi), %k\n
        .endr
        .irp    n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        vmovdqa64 UPPER + 64 * (\n - 16)(%rdi), %zmm\n
        .endr
2:      ret
4:      fxrstor64 (%rdi)
        test    $(PART_AVX | PART_512), %sil
        jz      1b
5:      test    $PART_512, %sil
        jnz     6f
        .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovaps LOWER + 32 * \n(%rdi), %ymm\n
        .endr
        jmp     1b
6:      .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
        vmovdqa64 LOWER + 64 * \n(%rdi), %zmm\n
        .endr
        jmp     1b

8:      mov     vector_state_parts(%rip), %eax
        xor     %edx, %edx
        cmpl    $VECTOR_STATE_COMPACT, vector_state_form(%rip)
        jb      9f
        xrstor64 (%rdi)
        ret
9:      fxrstor64 (%rdi)
        ret
        .cfi_endproc
        .size   vector_state_bring_back, . - vector_state_bring_back

        .section .rodata
        .balign 64
first_state:
        .fill   576, 1, 0
        .section .note.GNU-stack, "", @progbits
