/* SPDX-License-Identifier: MIT
 *
 * footprint.c - what a worker costs in memory that has run, yielded, and lies parked.
 */
#include "probes_ums.h"

#include "bench.h"
#include "rig.h"

static void only_end(struct rig_worker *self)
{
}

/* The last one to come by sends the scheduler home; all stay parked in their first yield. */
static void park(struct rig_worker *self)
{
    unsigned *parked = self->arg;

    ++*parked;
    if (*parked == self->rig->added)
        self->rig->leave = true;
    rig_yield(self);
    bench_fail("a parked worker was executed", 0);
}

void probe_footprint(const struct bench_scale *scale)
{
    static struct rig first;
    static struct rig rig;
    struct bench_footprint before;
    unsigned parked = 0;

    /* The library's own start is not the crowd's. */
    rig_init(&first, 1);
    rig_add(&first, only_end, NULL);
    rig_run(&first);
    rig_init(&rig, scale->crowd);
    before = bench_footprint_read();
    before = bench_footprint_read();
    for (unsigned i = 0; i < scale->crowd; i++)
        rig_add(&rig, park, &parked);
    rig_run(&rig);
    if (parked != scale->crowd)
        bench_fail("not every worker parked", 0);
    bench_footprint_emit(&before, scale->crowd);
}
