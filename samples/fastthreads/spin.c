/* SPDX-License-Identifier: MIT
 *
 * spin.c - what happens when a critical section of the package is taken: waiting, and recovery.
 *
 * A thread can be stopped inside a critical section: suspended, or blocked by a fault or a handler
 * that makes a system call. The lock then stays taken until the thread runs again, and on UMS it
 * runs again only when a processor goes on with it: a processor that spins for the lock would wait
 * for itself. So a loop never insists. When a lock stays taken and its word names a thread that no
 * processor runs, the loop goes on with that thread as soon as it has arrived; it leaves the
 * section and is an ordinary thread from there on. Where nobody is stopped nothing is done for it.
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
            holder = atomic_load_explicit(&spin->holder, memory_order_acquire);
            if (!holder)
                break;
        }
        if (!holder)
            continue;
        if (!runs(holder) && atomic_load(&spin->holder) == holder)
            return FALSE;
        SwitchToThread(); /* it may be that the holder's processor waits for ours */
    }
    return TRUE;
}

/* Where another processor has got it, it is to be continued there before all others. */
struct ft_thread *ft__recover(struct processor *self)
{
    struct ft_thread *holder = atomic_load(&self->lock.holder);

    if (!ft__take_out(&self->kept, holder) && !ft__take_out(&self->late, holder)) {
        ft__lend(self, &self->lock, FT_MAX_PRIORITY);
        return NULL;
    }
    self->counts.recoveries++;
    return holder;
}
