/* SPDX-License-Identifier: MIT
 *
 * standstill.c - see standstill.h.
 */
#include "platform/watch/standstill.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/trace/system.h"

enum { LOOKS = 4, LONGEST = 86400 };

static const struct plat_core *watched_core;
static const char *says_more;
static uint64_t patience; /* nanoseconds */

uint64_t standstill_begin(const struct plat_core *core, const char *who)
{
    char text[24], *end;
    if (!system_variable("UMSSHIM_WATCH", text, sizeof text))
        return 0;
    long seconds = strtol(text, &end, 10);
    if (*end || seconds < 0 || seconds > LONGEST) {
        plat_log("UMSSHIM_WATCH=%.20s is no number of seconds from 1 to %d: nothing is watched",
                 text, LONGEST);
        return 0;
    }
    watched_core = core;
    says_more = who;
    patience = (uint64_t)seconds * 1000000000u;
    return patience / LOOKS;
}

static const char *reason_of(const struct plat_context *scheduler)
{
    static const char *const reasons[] = {"it began", "a worker blocked or ended",
                                          "a worker yielded"};
    return scheduler->reason < sizeof reasons / sizeof *reasons ? reasons[scheduler->reason] : "?";
}

static void tell(struct plat_context *scheduler, uint32_t thread, const struct plat_work *work,
                 uint64_t still)
{
    char does[64] = "is in its entry point";
    if (work->running)
        snprintf(does, sizeof does, "runs worker %u", work->running);
    plat_log("scheduler %u of thread %u %s and was not entered for %u seconds, while %u workers "
             "are ready and %u queued (%u blocked); last time, because %s. \"%s %u\" says more",
             work->number, thread, does, (unsigned)(still / 1000000000u), work->ready, work->queued,
             work->blocked, reason_of(scheduler), says_more, system_process());
}

void standstill_look(struct plat_context *scheduler, uint32_t thread, uint64_t now)
{
    struct plat_watched *seen = &scheduler->watched;
    uint32_t activations = __atomic_load_n(&scheduler->activations, __ATOMIC_RELAXED);
    struct plat_work work;
    if (!seen->since || seen->activations != activations) {
        *seen = (struct plat_watched){.since = now, .activations = activations};
    } else if (!seen->told && now - seen->since >= patience) {
        watched_core->work_of(scheduler, &work);
        if (!work.ready && !work.queued) {
            seen->since = now; /* it has nothing to do: it counts from when it has */
        } else {
            seen->told = true;
            tell(scheduler, thread, &work, now - seen->since);
        }
    }
}
