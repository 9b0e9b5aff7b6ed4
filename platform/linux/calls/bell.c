/* SPDX-License-Identifier: MIT
 *
 * bell.c - wakes a lane's scheduler that sleeps on files (file_sleep.c), once for each sleep. The
 * caller has taken over, or cancelled, a call on whose file the scheduler sleeps.
 */
#include "platform/linux/calls/bell.h"

#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"

void bell_ring(struct lane *lane)
{
    static const uint64_t one = 1;
    if (lane->deferral.sleeper_told)
        return;
    lane->deferral.sleeper_told = true;
    RAW3(SYS_write, lane->readiness.bell_fd, &one, sizeof one);
}
