/* SPDX-License-Identifier: MIT
 *
 * unwinding_personality.S - the personality routines of unwinding.h. They are in assembly, because
 * a compiler that optimises the whole library makes them local, and the linker takes two
 * personalities that are local to one object for the same.
 */
#define UA_CLEANUP_PHASE 2 /* from the ABI: an action, in the second argument, and a result */
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
