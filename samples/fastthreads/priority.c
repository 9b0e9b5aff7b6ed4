/* SPDX-License-Identifier: MIT
 *
 * priority.c - threads of different priorities: who goes first, and who lends a priority.
 *
 * Each processor's ready list has a level for each priority, and `levels` says which of them hold
 * somebody. A loop reads those of all processors before it chooses: as hints, without locks. The
 * notifier sees at its next tick what a hint misses (notice.c). While no thread was forked with a
 * priority, `ranked` is 0 and a loop looks at nobody else's hints.
 *
 * A thread of high priority must not wait for one of low priority that was stopped in one of the
 * package's critical sections, and is ready, but never gets its turn. So whoever finds the section
 * taken lends its priority to the holder, and calls it back: at the end of the section it returns
 * to its loop, and has its own priority again. The locks and conditions of programs lend nothing:
 * they are handed on in the order of arrival.
 */
#include "package.h"

int ft__best_ready(const struct processor *but)
{
    int best = -1;

    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor = &ft__package.processors[i];
        int highest = processor == but ? -1 : ft__highest(processor);

        if (highest > best)
            best = highest;
    }
    return best;
}

void ft__set_priority(struct ft_thread *thread, int priority)
{
    atomic_store_explicit(&thread->own, priority, memory_order_relaxed);
    atomic_store_explicit(&thread->priority, priority, memory_order_relaxed);
    if (priority > 0 && !atomic_load_explicit(&ft__package.ranked, memory_order_relaxed))
        atomic_store(&ft__package.ranked, 1);
}

void ft__give_way(struct ft_thread *self, int priority)
{
    if (priority > ft__priority(self))
        ft__leave(self, REQUEST_GIVE_WAY, NULL);
}

/* In its new place it is the newest: the one that lends goes behind all others of this priority. */
static void lift(struct processor *self, struct ft_thread *thread)
{
    struct processor *listed = atomic_load(&thread->listed);

    if (!listed || !spin_try(&listed->lock, &self->loop))
        return; /* it runs, is stopped, or is on its way; or it is lent to again */
    if (atomic_load(&thread->listed) == listed) {
        ft__unlist(listed, thread);
        ft__push_newest(listed, thread);
    }
    spin_drop(&listed->lock);
}

void ft__lend(struct processor *self, struct spin *spin, int priority)
{
    struct ft_thread *holder = spin_holder(spin);

    if (!holder || ft__priority(holder) >= priority)
        return;
    atomic_store(&holder->priority, priority);
    if (ft__call_back(spin, holder))
        lift(self, holder);
    else
        ft__take_back_loan(holder);
}
