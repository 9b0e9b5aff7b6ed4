/* SPDX-License-Identifier: MIT
 *
 * unwinding_personality.S - the personality routines of unwinding.h. In assembly, for the linker
 * takes two that are local to one object for the same; a compiler that optimises the whole library
 * makes them local.
 */
#define UA_CLEANUP_PHASE 2 /* the ABI's: an action, in the second argument; a result */
#define URC_CONTINUE_UNWIND 8

        .text

        .macro  PERSONALITY name, frame
        .globl  \name
        .hidden \name
        .type   \name, @function
        .balign 16
\name:
        .cfi_startproc
        test    $UA_CLEANUP_PHASE, %sil
        jz      1f
        sub     $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    *unwinding_functions + 8 * \frame(%rip)
        add     $8, %rsp
        .cfi_adjust_cfa_offset -8
1:      mov     $URC_CONTINUE_UNWIND, %eax
        ret
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .hidden unwinding_functions

        PERSONALITY worker_personality, 0
        PERSONALITY entry_personality, 1
        PERSONALITY fiber_personality, 2
        PERSONALITY thread_personality, 3
        PERSONALITY handler_personality, 4

        .section .note.GNU-stack, "", @progbits
