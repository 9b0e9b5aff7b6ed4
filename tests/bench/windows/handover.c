/* SPDX-License-Identifier: MIT
 *
 * handover.c - two that hand a turn to and fro: by SRW lock and condition variable, as workers or
 * as threads, and by WaitOnAddress, as threads.
 */
#include "windows/probes.h"

#include "rig.h"

static struct {
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
    LONG turn; /* under the lock, or, with WaitOnAddress, everybody's */
    uint64_t warm;
    uint64_t rounds;
    uint64_t start_ns;
    uint64_t end_ns;
} game;

static void step_by_condition(LONG me)
{
    AcquireSRWLockExclusive(&game.lock);
    while (game.turn != me)
        if (!SleepConditionVariableSRW(&game.changed, &game.lock, INFINITE, 0))
            bench_fail("SleepConditionVariableSRW", 0);
    game.turn = !me;
    WakeConditionVariable(&game.changed);
    ReleaseSRWLockExclusive(&game.lock);
}

static void step_by_address(LONG me)
{
    LONG other = !me;

    while (__atomic_load_n(&game.turn, __ATOMIC_ACQUIRE) != me)
        if (!WaitOnAddress(&game.turn, &other, sizeof(other), INFINITE))
            bench_fail("WaitOnAddress", 0);
    __atomic_store_n(&game.turn, other, __ATOMIC_SEQ_CST);
    WakeByAddressSingle(&game.turn);
}

/* A step: wait for the turn, give it to the other. Number 0 has the first, and the clock. */
__attribute__((always_inline)) static inline void play(unsigned me, void (*step)(LONG))
{
    for (uint64_t i = 0; i < game.warm + game.rounds; i++) {
        if (me == 0 && i == game.warm)
            game.start_ns = bench_now_ns();
        step((LONG)me);
    }
    if (me == 0)
        game.end_ns = bench_now_ns();
}

static void by_condition(struct rig_worker *self)
{
    play(self->index, step_by_condition);
}

static void by_address(struct rig_worker *self)
{
    play(self->index, step_by_address);
}

static void init(const struct bench_scale *scale)
{
    game.rounds = scale->handovers / 2;
    game.warm = game.rounds / 10 + 1;
}

/* There and back. */
static double trip_ns(void)
{
    return (double)(game.end_ns - game.start_ns) / (double)game.rounds;
}

void probe_condition(const struct bench_scale *scale)
{
    static struct rig rig;

    init(scale);
    rig_init(&rig, 2);
    rig_add(&rig, by_condition, NULL);
    rig_add(&rig, by_condition, NULL);
    rig_run(&rig);
    bench_emit("handover", trip_ns() / 2);
}

void probe_condition_threads(const struct bench_scale *scale)
{
    init(scale);
    rig_run_threads(2, by_condition, NULL);
    bench_emit("handover", trip_ns() / 2);
}

void probe_address_threads(const struct bench_scale *scale)
{
    init(scale);
    rig_run_threads(2, by_address, NULL);
    bench_emit("trip", trip_ns());
}
