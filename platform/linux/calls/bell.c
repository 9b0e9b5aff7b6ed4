/* SPDX-License-Identifier: MIT
 *
 * bell.c - wakes a lane's scheduler that sleeps on files (file_sleep.c), once for each sleep. The
 * caller has taken over, or cancelled, a call on whose file the scheduler sleeps, or leaves it more
 * calls.
 */
#include "platform/linux/calls/bell.h"

#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"

void bell_ring(struct lane *lane, enum sleeper_told what)
{
    static const uint64_t one = 1;
    enum sleeper_told before = lane->deferral.sleeper_told;
    if (before < what)
        lane->deferral.sleeper_told = what;
    if (before == TOLD_NOTHING)
        RAW3(SYS_write, lane->readiness.bell_fd, &one, sizeof one);
}
