/* SPDX-License-Identifier: MIT
 *
 * signal_wanted.c - which signals the signal thread is to take, and telling it.
 *
 * Counts for each signal say how many workers have it open, so that a change of one mask need not look at all
 * the others. When what is wanted grows, a poke is enough; when it shrinks, the thread that shrank it waits until the
 * signal thread has seen it.
 */
#include <string.h>

#include "platform/linux/os/raw.h"
#include "platform/linux/signals/worker_signals.h"

struct plat_lock signals_lock;
uint64_t signals_active;

/* Under signals_lock. */
static unsigned open_workers[65], chosen_blocks[65], open_schedulers[65], waiting[65];
static uint64_t asked;

static _Atomic uint32_t signal_tid; /* futex: 0 until the thread is there */
static _Atomic uint32_t seen;       /* futex: as much of `asked` as was looked at */
static int poke_signal;

/* ---- What is wanted ---------------------------------------------------------------------------------- */

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
    return set & ~(SIGNALS_UNTOUCHED | SIGNALS_OF_FAULTS);
}

void signals_wanted_forget(void)
{
    signals_lock = (struct plat_lock){0};
    memset(open_workers, 0, sizeof open_workers);
    memset(chosen_blocks, 0, sizeof chosen_blocks);
    memset(open_schedulers, 0, sizeof open_schedulers);
    memset(waiting, 0, sizeof waiting);
    signals_active = 0;
}

/* ---- Telling the signal thread ------------------------------------------------------------------------- */

pid_t signals_thread(void)
{
    return (pid_t)atomic_load_explicit(&signal_tid, memory_order_acquire);
}

void signals_poke(void)
{
    pid_t thread = signals_thread();
    if (thread)
        RAW3(SYS_tgkill, RAW0(SYS_getpid), thread, poke_signal);
}

void signals_sync(void)
{
    if (!signals_thread())
        return; /* a child after fork */
    plat_lock(&signals_lock);
    uint32_t mine = (uint32_t)++asked;
    plat_unlock(&signals_lock);
    signals_poke();
    uint32_t now;
    while ((int32_t)((now = atomic_load_explicit(&seen, memory_order_acquire)) - mine) < 0)
        futex_wait(&seen, now);
}

/* ---- On the signal thread, and its starter ------------------------------------------------------------- */

void signals_thread_expected(int signal)
{
    poke_signal = signal;
    asked = 0;
    atomic_store_explicit(&seen, 0, memory_order_relaxed);
    atomic_store_explicit(&signal_tid, 0, memory_order_relaxed);
    signals_active = 0;
}

void signals_thread_await(void)
{
    while (!signals_thread())
        futex_wait(&signal_tid, 0);
}

void signals_thread_arrives(void)
{
    atomic_store_explicit(&signal_tid, (uint32_t)RAW0(SYS_gettid), memory_order_release);
    futex_wake(&signal_tid, 1);
}

int signals_poke_signal(void)
{
    return poke_signal;
}

uint64_t signals_look_again(uint32_t *until)
{
    plat_lock(&signals_lock);
    *until = (uint32_t)asked;
    uint64_t set = signals_wanted() & ~SIGNAL_BIT(poke_signal);
    signals_active = set;
    plat_unlock(&signals_lock);
    return set;
}

void signals_looked(uint32_t until)
{
    atomic_store_explicit(&seen, until, memory_order_release);
    futex_wake(&seen, INT32_MAX);
}
