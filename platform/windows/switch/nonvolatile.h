/* SPDX-License-Identifier: MIT
 *
 * nonvolatile.h - for assembly: the eight integer registers that a call preserves, on the stack.
 */
        .macro  PUSH_NONVOLATILE
        .irp    register, rbp, rbx, rsi, rdi, r12, r13, r14, r15
        pushq   %\register
        .seh_pushreg %\register
        .endr
        .endm

        .macro  POP_NONVOLATILE
        .irp    register, r15, r14, r13, r12, rdi, rsi, rbx, rbp
        popq    %\register
        .endr
        .endm
