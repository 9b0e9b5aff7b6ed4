/* SPDX-License-Identifier: MIT
 *
 * stack.c - a worker's stack grows, has its bounds and runs over as its own, on any scheduler.
 *
 * The hazard: the system takes the bounds from the thread's block. With another's, a fault on the
 * guard page of a worker's stack is no longer a stack that grows but an access violation, and an
 * overflow ends the process without a word.
 *
 * modes: default
 */
#include "again.h"
#include "gtest_c.h"
#include "moving.h"

#include <malloc.h>
#include <string.h>

enum { WORKERS = 3, KIB = 1024 };

struct bounds {
    char *low, *high;
};

static struct bounds bounds_now(void)
{
    ULONG_PTR low = 0, high = 0;

    GetCurrentThreadStackLimits(&low, &high);
    return (struct bounds){(char *)low, (char *)high};
}

/* The bounds that functions go by, those of the block, and an address of the caller's agree. */
static void expect_own_stack(const struct bounds *mine, const volatile char *local)
{
    struct bounds now = bounds_now();
    NT_TIB *tib = (NT_TIB *)NtCurrentTeb();

    EXPECT_EQ(now.low, mine->low);
    EXPECT_EQ(now.high, mine->high);
    EXPECT_LE(now.low, (char *)tib->StackLimit);
    EXPECT_LE((char *)tib->StackLimit, (char *)local);
    EXPECT_LT((char *)local, (char *)tib->StackBase);
    EXPECT_LE((char *)tib->StackBase, now.high);
}

/* ---- Bounds -------------------------------------------------------------------------------- */

static struct bounds bounds_of[MOVING_WORKERS];

static void tell_bounds(struct worker *self)
{
    struct bounds mine = bounds_now();
    volatile char here = 0;

    bounds_of[self->index] = mine;
    for (int i = 0; i < 40 && !tc_failures(); i++) {
        expect_own_stack(&mine, &here);
        step_aside(self, i);
    }
}

static void schedulers_bounds(const struct activation *activation, void *arg)
{
    struct bounds mine = bounds_now();
    volatile char here = 0;

    expect_own_stack(&mine, &here);
    EXPECT_OK(mine.low <= (char *)&here && (char *)&here < mine.high);
}

TEST(Stack, bounds)
{
    ASSERT_OK(run_moving(2, WORKERS, tell_bounds, NULL, schedulers_bounds));
    for (int i = 0; i < WORKERS; i++) {
        for (int j = 0; j < i; j++) {
            EXPECT_OK(bounds_of[i].high <= bounds_of[j].low ||
                      bounds_of[j].high <= bounds_of[i].low);
        }
    }
}

/* ---- Growth -------------------------------------------------------------------------------- */

enum { DEPTH = 220, FRAME = 3000 };

__attribute__((noinline)) static int go_down(struct worker *self, const struct bounds *mine,
                                             int depth)
{
    volatile char frame[FRAME];
    int below = 0;

    frame[0] = frame[FRAME - 1] = (char)depth;
    if (depth % 20 == 0)
        step_aside(self, depth / 20);
    else
        UmsThreadYield(NULL);
    expect_own_stack(mine, frame);
    if (depth > 1 && !tc_failures())
        below = go_down(self, mine, depth - 1);
    UmsThreadYield(NULL);
    EXPECT_EQ(frame[0], (char)depth);
    EXPECT_EQ(frame[FRAME - 1], (char)depth);
    return below + 1;
}

static void grow(struct worker *self)
{
    struct bounds mine = bounds_now();

    EXPECT_EQ(go_down(self, &mine, DEPTH), DEPTH);
    EXPECT_EQ(go_down(self, &mine, DEPTH), DEPTH); /* and over pages that are there */
}

TEST(Stack, grows_page_by_page_between_yields)
{
    ASSERT_OK(run_moving_on(1024 * KIB, 2, WORKERS, grow, NULL, NULL));
}

/* A frame of many pages at once: the compiler's probes touch one page after the other. */
__attribute__((noinline)) static void take_at_once(struct worker *self, const struct bounds *mine,
                                                   size_t bytes)
{
    volatile char *block = alloca(bytes);

    block[0] = 1;
    memset((void *)block, self->index, bytes);
    step_aside(self, (int)(bytes / (100 * KIB)));
    expect_own_stack(mine, block);
    EXPECT_EQ(block[0], self->index);
    EXPECT_EQ(block[bytes - 1], self->index);
}

static void take_large_frames(struct worker *self)
{
    struct bounds mine = bounds_now();

    for (size_t bytes = 10 * KIB; bytes <= 700 * KIB && !tc_failures(); bytes += 60 * KIB) {
        move_on(self);
        take_at_once(self, &mine, bytes);
    }
}

TEST(Stack, large_frames_after_a_move)
{
    ASSERT_OK(run_moving_on(1024 * KIB, 2, WORKERS, take_large_frames, NULL, NULL));
}

static void use_most_of_it(struct worker *self)
{
    struct bounds mine = bounds_now();

    for (int i = 0; i < 12 && !tc_failures(); i++) {
        take_at_once(self, &mine, 16 * KIB);
        step_aside(self, i);
    }
}

TEST(Stack, small)
{
    ASSERT_OK(run_moving_on(64 * KIB, 2, WORKERS, use_most_of_it, NULL, NULL));
}

/* ---- Size ---------------------------------------------------------------------------------- */

enum { RESERVED = 2048 * KIB, START = 8 * KIB }; /* no less than what Wine gives in any case */

static ptrdiff_t room_of[2];

static ptrdiff_t room_below(const volatile char *local)
{
    return (const char *)local - bounds_now().low;
}

static DWORD WINAPI tell_room(LPVOID unused)
{
    volatile char here = 0;

    room_of[0] = room_below(&here);
    return 0;
}

static void tell_workers_room(struct worker *self)
{
    volatile char here = 0;

    room_of[1] = room_below(&here);
}

/* Part of a worker's stack is where its own thread waits: it is not the worker's that is used for that. */
TEST(Stack, a_worker_has_as_much_as_a_thread)
{
    HANDLE thread =
        CreateThread(NULL, RESERVED, tell_room, NULL, STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, INFINITE), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    ASSERT_OK(run_moving_on(RESERVED, 1, 1, tell_workers_room, NULL, NULL));
    EXPECT_GE(room_of[1], room_of[0] - START);
}

/* ---- What is kept for the handler of an overflow ------------------------------------------- */

static ULONG guarantee(ULONG bytes)
{
    EXPECT_OK(SetThreadStackGuarantee(&bytes));
    return bytes;
}

static void have_a_guarantee(struct worker *self)
{
    ULONG mine = (ULONG)(self->index * 16 * KIB);

    if (mine)
        guarantee(mine);
    for (int i = 0; i < 30 && !tc_failures(); i++) {
        step_aside(self, i);
        EXPECT_GE(guarantee(0), mine);
        EXPECT_LT(guarantee(0), mine + 16 * KIB);
    }
}

TEST(Stack, guarantee)
{
    ASSERT_OK(run_moving(2, WORKERS, have_a_guarantee, NULL, NULL));
}
