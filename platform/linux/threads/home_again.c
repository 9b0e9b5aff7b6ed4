/* SPDX-License-Identifier: MIT
 *
 * home_again.c - the end of a worker whose home is the next worker's: the home is not woken.
 *
 *   the worker      leaves its stack for good: state EXITING (umsshim/exit.c)
 *   the scheduler   finds the home as new, and takes its part: whoever waits for the worker is told
 *   anybody         may delete the context, from then on
 *   the scheduler   renews the home, whose stack and variables are nobody's, and puts it into the
 *                   stock: its lock hands the home to the next birth
 *
 * A change of the program's processors goes to the stock's homes, and not to those of workers
 * (thread.c, follow_affinity): it raises affinity_age, then looks whose home a thread is. Here the
 * home stops being a worker's, then the age is read; in between thread_ended_elsewhere takes locks,
 * whose instructions let the first be seen before. So the change comes to the home, or the home is
 * seen to be too old.
 *
 * A thread id comes again only after the handle of the worker that had it is signalled. Where
 * anything is left that takes a thread to end (a mutex that is owned, procedure calls that are
 * queued) the home is woken, and ends with its worker.
 *
 * Destructors of the program's are code like any other of the worker's: it calls them itself, on
 * its own stack, when its function has returned and nothing but they is in the way. Else the home
 * does, when it ends. The order is the same.
 */
#include "platform/linux/threads/home_again.h"
#include "platform/linux/current.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/threads/home_renewal.h"
#include "platform/linux/threads/home_stock.h"
#include "platform/linux/threads/thread.h"
#include "platform/linux/threads/thread_keys.h"
#include "platform/linux/threads/thread_objects.h"

void home_worker_returns(void)
{
    struct plat_context *worker = plat_current();
    if (!worker || worker->is_scheduler)
        return;
    struct home *home = worker->home;
    if ((plat_tls.objects.first || keys_have_values(home)) && home_is_renewable_then(home)) {
        objects_destroy();
        /* A destructor may have made an object that libc is to destroy. Then libc destroys the
         * keys' values, too: they come after all objects. */
        if (!plat_tls.objects.libcs)
            keys_destroy_values();
    }
}

bool home_is_kept(struct lane *lane, struct plat_context *worker)
{
    struct home *home = worker->home;
    if (!lane || !home_stock_has_room(lane, home) || !home_is_renewable(home) ||
        !thread_ended_elsewhere(worker->thread, tls_at(home->fs_base)->counting.at))
        return false;
    home_renew(home);
    if (home->affinity_age == affinity_age())
        home_stock_return(lane, home);
    else
        home_dismiss(home);
    return true;
}
