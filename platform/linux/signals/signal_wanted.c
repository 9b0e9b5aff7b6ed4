/* SPDX-License-Identifier: MIT
 *
 * signal_wanted.c - the signals that the signal thread is to take.
 *
 * A count for each signal says how many workers have it open (not blocked). So a change of one mask
 * does not read all other masks.
 */
#include <string.h>

#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_wanted.h"

PLAT_LOCK(SIGNALS) signals_lock;
_Atomic uint64_t signals_active;

/* Under signals_lock. */
static unsigned open_workers[65], chosen_blocks[65], open_schedulers[65], waiting[65];
uint64_t signals_poke_bit;

/* ---- The wanted signals
 * ----------------------------------------------------------------------- */

static void count(unsigned *counts, uint64_t set, int by)
{
    for (; set; set &= set - 1)
        counts[__builtin_ctzll(set) + 1] += (unsigned)by;
}

void waiting_change(uint64_t set, int by)
{
    count(waiting, set, by);
}

void signals_count_mask(struct plat_context *context, uint64_t mask, uint64_t bits, int by)
{
    if (context->is_scheduler) {
        count(open_schedulers, ~mask & bits, by);
    } else {
        count(open_workers, ~mask & bits, by);
        count(chosen_blocks, mask & ~context->signals.start_mask & bits, by);
    }
}

uint64_t signals_wanted(void)
{
    uint64_t set = 0;
    for (int s = 1; s <= 64; s++)
        if (open_workers[s] || waiting[s] || (open_schedulers[s] && !chosen_blocks[s]))
            set |= SIGNAL_BIT(s);
    return set & ~(SIGNALS_UNTOUCHED | SIGNALS_OF_FAULTS | signals_poke_bit);
}

void signals_wanted_forget(void)
{
    plat_lock_forget(&signals_lock);
    memset(open_workers, 0, sizeof open_workers);
    memset(chosen_blocks, 0, sizeof chosen_blocks);
    memset(open_schedulers, 0, sizeof open_schedulers);
    memset(waiting, 0, sizeof waiting);
    signals_active = 0;
}
