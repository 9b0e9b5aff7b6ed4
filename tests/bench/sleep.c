/* SPDX-License-Identifier: MIT
 *
 * sleep.c - a crowd of workers in Sleep at once.
 */
#include "probes_ums.h"

#include "rig.h"
#include "sleepers.h"

static struct sleepers sleepers;
static unsigned gathered; /* one scheduler: no two workers run at once */

static void sleep_once(struct rig_worker *self)
{
    uint64_t due_ns;
    uint32_t length;

    gathered++;
    while (gathered < sleepers.count)
        rig_yield(self);
    length = sleepers_lie_down(&sleepers, self->index, &due_ns);
    Sleep(length);
    if (sleepers_rise(&sleepers, self->index, due_ns)) {
        self->rig->leave = true;
        rig_yield(self);
    }
    /* The way it has just slept: no page of its stack is touched for the first time. */
    Sleep(INFINITE);
    bench_fail("one woke from an endless sleep", 0);
}

static void run(const struct bench_scale *scale, enum sleepers_plan plan)
{
    static struct rig rig;

    sleepers_init(&sleepers, plan, scale, scale->crowd);
    rig_init(&rig, sleepers.count);
    for (unsigned i = 0; i < sleepers.count; i++)
        rig_add(&rig, sleep_once, NULL);
    rig_run(&rig);
    sleepers_emit(&sleepers);
}

void probe_sleep_alike(const struct bench_scale *scale)
{
    run(scale, SLEEP_ALIKE);
}

void probe_sleep_spread(const struct bench_scale *scale)
{
    run(scale, SLEEP_SPREAD);
}

void probe_sleep_together(const struct bench_scale *scale)
{
    run(scale, SLEEP_TOGETHER);
}
