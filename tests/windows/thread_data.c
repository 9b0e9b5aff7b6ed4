/* SPDX-License-Identifier: MIT
 *
 * thread_data.c - what a thread keeps in its environment block is the worker's: TLS, FLS, last
 * error and status, error mode, locale, activation context.
 *
 * The hazard: in place several workers take turns in one block. A value that is not exchanged is
 * shared by all of them; what the system does to every thread's block (TlsFree) misses the workers
 * that are parked.
 *
 * modes: default
 */
#include "gtest_c.h"
#include "moving.h"

#include <string.h>

enum { ROUNDS = 30, WORKERS = 4, SLOTS = 80, LIMIT_MS = 5000 };

static void *value_of(struct worker *self, DWORD slot)
{
    return (void *)(ULONG_PTR)(0x10000u * (self->index + 1u) + slot);
}

/* ---- TLS ----------------------------------------------------------------------------------- */

/* A thread has 64 slots at hand and gets more on its first use of one beyond: some of either. */
static DWORD slots[SLOTS];

static bool allocate_slots(void)
{
    for (int i = 0; i < SLOTS; i++)
        slots[i] = TlsAlloc();
    return EXPECT_NE(slots[SLOTS - 1], TLS_OUT_OF_INDEXES) && EXPECT_LT(slots[0], 64) &&
           EXPECT_GE(slots[SLOTS - 1], 64);
}

static void free_slots(void)
{
    for (int i = 0; i < SLOTS; i++)
        EXPECT_OK(TlsFree(slots[i]));
}

static void use_slots(struct worker *self)
{
    for (int i = 0; i < SLOTS; i++) {
        EXPECT_EQ(TlsGetValue(slots[i]), NULL);
        step_aside(self, i % 7);
        EXPECT_OK(TlsSetValue(slots[i], value_of(self, slots[i])));
    }
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        for (int j = 0; j < SLOTS; j++)
            EXPECT_EQ(TlsGetValue(slots[j]), value_of(self, slots[j]));
    }
}

/* A scheduler has values of its own. */
static void schedulers_slots(const struct activation *activation, void *arg)
{
    void *own = (void *)(ULONG_PTR)GetCurrentThreadId();

    for (int i = 0; i < SLOTS; i += SLOTS - 1) {
        if (activation->reason == UmsSchedulerStartup)
            EXPECT_OK(TlsSetValue(slots[i], own));
        EXPECT_EQ(TlsGetValue(slots[i]), own);
    }
}

TEST(ThreadData, tls_on_one_scheduler)
{
    ASSERT_OK(allocate_slots());
    EXPECT_OK(run_moving(1, WORKERS, use_slots, NULL, schedulers_slots));
    free_slots();
}

TEST(ThreadData, tls_on_two_schedulers)
{
    ASSERT_OK(allocate_slots());
    EXPECT_OK(run_moving(2, WORKERS, use_slots, NULL, schedulers_slots));
    free_slots();
}

/* An index given back and allocated again reads zero in every thread, parked workers among them.
 * The last worker does it, when all others have set theirs and wait for it. */
static int set_count, exchanged;

static void keep_freed_slots(struct worker *self)
{
    for (int i = 0; i < SLOTS; i += SLOTS - 1)
        EXPECT_OK(TlsSetValue(slots[i], value_of(self, slots[i])));
    flag_add(&set_count, 1);
    if (self->index == WORKERS - 1) {
        while (flag_get(&set_count) < WORKERS && !tc_failures())
            move_on(self);
        for (int i = 0; i < SLOTS; i += SLOTS - 1) {
            DWORD freed = slots[i];

            EXPECT_OK(TlsFree(freed));
            slots[i] = TlsAlloc();
            EXPECT_EQ(slots[i], freed);
        }
        flag_set(&exchanged, 1);
    } else {
        ASSERT_OK(yield_until(&exchanged));
    }
    for (int i = 0; i < SLOTS; i += SLOTS - 1)
        EXPECT_EQ(TlsGetValue(slots[i]), NULL);
}

TEST(ThreadData, tls_index_that_was_freed)
{
    ASSERT_OK(allocate_slots());
    set_count = exchanged = 0;
    EXPECT_OK(run_moving(1, WORKERS, keep_freed_slots, NULL, NULL));
    free_slots();
}

/* ---- FLS ----------------------------------------------------------------------------------- */

static struct fls_value {
    struct worker *owner;
    int called;
    DWORD by;
} fls_values[WORKERS][2];
static DWORD fls[2];

/* Runs on the worker that ends, which may still yield and wait. */
static void CALLBACK fls_callback(void *value)
{
    struct fls_value *mine = value;

    mine->by = GetCurrentThreadId();
    flag_add(&mine->called, 1);
    if (mine->owner->index % 2) {
        UmsThreadYield(NULL);
        Sleep(1);
        EXPECT_EQ(GetCurrentThreadId(), mine->owner->id);
    }
}

static void use_fls(struct worker *self)
{
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(FlsGetValue(fls[i]), NULL);
        fls_values[self->index][i].owner = self;
        EXPECT_OK(FlsSetValue(fls[i], &fls_values[self->index][i]));
    }
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_EQ(FlsGetValue(fls[0]), &fls_values[self->index][0]);
        EXPECT_EQ(FlsGetValue(fls[1]), &fls_values[self->index][1]);
    }
    EXPECT_EQ(flag_get(&fls_values[self->index][0].called), 0);
}

static void schedulers_fls(const struct activation *activation, void *arg)
{
    EXPECT_EQ(FlsGetValue(fls[0]), NULL);
    EXPECT_EQ(FlsGetValue(fls[1]), NULL);
}

static DWORD WINAPI
run_use_fls(LPVOID ended) /* on a thread of its own, which has seen no FLS yet */
{
    memset(fls_values, 0, sizeof fls_values);
    *(bool *)ended = run_moving(2, WORKERS, use_fls, NULL, schedulers_fls);
    for (int i = 0; i < WORKERS; i++) {
        for (int j = 0; j < 2; j++) {
            EXPECT_EQ(fls_values[i][j].called, 1);
            /* run_moving made the workers in this order; their ids were taken before they ended */
            EXPECT_NE(fls_values[i][j].by, 0);
            EXPECT_EQ(fls_values[i][j].by, fls_values[i][0].by);
            EXPECT_THAT(i == 0 || fls_values[i][j].by != fls_values[i - 1][j].by,
                        "callbacks of two workers came on thread %u",
                        (unsigned)fls_values[i][j].by);
        }
    }
    return 0;
}

TEST(ThreadData, fls_and_its_callbacks)
{
    bool ended = false;
    HANDLE thread;

    fls[0] = FlsAlloc(fls_callback);
    fls[1] = FlsAlloc(fls_callback);
    ASSERT_NE(fls[1], FLS_OUT_OF_INDEXES);
    thread = CreateThread(NULL, 0, run_use_fls, &ended, 0, NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 4 * LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(ended);
    EXPECT_OK(FlsFree(fls[0]));
    EXPECT_OK(FlsFree(fls[1]));
    for (int i = 0; i < WORKERS; i++)
        EXPECT_EQ(fls_values[i][0].called, 1); /* and not once more for a stale copy */
}
