/* SPDX-License-Identifier: MIT
 *
 * standstill.c - the timer thread watches schedulers, if UMSSHIM_WATCH wants it: platform/watch.
 */
#include "platform/linux/inspect/standstill.h"

#include "platform/linux/current.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/watch/standstill.h"

static struct plat_timer next_look;
static uint64_t between;

static void look_at(struct plat_context *scheduler, void *now)
{
    standstill_look(scheduler, (uint32_t)scheduler->tid, *(uint64_t *)now);
}

static void look(struct plat_timer *timer)
{
    uint64_t now = plat_now();
    schedulers_each(look_at, &now);
    timer->deadline = now + between;
    timer_add(timer);
}

void standstill_watch(void)
{
    between = standstill_begin(engine_core, "umsshim-trace why");
    if (!between)
        return;
    next_look = (struct plat_timer){.deadline = plat_now() + between, .fire = look};
    timer_add(&next_look);
}
