/* SPDX-License-Identifier: MIT
 *
 * frames.h - the frames that the assembly leaves on the stacks of workers that do not run, for C.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_FRAMES_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* The frame of a worker that has left its stack: inplace.S. */
struct saved_frame {
    uint8_t xmm[10][16];
    uint32_t mxcsr;
    uint16_t x87;
    uint8_t unused[18];
    uint64_t r15, r14, r13, r12, rdi, rsi, rbx, rbp;
    void *return_to;
};
_Static_assert(offsetof(struct saved_frame, r15) == 184 && sizeof(struct saved_frame) == 256,
               "inplace.S");

/* The frame of a worker that was interrupted: interrupt.S. It lies at the worker's stack pointer.
 * XSAVE has stored the other registers elsewhere. */
struct interrupt_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t flags, rip;
};

#endif
