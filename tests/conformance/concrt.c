/* SPDX-License-Identifier: MIT
 *
 * concrt.c - section 15: the Concurrency Runtime's ways (CX-1 to CX-4, with ES-10 and EX-11).
 */
#include "concrt.h"

static void compute(struct proxy *self)
{
    for (int i = 0; i < 20; i++) {
        EXPECT_EQ(GetCurrentThreadId(), self->worker.id);
        if (i % 5 == 4)
            Sleep(1);
        else
            concrt_yield(LET_OTHERS);
        EXPECT_EQ(((struct primary *)atomic_load(&self->on))->kind, PROCESSOR);
    }
}

CLAUSE(CX, 1, OBS, "-",
       "Workers run first on a thread engine, up to their main, and then on virtual processors")
{
    static void (*const bodies[])(struct proxy *) = {compute, compute, compute,
                                                     compute, compute, compute};

    REQUIRE(concrt_run(bodies, 6));
    for (int i = 0; i < 6; i++)
        EXPECT_EQ(concrt.proxies[i].first, concrt_engine());
    for (int i = 0; i < PRIMARIES; i++) {
        EXPECT_EQ(atomic_load(&concrt.primaries[i].startups), 1);
        EXPECT(concrt.primaries[i].told);
    }
    EXPECT_EQ(atomic_load(&concrt_engine()->executes), 6);
    concrt_clean_up();
}

static void be_critical(struct proxy *self)
{
    for (int i = 0; i < 10; i++) {
        struct primary *on = atomic_load(&self->on);
        int before;

        atomic_store(&self->critical, 1);
        before = atomic_load(&on->executes);
        Sleep(2);
        EXPECT_EQ(atomic_load(&self->on), on);
        EXPECT_GE(atomic_load(&on->executes) - before, 0);
        EXPECT_LE(atomic_load(&on->executes) - before, 1); /* its own, if the block was told */
        atomic_store(&self->critical, 0);
        concrt_yield(LET_OTHERS);
    }
}

CLAUSE(CX, 2, OBS, "-",
       "In a critical region the processor waits until exactly that worker is back")
{
    static void (*const bodies[])(struct proxy *) = {be_critical, compute, be_critical,
                                                     compute,     compute, be_critical};
    int waited = 0;

    REQUIRE(concrt_run(bodies, 6));
    for (int i = 1; i <= PROCESSORS; i++)
        waited += atomic_load(&concrt.primaries[i].critical_blocks);
    EXPECT_GE(waited, 30);
    concrt_clean_up();
}

static void act_like_a_thread(struct proxy *self)
{
    concrt_yield(BE_A_THREAD);
    for (int i = 0; i < 10; i++) {
        EXPECT_EQ(atomic_load(&self->on), concrt_private());
        Sleep(1);
    }
    EXPECT_EQ(GetCurrentThreadId(), self->worker.id);
}

CLAUSE(CX, 3, OBS, "-", "A worker that is to act like a thread migrates to a scheduler of its own")
{
    static void (*const bodies[])(struct proxy *) = {compute, act_like_a_thread, compute};

    REQUIRE(concrt_run(bodies, 3));
    EXPECT_GE(atomic_load(&concrt_private()->executes), 11);
    EXPECT_EQ(atomic_load(&concrt.proxies[1].on), concrt_private());
    concrt_clean_up();
}

/* Suspends its neighbour, which is ready or runs, until it was caught ready: then a scheduler that wanted to
 * execute it was refused, and had to poll. */
static void suspend_neighbour(struct proxy *self)
{
    struct proxy *other = self + 1;

    compute(self);
    while (!atomic_load(&other->refusals) && GetTickCount64() < concrt.deadline) {
        EXPECT_EQ(SuspendThread(other->worker.thread), 0);
        Sleep(5);
        EXPECT_EQ(ResumeThread(other->worker.thread), 1);
        concrt_yield(LET_OTHERS);
    }
}

static void yield_for_long(struct proxy *self)
{
    while (!atomic_load(&self->refusals) && GetTickCount64() < concrt.deadline)
        concrt_yield(LET_OTHERS);
    EXPECT_GE(atomic_load(&self->refusals), 1);
}

/* One for each processor: waits until the rest has ended, then takes its processor down. */
static void retire(struct proxy *self)
{
    struct primary *down;

    while (atomic_load(&concrt.ended) < 2 && GetTickCount64() < concrt.deadline)
        Sleep(1);
    down = atomic_load(&self->on);
    concrt_yield(RETIRE);
    EXPECT_NE(atomic_load(&self->on), down);
    EXPECT_EQ(atomic_load(&self->on), concrt_engine());
    EXPECT(down->retire);
}

CLAUSE(CX, 4, OBS, "-",
       "Shutdown: suspended workers are polled, ended ones deleted, primaries return after a yield")
{
    static void (*const bodies[])(struct proxy *) = {suspend_neighbour, yield_for_long, retire,
                                                     retire};

    REQUIRE(concrt_run(bodies, 4));
    for (int i = 1; i <= PROCESSORS; i++)
        EXPECT(concrt.primaries[i].retire);
    concrt_clean_up();
}
