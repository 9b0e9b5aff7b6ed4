/* SPDX-License-Identifier: MIT
 *
 * frame.h - the frame of a saved context on its stack; switch.S has the picture.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_FRAME_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct frame {
    uint32_t mxcsr;
    uint16_t x87, unused;
    uintptr_t r15, r14, r13, r12, rbx, rbp, rip;
};
_Static_assert(sizeof(struct frame) == 64 && offsetof(struct frame, r12) == 32 &&
                   offsetof(struct frame, rip) == 56,
               "switch.S relies on this layout");

/* Makes a frame that begins with fn(arg), which does not return, right below `stack`. Returns its
 * address. */
void *first_frame(void *stack, void (*fn)(void *), void *arg);

#endif
