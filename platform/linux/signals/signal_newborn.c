/* SPDX-License-Identifier: MIT
 *
 * signal_newborn.c - workers that no thread has had to count yet: so births and ends on two
 * processors do not meet.
 *
 * Most workers end before any thread asks which workers have a signal open (not blocked). So a
 * worker that begins only goes to its processor's list. A thread that takes signals_lock
 * (signals_enter) first lets in all workers on such lists: it counts them and moves them to
 * signals_all. One that ends before that leaves nothing behind. On a list a context has its first
 * mask and nothing queued, for both change under signals_lock only.
 *
 *   list and links   under the processor's lock; taken off by the worker's end, or by a thread that
 *                    has signals_lock as well
 *   newborn          the number of the list: written under the list's lock, read by the worker's
 *                    end before it takes that lock
 *   occupied         a bit for each list that may hold a worker: set after one was put there,
 *                    cleared before the list is taken
 *
 * A worker that begins puts itself on a list and then reads the signals for which the signal thread
 * waits. The signal thread writes these and then looks at the lists. So one of the two sees the
 * other.
 */
#include "platform/linux/signals/signal_newborn.h"

#include "platform/chain.h"
#include "platform/linux/os/kernel_signals.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/signals/signal_wanted.h"
#include "platform/platform.h"

enum { LISTS = 64 };

static struct newborn_list {
    _Alignas(64) PLAT_LOCK(NEWBORN) lock;
    CHAIN_OF(struct plat_context) contexts;
} lists[LISTS];

static _Atomic uint64_t occupied;
struct signal_owners signals_all;

bool signals_newborn(struct plat_context *context)
{
    struct plat_signals *own = &context->signals;
    unsigned at = plat_processor() % LISTS;
    struct newborn_list *list = &lists[at];
    plat_lock(&list->lock);
    CHAIN_PREPEND(&list->contexts, context, signals.next, signals.previous);
    atomic_store_explicit(&own->listed, true, memory_order_relaxed);
    atomic_store_explicit(&own->newborn, (uint8_t)(at + 1), memory_order_relaxed);
    plat_unlock(&list->lock); /* a full fence */
    if (!(atomic_load(&occupied) & 1ull << at)) {
        plat_written(&occupied);
        atomic_fetch_or(&occupied, 1ull << at);
    }
    uint64_t open = ~own->start_mask & ~(SIGNALS_UNTOUCHED | SIGNALS_OF_FAULTS);
    return open & ~atomic_load(&signals_active) & ~signals_poke_bit;
}

static void take_off(struct newborn_list *list, struct plat_context *context)
{
    CHAIN_REMOVE(&list->contexts, context, signals.next, signals.previous);
    atomic_store_explicit(&context->signals.newborn, 0, memory_order_relaxed);
}

bool signals_gone_newborn(struct plat_context *context)
{
    unsigned at = atomic_load_explicit(&context->signals.newborn, memory_order_relaxed);
    if (!at)
        return false;
    struct newborn_list *list = &lists[at - 1];
    plat_lock(&list->lock);
    bool here = atomic_load_explicit(&context->signals.newborn, memory_order_relaxed) != 0;
    if (here) {
        take_off(list, context);
        atomic_store_explicit(&context->signals.listed, false, memory_order_relaxed);
    }
    plat_unlock(&list->lock);
    return here;
}

/* `listed` stays true meanwhile, for threads that look without a lock. */
static void let_in(struct newborn_list *list, struct plat_context *context)
{
    take_off(list, context);
    CHAIN_PREPEND(&signals_all, context, signals.next, signals.previous);
    signals_count_mask(context, context->signals.start_mask, ~0ull, 1);
}

bool signals_let_in(void)
{
    if (!atomic_load(&occupied))
        return false;
    bool some = false;
    plat_written(&occupied);
    for (uint64_t set = atomic_exchange(&occupied, 0); set; set &= set - 1) {
        struct newborn_list *list = &lists[__builtin_ctzll(set)];
        plat_lock(&list->lock);
        for (; list->contexts.first; some = true)
            let_in(list, list->contexts.first);
        plat_unlock(&list->lock);
    }
    return some;
}

void signals_enter(void)
{
    plat_lock(&signals_lock);
    signals_let_in();
}

void signals_newborn_forget(void)
{
    atomic_store_explicit(&occupied, 0, memory_order_relaxed);
    for (unsigned i = 0; i < LISTS; i++)
        lists[i] = (struct newborn_list){0};
}
