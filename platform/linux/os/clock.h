/* SPDX-License-Identifier: MIT
 *
 * clock.h - the engine's clock for those who look at it: when each worker last left its processor.
 *
 * A switch may not ask what time it is: that would be a sixth of its price. So a worker that leaves
 * takes what the clock showed last. It is set where asking costs little beside what is done anyway:
 * when a scheduler enters or goes to sleep, a call blocks in the kernel, or a timer fires. So what
 * it shows may be late, by as long as all schedulers were busy, and a worker may seem to have been
 * away for longer than it was; never for shorter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_CLOCK_H
#define UMSSHIM_PLATFORM_LINUX_OS_CLOCK_H

#include "platform/linux/plat_types.h"

/* Sets it to a time of plat_now(); gives what it shows now. A store a millisecond at most: all
 * schedulers read it. */
static inline uint32_t engine_clock_set(uint64_t nanoseconds)
{
    uint32_t now = (uint32_t)(nanoseconds / 1000000);
    if (atomic_load_explicit(&engine_clock.ms, memory_order_relaxed) != now)
        atomic_store_explicit(&engine_clock.ms, now, memory_order_relaxed);
    return now;
}

#endif
