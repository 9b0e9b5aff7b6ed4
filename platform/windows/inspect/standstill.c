/* SPDX-License-Identifier: MIT
 *
 * standstill.c - see standstill.h.
 */
#include "platform/windows/inspect/standstill.h"

#include "platform/trace/system.h"
#include "platform/watch/standstill.h"
#include "platform/windows/engine.h"
#include "platform/windows/os/thread_map.h"

static uint64_t between;

/* Under the map's lock: it is there as long. */
static bool look_at(struct plat_context *context, void *now)
{
    if (context->is_scheduler)
        standstill_look(context, context->thread_id, *(uint64_t *)now);
    return false;
}

static void watch(void)
{
    for (;;) {
        system_rest((unsigned)(between / 1000000));
        uint64_t now = plat_now();
        thread_map_any(look_at, &now);
    }
}

void standstill_watch(void)
{
    between = standstill_begin(engine_core, "umsrun --why");
    int error = between ? system_thread_start(watch) : 0;
    if (error)
        plat_log("UMSSHIM_WATCH: there is no thread for it: %s; nothing is watched",
                 system_error_text(error));
}
