/* SPDX-License-Identifier: MIT
 *
 * win32_srw.c - slim reader/writer locks: many readers or one writer, and no waiter is forgotten.
 *
 * modes: win32
 */
#include <windows.h>

#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

static SRWLOCK lock = SRWLOCK_INIT;

static void try_both(void *arg)
{
    SRWLOCK own;

    InitializeSRWLock(&own);
    EXPECT_OK(TryAcquireSRWLockExclusive(&own));
    EXPECT_EQ(TryAcquireSRWLockExclusive(&own), 0);
    EXPECT_EQ(TryAcquireSRWLockShared(&own), 0);
    ReleaseSRWLockExclusive(&own);
    EXPECT_OK(TryAcquireSRWLockShared(&own));
    EXPECT_OK(TryAcquireSRWLockShared(&own));
    EXPECT_EQ(TryAcquireSRWLockExclusive(&own), 0);
    ReleaseSRWLockShared(&own);
    EXPECT_EQ(TryAcquireSRWLockExclusive(&own), 0);
    ReleaseSRWLockShared(&own);
    AcquireSRWLockExclusive(&own);
    ReleaseSRWLockExclusive(&own);
    AcquireSRWLockShared(&own);
    ReleaseSRWLockShared(&own);
    EXPECT_OK(TryAcquireSRWLockExclusive(&own));
    ReleaseSRWLockExclusive(&own);
    EXPECT_EQ(own.Ptr, NULL); /* free, it is what it was at first */
}

TEST(Win32Srw, try_and_release)
{
    in_each_kind(try_both, NULL);
}

/* ---- waiting for it ---- */

static void want_exclusive(void *arg)
{
    AcquireSRWLockExclusive(&lock);
    ReleaseSRWLockExclusive(&lock);
}

static void want_shared(void *arg)
{
    AcquireSRWLockShared(&lock);
    ReleaseSRWLockShared(&lock);
}

static void give_exclusive(void *arg)
{
    ReleaseSRWLockExclusive(&lock);
}

static void give_shared(void *arg)
{
    ReleaseSRWLockShared(&lock);
}

/* One of each kind waits in turn; a lock has no owner, so another thread may release it. */
static void each_in_turn(void (*acquire)(PSRWLOCK), void (*want)(void *), void (*give)(void *))
{
    struct kind_thread thread = {0};

    for (enum kind kind = 0; kind < KINDS; kind++) {
        acquire(&lock);
        ASSERT_OK(kind_start(&thread, kind, want, NULL));
        give(NULL);
        ASSERT_OK(kind_join(&thread));
        EXPECT_EQ(lock.Ptr, NULL);
    }
}

static void exclusively(PSRWLOCK which)
{
    AcquireSRWLockExclusive(which);
}

static void shared(PSRWLOCK which)
{
    AcquireSRWLockShared(which);
}

TEST(Win32Srw, each_kind_waits)
{
    for (int i = 0; i < 30; i++) {
        each_in_turn(exclusively, want_exclusive, give_exclusive);
        each_in_turn(exclusively, want_shared, give_exclusive);
        each_in_turn(shared, want_exclusive, give_shared);
    }
}

static int order[2];

static void worker_holds(struct worker *self)
{
    AcquireSRWLockExclusive(&lock);
    EXPECT_OK(UmsThreadYield(NULL));
    flag_set(&order[0], 1);
    ReleaseSRWLockExclusive(&lock);
}

static void worker_wants(struct worker *self)
{
    EXPECT_EQ(TryAcquireSRWLockShared(&lock), 0);
    if (self->index == 1)
        AcquireSRWLockShared(&lock);
    else
        AcquireSRWLockExclusive(&lock);
    EXPECT_EQ(flag_get(&order[0]), 1);
    if (self->index == 1)
        ReleaseSRWLockShared(&lock);
    else
        ReleaseSRWLockExclusive(&lock);
}

TEST(Win32Srw, worker_leaves_its_scheduler_BL_1)
{
    struct fleet *fleet = fleet_create(1, 3, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, worker_holds, NULL);
    fleet_add(fleet, worker_wants, NULL);
    fleet_add(fleet, worker_wants, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_GE(fleet_worker(fleet, 1)->blocked, 2);
    EXPECT_GE(fleet_worker(fleet, 2)->blocked, 2);
    fleet_destroy(fleet);
    EXPECT_EQ(lock.Ptr, NULL);
}

/* ---- contention ---- */

enum { ROUNDS = 4000, ENOUGH_MS = 2000 }; /* a busy machine makes fewer rounds */
static int readers;
static int writers;
static long written;
static long both[2]; /* equal except while a writer is at it */

static void mix(unsigned *state, int round)
{
    *state = *state * 1103515245u + 12345u;
    if ((*state >> 16) % 4 == 0) {
        AcquireSRWLockExclusive(&lock);
        if (flag_add(&writers, 1) != 1 || flag_get(&readers) != 0) {
            FAIL("round %d: a writer is not alone: %d writers, %d readers", round,
                 flag_get(&writers), flag_get(&readers));
        }
        both[0]++;
        written++;
        if ((*state >> 20) % 64 == 0) /* rare: on a busy machine it costs a time slice */
            SwitchToThread();
        both[1]++;
        flag_add(&writers, -1);
        ReleaseSRWLockExclusive(&lock);
    } else {
        AcquireSRWLockShared(&lock);
        flag_add(&readers, 1);
        if (flag_get(&writers) != 0 || both[0] != both[1])
            FAIL("round %d: a reader met a writer", round);
        if ((*state >> 20) % 64 == 0) /* rare: on a busy machine it costs a time slice */
            SwitchToThread();
        flag_add(&readers, -1);
        ReleaseSRWLockShared(&lock);
    }
}

static void read_and_write(void *arg)
{
    unsigned state = (unsigned)(ULONG_PTR)arg;
    ULONGLONG begun = stopwatch();

    for (int i = 0; i < ROUNDS && stopwatch() - begun < ENOUGH_MS && !tc_failures(); i++)
        mix(&state, i);
}

TEST(Win32Srw, readers_and_writers_of_all_kinds)
{
    enum { THREADS = 9 };
    struct kind_thread threads[THREADS] = {0};
    unsigned seed = tc_seed();

    for (int i = 0; i < THREADS; i++) {
        ASSERT_OK(kind_start(&threads[i], i % KINDS, read_and_write,
                             (void *)(ULONG_PTR)(seed + (unsigned)i * 7919u)));
    }
    for (int i = 0; i < THREADS; i++)
        ASSERT_OK(kind_join(&threads[i]));
    EXPECT_EQ(both[0], both[1]);
    EXPECT_EQ(both[0], written);
    EXPECT_EQ(lock.Ptr, NULL);
}

static void work(struct worker *self)
{
    unsigned state = (unsigned)self->index * 40503u + 1;
    ULONGLONG begun = stopwatch();

    for (int i = 0; i < ROUNDS / 10 && stopwatch() - begun < ENOUGH_MS && !tc_failures(); i++) {
        mix(&state, i);
        if (i % 4 == 0)
            EXPECT_OK(UmsThreadYield(NULL));
    }
}

TEST(Win32Srw, workers_of_two_schedulers)
{
    ASSERT_OK(FLEET_RUN(2, FLEET_SHARED_READY | FLEET_RANDOM, {16, work, NULL}));
    EXPECT_EQ(lock.Ptr, NULL);
}

/* ---- the last ones to come ---- */

/* A writer waits; a reader comes just when the lock is released, and nobody after it: the thread that is let go
 * must be somebody. */
static struct {
    HANDLE go[2];
    HANDLE done[2];
    int over;
} meeting;

static void come(int side)
{
    while (WaitForSingleObject(meeting.go[side], 8000) == WAIT_OBJECT_0 &&
           !flag_get(&meeting.over)) {
        if (side)
            want_shared(NULL);
        else
            want_exclusive(NULL);
        EXPECT_OK(SetEvent(meeting.done[side]));
    }
}

static void come_to_write(void *arg)
{
    come(0);
}

static void come_to_read(void *arg)
{
    come(1);
}

static void spin(unsigned rounds)
{
    for (volatile unsigned i = 0; i < rounds; i++) {
    }
}

TEST(Win32Srw, nobody_is_forgotten)
{
    struct kind_thread threads[2] = {0};
    unsigned state = tc_seed();
    ULONGLONG end = GetTickCount64() + 1500; /* a round is a dozen calls of a server, under Wine */

    for (int i = 0; i < 2; i++) {
        meeting.go[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
        meeting.done[i] = CreateEventA(NULL, FALSE, FALSE, NULL);
    }
    ASSERT_OK(kind_start(&threads[0], KIND_PLAIN, come_to_write, NULL));
    ASSERT_OK(kind_start(&threads[1], KIND_PLAIN, come_to_read, NULL));
    for (int round = 0; round < 20000 && (round < 100 || GetTickCount64() < end); round++) {
        state = state * 1103515245u + 12345u;
        AcquireSRWLockExclusive(&lock);
        EXPECT_OK(SetEvent(meeting.go[0]));
        spin((state >> 8) % 16000);
        EXPECT_OK(SetEvent(meeting.go[1]));
        spin((state >> 12) % 16000);
        ReleaseSRWLockExclusive(&lock);
        if (WaitForMultipleObjects(2, meeting.done, TRUE, 5000) != WAIT_OBJECT_0) {
            FAIL("round %d: somebody waits at a free lock (word %p)", round, lock.Ptr);
            return;
        }
    }
    flag_set(&meeting.over, 1);
    for (int i = 0; i < 2; i++) {
        EXPECT_OK(SetEvent(meeting.go[i]));
        ASSERT_OK(kind_join(&threads[i]));
        EXPECT_OK(CloseHandle(meeting.go[i]));
        EXPECT_OK(CloseHandle(meeting.done[i]));
    }
}
