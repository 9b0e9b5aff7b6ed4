/* SPDX-License-Identifier: MIT
 *
 * create_left.c - create.c's workers, each of which leaves something behind.
 */
#include "probes_ums.h"

#include "bench.h"
#include "left_behind.h"
#include "rig.h"

static void child(struct rig_worker *self)
{
    leave_behind();
    ++*(uint64_t *)self->arg;
}

void probe_create_left(const struct bench_scale *scale)
{
    uint64_t made = create_workers(scale, child);

    if (left_destroyed() != 2 * made)
        bench_fail("not everything that was left was destroyed", 0);
}
