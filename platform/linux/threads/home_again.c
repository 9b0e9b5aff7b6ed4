/* SPDX-License-Identifier: MIT
 *
 * home_again.c - the end of a worker whose home gets another worker: the home is not woken.
 *
 *   the worker      leaves its stack for good: state EXITING (umsshim/exit.c)
 *   the scheduler   finds the home as new, and does its part: tells the threads that wait for the
 *                   worker
 *   any thread      may delete the context, from then on
 *   the scheduler   renews the home, whose stack and variables are in no use now, and puts it into
 *                   the stock, by whose lock the next birth gets it
 *
 * A change of the program's processors goes to homes in stock, but not to homes of workers
 * (thread.c, follow_affinity). It raises affinity_age, and then looks whether a home has a worker.
 * Here the home first stops being a worker's, and then this code reads the age; locks that
 * thread_ended_elsewhere takes order the two. So the change reaches the home, or this code sees
 * that the home is too old.
 *
 * The next worker gets the thread id only after the old worker's handle is signalled. If anything
 * is left that needs the thread's end (an owned mutex, queued procedure calls), the home is woken
 * and ends with its worker.
 *
 * The program's destructors may need the worker. So the worker calls them itself, on its own stack,
 * when its function has returned, if without them its home would be as new. Else the home calls
 * them when it ends. The order is the same.
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
         * keys' values, too, since these come after all objects. */
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
