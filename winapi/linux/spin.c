/* SPDX-License-Identifier: MIT
 *
 * spin.c - tries to take a lock while its owner runs on another processor.
 *
 * To wait for a lock costs the waiter a switch, and the owner a wake-up of another scheduler. That
 * takes longer than most sections. So a worker spins while the owner of its lock runs on another
 * processor. If the owner does not run, or belongs to the same processor, the lock cannot become
 * free meanwhile, so the worker waits.
 *
 * Each look takes the lock's cache line from the owner's processor. If workers of two schedulers
 * want one lock all the time, most of their time would go into that. So a worker that had to spin a
 * moment ago looks seldom. Meanwhile the owner takes the lock again and again, as cheaply as if it
 * were alone; then it is the other worker's turn. So two schedulers get as much done with one lock
 * as one alone.
 */
#include "platform/linux/threads/thread.h"
#include "umsshim/core.h"
#include "winapi/linux/spin.h"

/* Pauses before a look, of 10 to 40 ns each. Their number doubles after each look. */
enum { FIRST = 16, FIRST_AGAIN = 256, MOST = 512, ALL = 1800 };
enum { A_MOMENT = 1 << 18 }; /* in ticks of the processor's counter: about 100 us */

/* Whether the owner runs on another lane. Only a guess: its context and scheduler may be another's
 * by now, but their memory always has contexts. */
static bool runs_beside(const struct lane *here, DWORD thread)
{
    struct plat_context *context = thread_context((pid_t)thread);
    if (!context || context->is_scheduler)
        return false;
    const struct plat_context *scheduler = context->scheduler;
    return ums__state(ums__of(context)) == UMS_RUNNING && scheduler && scheduler->lane &&
           scheduler->lane != here;
}

static bool worth_it(const struct lane *here, void *lock, DWORD (*owner)(void *lock))
{
    DWORD thread = owner(lock);
    return !thread || runs_beside(here, thread);
}

bool win__spin(void *lock, DWORD (*owner)(void *lock), bool (*take)(void *lock))
{
    const struct ums_context *self = ums__current_worker();
    const struct lane *here = self ? self->plat.scheduler->lane : NULL;
    if (!here || !worth_it(here, lock, owner))
        return false;
    uint64_t now = __builtin_ia32_rdtsc();
    unsigned pauses = now - plat_tls.spun_at < A_MOMENT ? FIRST_AGAIN : FIRST, done = 0;
    plat_tls.spun_at = now;
    do {
        for (unsigned i = 0; i < pauses; i++)
            __builtin_ia32_pause();
        if (take(lock))
            return true;
        done += pauses;
        pauses = pauses < MOST ? 2 * pauses : MOST;
    } while (done < ALL && worth_it(here, lock, owner));
    return false;
}
