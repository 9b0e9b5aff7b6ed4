/* SPDX-License-Identifier: MIT
 *
 * standstill.c - UMSSHIM_WATCH=seconds: says so when a scheduler has had work and was not entered for so long.
 *
 * The timer thread looks four times in that span, at counters that schedulers keep anyway. A standstill is
 * told once: the next time that the scheduler is entered ends it. Nothing here waits for the program or uses
 * its heap, so it works in a process that is wedged. What each worker waits for, umsshim-trace says.
 */
#include <stdio.h>
#include <stdlib.h>

#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/inspect/standstill.h"
#include "platform/linux/os/raw.h"

enum { LOOKS = 4, LONGEST = 86400 };

static struct plat_timer next_look;
static uint64_t patience; /* nanoseconds */

static const char *reason_of(const struct plat_context *scheduler)
{
    static const char *const reasons[] = {"it began", "a worker blocked or ended",
                                          "a worker yielded"};
    return scheduler->reason < sizeof reasons / sizeof *reasons ? reasons[scheduler->reason] : "?";
}

static void tell(struct plat_context *scheduler, const struct plat_work *work, uint64_t still)
{
    char does[64] = "is in its entry point";
    if (work->running)
        snprintf(does, sizeof does, "runs worker %u", work->running);
    plat_log(
        "scheduler %u of thread %d %s and was not entered for %u seconds, while %u workers are ready and %u "
        "queued (%u blocked); last time, because %s. \"umsshim-trace why %d\" says more",
        work->number, (int)scheduler->tid, does, (unsigned)(still / 1000000000u), work->ready,
        work->queued, work->blocked, reason_of(scheduler), (int)RAW0(SYS_getpid));
}

static void look_at(struct plat_context *scheduler, void *now_at)
{
    uint64_t now = *(uint64_t *)now_at;
    struct plat_watched *seen = &scheduler->watched;
    uint32_t activations = __atomic_load_n(&scheduler->activations, __ATOMIC_RELAXED);
    struct plat_work work;
    if (!seen->since || seen->activations != activations) {
        *seen = (struct plat_watched){.since = now, .activations = activations};
    } else if (!seen->told && now - seen->since >= patience) {
        engine_core->work_of(scheduler, &work);
        if (!work.ready && !work.queued) {
            seen->since = now; /* it has nothing to do: it counts from when it has */
        } else {
            seen->told = true;
            tell(scheduler, &work, now - seen->since);
        }
    }
}

static void look(struct plat_timer *timer)
{
    uint64_t now = plat_now();
    schedulers_each(look_at, &now);
    timer->deadline = now + patience / LOOKS;
    timer_add(timer);
}

void standstill_watch(void)
{
    const char *text = secure_getenv("UMSSHIM_WATCH");
    char *end;
    if (!text || !*text)
        return;
    long seconds = strtol(text, &end, 10);
    if (*end || seconds < 0 || seconds > LONGEST) {
        plat_log("UMSSHIM_WATCH=%.20s is no number of seconds from 1 to %d: nothing is watched",
                 text, LONGEST);
        return;
    }
    if (!seconds)
        return;
    patience = (uint64_t)seconds * 1000000000u;
    next_look = (struct plat_timer){.deadline = plat_now() + patience / LOOKS, .fire = look};
    timer_add(&next_look);
}
