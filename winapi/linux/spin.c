/* SPDX-License-Identifier: MIT
 *
 * spin.c - trying for a lock whose owner is at work on another processor just now.
 *
 * To wait for a lock costs the waiter a switch, and the owner a wake-up of another scheduler, which
 * is dearer than what most sections do. So a worker whose lock is held on another processor stays.
 * Where the owner does not run, or runs on the same processor, it waits: what it would spin for
 * cannot happen meanwhile.
 *
 * Each look takes the lock's cache line away from the owner. Where two schedulers want one lock all
 * the time, that would be most of what they do. So a worker that had to look a moment ago looks
 * seldom, while the owner takes the lock again and again, at the price of a lock that nobody else
 * wants; then it is the other's turn. In this way two schedulers get as much through one lock as
 * one alone does.
 */
#include "platform/linux/threads/thread.h"
#include "umsshim/core.h"
#include "winapi/linux/spin.h"

/* Pauses before a look, each some 10 to 40 ns. They double. */
enum { FIRST = 16, FIRST_AGAIN = 256, MOST = 512, ALL = 1800 };
enum { A_MOMENT = 1 << 18 }; /* of the processor's counter: about 100 us */

/* A hint. The context and its scheduler may be another's by now, but their memory is a context's
 * for good. */
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
