/* SPDX-License-Identifier: MIT
 *
 * mutex.c - two that fight for one mutex, which the kernel gives to a thread: workers are at home
 * when they take it, and when they release it.
 */
#include "windows/probes.h"

#include "rig.h"
#include "section.h"

static HANDLE mutex;

static void enter(void)
{
    if (WaitForSingleObject(mutex, INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for the mutex", 0);
}

static void leave(void)
{
    if (!ReleaseMutex(mutex))
        bench_fail("ReleaseMutex", 0);
}

static void give_way(void *self)
{
    rig_give_way(self);
}

static void fight(struct rig_worker *self)
{
    section_play(self->arg, enter, leave, give_way, self);
}

static void init(struct section_game *game, const struct bench_scale *scale)
{
    section_init(game, scale->entries, 2);
    mutex = CreateMutexA(NULL, FALSE, NULL);
    if (!mutex)
        bench_fail("CreateMutex", 0);
}

void probe_mutex(const struct bench_scale *scale)
{
    static struct rig rig;
    struct section_game game = {0};

    init(&game, scale);
    rig_init(&rig, 2);
    rig_add(&rig, fight, &game);
    rig_add(&rig, fight, &game);
    rig_run(&rig);
    section_emit(&game);
    bench_emit("upcalls", (double)atomic_load(&rig.activations[UmsSchedulerThreadBlocked]) /
                              (double)game.total);
}

void probe_mutex_threads(const struct bench_scale *scale)
{
    struct section_game game = {0};

    init(&game, scale);
    rig_run_threads(2, fight, &game);
    section_emit(&game);
}
