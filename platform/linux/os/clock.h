/* SPDX-License-Identifier: MIT
 *
 * clock.h - the engine's clock for debuggers: by it they know when a worker last left its
 * processor.
 *
 * A switch may not ask what time it is: that would be a sixth of its price. So a worker that leaves
 * takes the time that the clock showed last. Threads set the clock where to ask for the time costs
 * little beside their work: when a scheduler enters or goes to sleep, when a call blocks in the
 * kernel, or when a timer fires. So the clock may be late, by as long as all schedulers were busy.
 * Then a worker seems to have been away for longer than it was, never for shorter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CLOCK_H
#define UMSSHIM_PLATFORM_LINUX_OS_CLOCK_H

#include "platform/linux/plat_types.h"

/* Sets the clock to a time of plat_now() and returns it. It stores at most once a millisecond,
 * since all schedulers read the clock. */
static inline uint32_t engine_clock_set(uint64_t nanoseconds)
{
    uint32_t now = (uint32_t)(nanoseconds / 1000000);
    if (atomic_load_explicit(&engine_clock.ms, memory_order_relaxed) != now)
        atomic_store_explicit(&engine_clock.ms, now, memory_order_relaxed);
    return now;
}

#endif
