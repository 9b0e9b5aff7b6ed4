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

/* Holds the thread's context, so that it is not freed meanwhile. It does not hold the map's lock,
 * since standstill_look may print. */
static void look_at(uint32_t thread_id, uint64_t now)
{
    struct plat_context *context = thread_map_hold(thread_id);
    if (!context)
        return;
    if (context->is_scheduler)
        standstill_look(context, thread_id, now);
    thread_map_release(context);
}

static void watch(void)
{
    for (;;) {
        system_rest((unsigned)(between / 1000000));
        uint64_t now = plat_now();
        for (uint32_t id = 0; (id = thread_map_next(id)) != 0;)
            look_at(id, now);
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
