/* SPDX-License-Identifier: MIT
 *
 * create.c - a worker created, run to its end and joined by another worker of the same scheduler.
 */
#include "probes_ums.h"

#include "bench.h"
#include "rig.h"

static void child(struct rig_worker *self)
{
    ++*(uint64_t *)self->arg;
}

struct creation {
    const struct bench_scale *scale;
    void (*child)(struct rig_worker *self);
    uint64_t ran;
};

/* By the time the handle is signalled and the boss executed again the scheduler has drained its
 * list, so nobody holds the child's context any more. */
static void make_and_join(struct rig_worker *self, struct creation *creation)
{
    struct rig_worker *made = rig_add(self->rig, creation->child, &creation->ran);

    if (WaitForSingleObject(made->thread, INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for a worker's handle", 0);
    CloseHandle(made->thread);
    if (!DeleteUmsThreadContext(made->context))
        bench_fail("DeleteUmsThreadContext", 0);
}

static void boss(struct rig_worker *self)
{
    struct creation *creation = self->arg;
    const struct bench_scale *scale = creation->scale;
    uint64_t warm = scale->creates / 10 + 1;
    uint64_t start;

    for (uint64_t i = 0; i < warm; i++)
        make_and_join(self, creation);
    start = bench_now_ns();
    for (uint64_t i = 0; i < scale->creates; i++)
        make_and_join(self, creation);
    bench_emit("create", (double)(bench_now_ns() - start) / 1000.0 / (double)scale->creates);
    if (creation->ran != warm + scale->creates)
        bench_fail("not every child ran", 0);
}

uint64_t create_workers(const struct bench_scale *scale, void (*body)(struct rig_worker *self))
{
    static struct rig rig;
    struct creation creation = {scale, body, 0};

    rig_init(&rig, (unsigned)(scale->creates + scale->creates / 10 + 2));
    rig_add(&rig, boss, &creation);
    rig_run(&rig);
    return creation.ran;
}

void probe_create(const struct bench_scale *scale)
{
    create_workers(scale, child);
}
