/* SPDX-License-Identifier: MIT
 *
 * interrupted.c - see interrupted.h.
 */
#include "platform/windows/switch/interrupted.h"

#include <cpuid.h>

#include "platform/windows/engine.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/worker.h"

enum { TEB_BYTES = 0x2000 }; /* the system maps two pages for a TEB */

uint32_t interrupt_state_bytes;

bool interrupt_possible(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    __cpuid_count(0xD, 0, a, b, c, d);
    interrupt_state_bytes = (b + 63) & ~63u;
    return b != 0;
}

/* TlsGetValue, and other code that reads the TEB, loads its address into a register first. A worker
 * that was interrupted there and comes back on another thread has to find that thread's TEB. So
 * this changes each register that leads into the old one. */
static void follow_teb(struct interrupt_frame *frame, const char *before)
{
    uint64_t *registers = &frame->r15;
    const char *now = teb_here();
    for (uint64_t *one = registers; now != before && one <= &frame->rax; one++) {
        uint64_t offset = *one - (uintptr_t)before;
        if (offset < TEB_BYTES)
            *one = (uintptr_t)now + offset;
    }
}

void interrupt_run(struct interrupt_frame *frame, void *state)
{
    struct plat_context *self = plat_current();
    const char *teb = teb_here();
    enum interrupt action = (enum interrupt)self->interrupt;
    frame->rip = self->interrupted_at;
    self->interrupted = frame;
    self->interrupted_state = state;
    self->interrupt = INTERRUPT_NONE;
    if (action == INTERRUPT_DETACH) {
        engine_core->worker_detach(self);
    } else {
        self->last_call = LAST_CALL_HOOKED; /* if it is to end, it makes no call of its own after
                                             * this */
        engine_core->worker_stop(self);
        self->last_call = LAST_CALL_NONE;
    }
    follow_teb(frame, teb);
    self->interrupted = NULL;
}
