/* SPDX-License-Identifier: MIT
 *
 * spin.c - what happens when a critical section of the package is taken: waiting, and recovery.
 *
 * A thread can be stopped inside a critical section: suspended, or blocked by a fault or a handler
 * that makes a system call. The lock then stays taken until the thread runs again, and on UMS it
 * runs again only when a processor goes on with it: a processor that spins for the lock would wait
 * for itself. So a loop never insists. When a lock stays taken and its word names a thread that no
 * processor runs, the loop goes on with that thread as soon as it has arrived, for the section
 * only: it calls the thread back. At the end of the section the thread finds that its word has
 * changed, and returns to the loop, which has the lock then and does what it was about to. The
 * thread is ready, behind others.
 *
 * A thread is called back while it does not run, or while it does: what the holder reads at the end
 * is its own name, or that it was called. If it has just read it, and leaves, it was not stopped
 * inside. Where nobody is stopped all of this costs that one look at a word which is in the cache
 * anyway.
 */
#include "package.h"

enum { SPINS_IN_THREAD = 200, SPINS_IN_LOOP = 400 };

void ft__spin_wait(struct spin *spin, struct ft_thread *self)
{
    for (;;) {
        for (int i = 0; i < SPINS_IN_THREAD; i++) {
            YieldProcessor();
            if (!atomic_load_explicit(&spin->holder, memory_order_relaxed) && spin_try(spin, self))
                return;
        }
        /* Perhaps its holder needs this very processor. */
        ft__leave(self, REQUEST_SPIN, spin);
    }
}

const char *ft_sections_marked_by(void)
{
#ifdef FT_SECTION_FLAGS
    return "flags";
#else
    return "the lock's word";
#endif
}

/* ---- Called back ----------------------------------------------------------------------------- */

static inline struct ft_thread *called(struct ft_thread *holder)
{
    return (struct ft_thread *)(void *)((char *)holder + 1);
}

BOOL ft__call_back(struct spin *spin, struct ft_thread *holder)
{
    struct ft_thread *word = holder;

#ifdef FT_SECTION_FLAGS
    atomic_store(&holder->called, 1);
    return atomic_load(&spin->holder) == word;
#else
    return atomic_compare_exchange_strong(&spin->holder, &word, called(holder)) ||
           word == called(holder);
#endif
}

void ft__return_to_loop(struct ft_thread *self)
{
    ft__leave(self, REQUEST_SECTION_OVER, NULL);
}

void ft__leave_called_back(struct spin *spin, struct ft_thread *self)
{
    spin_drop(spin);
    ft__return_to_loop(self);
}

/* ---- In a loop ------------------------------------------------------------------------------- */

/* A loop is never stopped for long: the system alone can take its processor. */
static BOOL runs(struct ft_thread *thread)
{
    for (int i = 0; i < ft__package.count; i++) {
        struct processor *processor = &ft__package.processors[i];

        if (thread == &processor->loop || atomic_load(&processor->current) == thread)
            return TRUE;
    }
    return FALSE;
}

BOOL ft__spin_in_loop(struct spin *spin, struct processor *self)
{
    while (!spin_try(spin, &self->loop)) {
        struct ft_thread *holder = NULL;

        for (int i = 0; i < SPINS_IN_LOOP; i++) {
            YieldProcessor();
            holder = spin_holder(spin);
            if (!holder)
                break;
        }
        if (!holder)
            continue;
        if (!runs(holder) && spin_holder(spin) == holder)
            return FALSE;
        SwitchToThread(); /* it may be that the holder's processor waits for ours */
    }
    return TRUE;
}

/* Where another processor has got it, it is to be continued there before all others. */
struct ft_thread *ft__recover(struct processor *self)
{
    struct ft_thread *holder = spin_holder(&self->lock);

    if (!ft__take_out(&self->kept, holder) && !ft__take_out(&self->late, holder)) {
        ft__lend(self, &self->lock, FT_MAX_PRIORITY);
        return NULL;
    }
    ft__call_back(&self->lock, holder);
    self->counts.recoveries++;
    return holder;
}
