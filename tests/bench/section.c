/* SPDX-License-Identifier: MIT
 *
 * section.c - workers that fight for one critical section, or plain threads.
 */
#include "probes_ums.h"

#include "rig.h"
#include "section.h"

static CRITICAL_SECTION section;

static void enter(void)
{
    EnterCriticalSection(&section);
}

static void leave(void)
{
    LeaveCriticalSection(&section);
}

static void give_way(void *self)
{
    rig_give_way(self);
}

static void fight(struct rig_worker *self)
{
    section_play(self->arg, enter, leave, give_way, self);
}

static void run(const struct bench_scale *scale, unsigned workers)
{
    static struct rig rig;
    struct section_game game = {0};

    section_init(&game, scale->entries, workers);
    InitializeCriticalSection(&section);
    rig_init(&rig, workers);
    for (unsigned i = 0; i < workers; i++)
        rig_add(&rig, fight, &game);
    rig_run(&rig);
    section_emit(&game);
    bench_emit("upcalls", (double)atomic_load(&rig.activations[UmsSchedulerThreadBlocked]) /
                              (double)game.total);
}

void probe_section_two(const struct bench_scale *scale)
{
    run(scale, 2);
}

void probe_section_eight(const struct bench_scale *scale)
{
    run(scale, 8);
}

void probe_section_threads(const struct bench_scale *scale)
{
    struct section_game game = {0};

    section_init(&game, scale->entries, 2);
    InitializeCriticalSection(&section);
    rig_run_threads(2, fight, &game);
    section_emit(&game);
}
