/* SPDX-License-Identifier: MIT
 *
 * signal_poke.c - telling the signal thread that the set of wanted signals has changed.
 *
 * When the set grows, a signal to the thread, the poke, is enough. When it shrinks, the thread that
 * shrank it waits until the signal thread has seen the change.
 */
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_newborn.h"
#include "platform/linux/signals/signal_wanted.h"

static uint64_t asked;       /* under signals_lock */
static uint64_t asked_taken; /* under signals_lock: signals to be taken before the answer */

static _Atomic uint32_t signal_tid; /* futex: 0 until the thread runs */
static _Atomic uint32_t seen;       /* futex: the value of `asked` at the last look */
static int poke_signal;

pid_t signals_thread(void)
{
    return (pid_t)atomic_load_explicit(&signal_tid, memory_order_acquire);
}

void signals_poke(void)
{
    pid_t thread = signals_thread();
    if (thread)
        RAW3(SYS_tgkill, own_pid(), thread, poke_signal);
}

void signals_sync(uint64_t sent)
{
    if (!signals_thread())
        return; /* in a child after fork */
    signals_enter();
    uint32_t mine = (uint32_t)++asked;
    asked_taken |= sent;
    plat_unlock(&signals_lock);
    signals_poke();
    uint32_t now;
    while ((int32_t)((now = atomic_load_explicit(&seen, memory_order_acquire)) - mine) < 0)
        futex_wait(&seen, now);
}

/* ---- On the signal thread, and its starter --------------------------------------------------- */

void signals_thread_expected(int signal)
{
    poke_signal = signal;
    signals_poke_bit = SIGNAL_BIT(signal);
    asked = asked_taken = 0;
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
    atomic_store_explicit(&signal_tid, (uint32_t)own_tid(), memory_order_release);
    futex_wake(&signal_tid, 1);
}

int signals_poke_signal(void)
{
    return poke_signal;
}

uint64_t signals_look_again(uint32_t *until, uint64_t *sent)
{
    uint64_t set;
    signals_enter();
    if (until) {
        *until = (uint32_t)asked;
        *sent = asked_taken;
        asked_taken = 0;
    }
    /* A worker may join meanwhile without the lock. It reads this set, or signals_let_in finds that
     * worker. */
    do {
        set = signals_wanted();
        atomic_store(&signals_active, set);
    } while (signals_let_in());
    plat_unlock(&signals_lock);
    return set;
}

void signals_looked(uint32_t until)
{
    atomic_store_explicit(&seen, until, memory_order_release);
    futex_wake(&seen, INT32_MAX);
}
