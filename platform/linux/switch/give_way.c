/* SPDX-License-Identifier: MIT
 *
 * give_way.c - see give_way.h.
 *
 * The timer is set while there are such schedulers. `set` says so, under the lock. Only fire()
 * finds that there are none left, and does not set it again.
 */
#include "platform/linux/switch/give_way.h"

#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/platform.h"

enum { EVERY_NS = 4000000 };

static PLAT_LOCK(GIVE_WAY) lock;
static unsigned schedulers; /* under the lock */
static bool set;            /* under the lock */
static struct plat_timer timer;

static void ask(struct plat_context *scheduler, void *unused)
{
    (void)unused;
    if (scheduler->runs.real_time)
        atomic_store_explicit(&scheduler->stop_due, true, memory_order_relaxed);
}

static void fire(struct plat_timer *own)
{
    schedulers_each(ask, NULL);
    plat_lock(&lock);
    bool again = set = schedulers > 0;
    plat_unlock(&lock);
    if (!again)
        return;
    own->deadline = plat_now() + EVERY_NS;
    timer_add(own);
}

void give_way_begin(void)
{
    plat_lock(&lock);
    schedulers++;
    bool first = !set;
    set = true;
    plat_unlock(&lock);
    if (!first)
        return;
    timer.fire = fire;
    timer.deadline = plat_now() + EVERY_NS;
    timer_add_in(NULL, &timer);
}

void give_way_end(void)
{
    plat_lock(&lock);
    schedulers--;
    plat_unlock(&lock);
}

void give_way_forget(void)
{
    plat_lock_forget(&lock);
    schedulers = 0;
    set = false;
}
