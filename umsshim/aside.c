/* SPDX-License-Identifier: MIT
 *
 * aside.c - a worker whose own thread runs its signal handlers while no scheduler executes it.
 *
 * UMS_ASIDE in `stop` says that the home uses the stack of a READY or QUEUED worker. The
 * state stays as it is. The thread that begins sets the bit and then reads the state. A scheduler
 * that executes the worker changes the state and then reads `stop`, as for a suspension (stop.c).
 * To the program the worker has gone on, and has blocked at once, in its handler: it is BLOCKED and
 * UMS_AWAITED, and arrives when the home is done. So the scheduler can execute the worker for which
 * that handler waits. A thread that ends the worker meanwhile sets UMS_KILLED, and leaves the rest
 * to the home. Each of the two bits is set in the word that the home takes UMS_ASIDE out of: so
 * either the home sees the bit, or the other thread sees that the home is done.
 */
#include "umsshim/core.h"

bool ums__worker_aside(struct plat_context *plat)
{
    struct ums_context *worker = ums__of(plat);
    uint32_t stop = atomic_fetch_or(&worker->stop, UMS_ASIDE), state = ums__state(worker);
    if (stop & UMS_ASIDE)
        return false;
    if ((state == UMS_QUEUED || state == UMS_READY) && !(stop & UMS_TERMINATING))
        return true;
    enum plat_aside how = ums__worker_aside_over(plat);
    if (how == ASIDE_KILLED && !(stop & UMS_KILLED))
        plat_worker_kill(plat); /* who ended it since has left that to this thread */
    else if (how == ASIDE_AWAITED)
        ums__worker_completed(plat);
    return false;
}

enum plat_aside ums__worker_aside_over(struct plat_context *plat)
{
    uint32_t stop = atomic_fetch_and(&ums__of(plat)->stop, ~(UMS_ASIDE | UMS_AWAITED));
    return stop & UMS_KILLED ? ASIDE_KILLED : stop & UMS_AWAITED ? ASIDE_AWAITED : ASIDE_OVER;
}

bool ums__worker_await(struct ums_context *scheduler, struct ums_context *worker)
{
    worker->plat.scheduler = &scheduler->plat;
    ums__worker_follow(worker);
    ums__state_set(&worker->state, UMS_RUNNING, UMS_BLOCKED);
    uint32_t stop = atomic_load(&worker->stop);
    do
        if (!(stop & UMS_ASIDE)) {
            ums__state_set(&worker->state, UMS_BLOCKED, UMS_RUNNING);
            if (!ums__worker_must_stop(&worker->plat))
                return true;
            ums__state_set(&worker->state, UMS_RUNNING, UMS_READY);
            return false;
        }
    while (!atomic_compare_exchange_weak(&worker->stop, &stop, stop | UMS_AWAITED));
    ums__activate(scheduler, UmsSchedulerThreadBlocked, 1, NULL);
}
