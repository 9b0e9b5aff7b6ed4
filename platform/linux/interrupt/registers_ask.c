/* SPDX-License-Identifier: MIT
 *
 * registers_ask.c - see registers_ask.h.
 */
#include "platform/linux/interrupt/registers_ask.h"

#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/stop.h"
#include "platform/linux/os/raw.h"
#include "platform/platform.h"

enum { AGAIN_NS = 1000000 };

bool registers_asked(struct plat_thread *thread, struct thread_registers *registers)
{
    const uint64_t most_ns = 8000000000;
    struct thread_asked asked = {.registers = registers};
    uint64_t begun = plat_now();
    atomic_store(&thread->stopping.asked, &asked);
    while (!atomic_load_explicit(&asked.done, memory_order_acquire)) {
        uint64_t now = plat_now();
        if (now - begun > most_ns || atomic_load(&thread->stopping.stands_at))
            if (atomic_exchange(&thread->stopping.asked, NULL))
                return registers_standing(thread, registers);
        thread_interrupt(thread);
        futex_wait_until(&asked.done, 0, now + AGAIN_NS);
    }
    return true;
}

static bool still_nudging(void *thread)
{
    return ((struct plat_thread *)thread)->stopping.nudging;
}
LAYOUT_WAIT("GetThreadContext", still_nudging);

void registers_await(struct plat_thread *thread)
{
    thread_nudge(thread);
    plat_unlock(&thread->binding);
    /* A thread whose call is to end (sync_call.h) is nudged even while it stands. */
    address_wait(&thread->stopping.nudging, still_nudging, NULL, thread, plat_now() + AGAIN_NS);
}
