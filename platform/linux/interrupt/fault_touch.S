/* SPDX-License-Identifier: MIT
 *
 * fault_touch.S - sleeping in a page fault at a known place: fault_access.h.
 */
        .text
        .globl  fault_touch
        .hidden fault_touch
        .type   fault_touch, @function
        .globl  fault_touch_end
        .hidden fault_touch_end
        .balign 16
fault_touch:
        .cfi_startproc
        test    %dl, %dl
        jnz     1f
        movb    (%rdi), %al
        movb    (%rsi), %al
        ret
1:      lock orb $0, (%rdi)
        lock orb $0, (%rsi)
        ret
        .cfi_endproc
fault_touch_end:
        .size   fault_touch, . - fault_touch

        .section .note.GNU-stack, "", @progbits
