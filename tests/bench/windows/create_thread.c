/* SPDX-License-Identifier: MIT
 *
 * create_thread.c - a thread created, run to its end and joined: beside the same with a worker.
 */
#include "windows/probes.h"

#include "rig.h"

static void count_up(struct rig_worker *self)
{
    ++*(uint64_t *)self->arg;
}

void probe_create_thread(const struct bench_scale *scale)
{
    uint64_t warm = scale->creates / 10 + 1;
    uint64_t ran = 0;
    uint64_t start = 0;

    for (uint64_t i = 0; i < warm + scale->creates; i++) {
        if (i == warm)
            start = bench_now_ns();
        rig_run_threads(1, count_up, &ran);
    }
    bench_emit("create", (double)(bench_now_ns() - start) / 1000.0 / (double)scale->creates);
    if (ran != warm + scale->creates)
        bench_fail("not every thread ran", 0);
}
