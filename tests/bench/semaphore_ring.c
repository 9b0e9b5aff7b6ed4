/* SPDX-License-Identifier: MIT
 *
 * semaphore_ring.c - many workers or threads, each with a semaphore of its own: one token goes
 * round.
 */
#include "probes_ums.h"

#include "rig.h"
#include "ring.h"

#include <errno.h>
#include <stdlib.h>

static HANDLE *semaphores;

static void wait_for(unsigned which)
{
    if (WaitForSingleObject(semaphores[which], INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for a semaphore", 0);
}

static void release(unsigned which)
{
    if (!ReleaseSemaphore(semaphores[which], 1, NULL))
        bench_fail("ReleaseSemaphore", 0);
}

static void pass_on(struct rig_worker *self)
{
    ring_play(self->arg, self->index, wait_for, release);
}

static void init(struct ring *ring, const struct bench_scale *scale)
{
    ring_init(ring, scale->ring, scale->signals);
    semaphores = calloc(ring->members, sizeof(*semaphores));
    if (!semaphores)
        bench_fail("no memory for the ring", ENOMEM);
    for (unsigned i = 0; i < ring->members; i++) {
        semaphores[i] = CreateSemaphoreA(NULL, i == 0, 1, NULL);
        if (!semaphores[i])
            bench_fail("CreateSemaphore", 0);
    }
}

void probe_ring(const struct bench_scale *scale)
{
    static struct rig rig;
    struct ring ring = {0};

    init(&ring, scale);
    rig_init(&rig, ring.members);
    for (unsigned i = 0; i < ring.members; i++)
        rig_add(&rig, pass_on, &ring);
    rig_run(&rig);
    ring_emit(&ring);
}

void probe_ring_threads(const struct bench_scale *scale)
{
    struct ring ring = {0};

    init(&ring, scale);
    rig_run_threads(ring.members, pass_on, &ring);
    ring_emit(&ring);
}
