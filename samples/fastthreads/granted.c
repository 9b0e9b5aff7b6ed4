/* SPDX-License-Identifier: MIT
 *
 * granted.c - what the package does with a grant of the allocator, and what it wants.
 *
 * The agent writes `granted` for each processor and wakes those for whom something changed; a
 * processor looks at it between two threads. Where a thread computes on a processor that was taken
 * away, the agent stops it (preempt.c).
 */
#include "granted.h"

#include "package.h"

DWORD_PTR ft__usable(void)
{
    DWORD_PTR usable = 0;

    for (int i = 0; i < ft__package.count; i++)
        usable |= ft__package.processors[i].where;
    return usable;
}

static int wanted(void)
{
    return ft__package.count - atomic_load(&ft__package.idle);
}

static void granted(DWORD_PTR mask)
{
    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor = &ft__package.processors[i];
        int now = (mask & processor->where) != 0;

        if (atomic_exchange(&processor->granted, now) != now)
            SetEvent(processor->wake);
    }
}

static void take_back(void)
{
    for (int i = 0; i < ft__package.count; i++)
        ft__take_back(&ft__package.processors[i]);
}

const struct ft__sharer ft__package_shares = {
    .wanted = wanted, .granted = granted, .take_back = take_back};
