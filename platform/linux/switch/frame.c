/* SPDX-License-Identifier: MIT
 *
 * frame.c - see frame.h.
 */
#include "platform/linux/switch/frame.h"

#include <string.h>

#include "platform/layout.h"
#include "platform/linux/os/memcheck.h"
#include "platform/linux/switch/switch.h"

LAYOUT_SIZE("frame", struct frame);
LAYOUT_FIELD("frame", struct frame, r15, 8);
LAYOUT_FIELD("frame", struct frame, r14, 8);
LAYOUT_FIELD("frame", struct frame, r13, 8);
LAYOUT_FIELD("frame", struct frame, r12, 8);
LAYOUT_FIELD("frame", struct frame, rbx, 8);
LAYOUT_FIELD("frame", struct frame, rbp, 8);
LAYOUT_FIELD("frame", struct frame, rip, 8);

void *first_frame(void *stack, void (*fn)(void *), void *arg)
{
    enum { RED_ZONE = 128 };
    struct frame *frame = (struct frame *)stack - 1;
    memcheck_fresh((uintptr_t)stack - RED_ZONE, RED_ZONE);
    memset(frame, 0, sizeof *frame);
    frame->mxcsr = 0x1f80;
    frame->x87 = 0x037f;
    frame->r12 = (uintptr_t)fn;
    frame->r13 = (uintptr_t)arg;
    frame->rip = (uintptr_t)ctx_first;
    return frame;
}
