/* SPDX-License-Identifier: MIT
 *
 * event.c - two that signal each other with auto-reset events: workers, and plain threads.
 */
#include "probes_ums.h"

#include "bench.h"
#include "rig.h"

static struct {
    HANDLE events[2];
    uint64_t warm;
    uint64_t rounds;
    uint64_t start_ns;
    uint64_t end_ns;
} game;

static void init(uint64_t signals)
{
    game.rounds = signals / 2;
    game.warm = game.rounds / 10 + 1;
    for (int i = 0; i < 2; i++) {
        game.events[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        if (!game.events[i])
            bench_fail("CreateEvent", 0);
    }
}

static void set(int which)
{
    if (!SetEvent(game.events[which]))
        bench_fail("SetEvent", 0);
}

static void wait_for(int which)
{
    if (WaitForSingleObject(game.events[which], INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for an event", 0);
}

static void lead(void)
{
    for (uint64_t i = 0; i < game.warm + game.rounds; i++) {
        if (i == game.warm)
            game.start_ns = bench_now_ns();
        set(1);
        wait_for(0);
    }
    game.end_ns = bench_now_ns();
}

static void answer(void)
{
    for (uint64_t i = 0; i < game.warm + game.rounds; i++) {
        wait_for(1);
        set(0);
    }
}

static void emit(void)
{
    bench_emit("signal", (double)(game.end_ns - game.start_ns) / (double)(game.rounds * 2));
}

static void lead_worker(struct rig_worker *self)
{
    lead();
}

static void answer_worker(struct rig_worker *self)
{
    answer();
}

void probe_event(const struct bench_scale *scale)
{
    static struct rig rig;

    init(scale->signals);
    rig_init(&rig, 2);
    rig_add(&rig, lead_worker, NULL);
    rig_add(&rig, answer_worker, NULL);
    rig_run(&rig);
    emit();
    bench_emit("upcalls", (double)atomic_load(&rig.activations[UmsSchedulerThreadBlocked]) /
                              (double)((game.warm + game.rounds) * 2));
}

static DWORD WINAPI answer_thread(LPVOID unused)
{
    answer();
    return 0;
}

void probe_event_threads(const struct bench_scale *scale)
{
    HANDLE other;

    init(scale->handovers);
    other = CreateThread(NULL, 0, answer_thread, NULL, 0, NULL);
    if (!other)
        bench_fail("CreateThread", 0);
    lead();
    if (WaitForSingleObject(other, INFINITE) != WAIT_OBJECT_0)
        bench_fail("waiting for a thread", 0);
    emit();
}
