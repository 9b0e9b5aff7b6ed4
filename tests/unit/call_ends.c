/* SPDX-License-Identifier: MIT
 *
 * How calls end (platform/linux/calls/call.c), and begin anew at a helper (traps/errand.c): what is
 * done of a call that is interrupted counts, and a time-out is one from the call's beginning.
 */
#include "platform/linux/calls/call.c"
#include "platform/linux/traps/errand.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

static unsigned asked;
static struct call call;
static struct baton baton;
static long made[7]; /* the system call at the helper */

const struct plat_core *engine_core;

static void is_interrupted(struct call *of)
{
    EXPECT_EQ(of, &call);
    asked++;
}

static const struct call_ops ops = {.interrupted = is_interrupted};
static const struct call_row row = {.nr = SYS_futex, .ops = &ops};

void call_mask_end(struct call *of, long result)
{
    FAIL("it has no mask");
}

static long kernel(long nr, const long args[6])
{
    made[0] = nr;
    memcpy(&made[1], args, 6 * sizeof *args);
    return 0;
}

static void fresh(void)
{
    memset(&call, 0, sizeof call);
    baton = (struct baton){.word = BATON_SHUT};
    call.entry = &row;
    call.baton = &baton;
    call.in_flight = true;
    asked = 0;
}

TEST(CallEnds, what_was_done_counts)
{
    fresh();
    call.progress = 4096;
    call_interrupt(&call);
    EXPECT_EQ(call.result, 4096);
    EXPECT_EQ(call.interrupted, false);
    EXPECT_EQ(call.in_flight, false);
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(atomic_load(&baton.word), BATON_POSTED);
}

TEST(CallEnds, with_nothing_done_it_was_interrupted)
{
    fresh();
    call_interrupt(&call);
    EXPECT_EQ(call.result, -EINTR);
    EXPECT_EQ(call.interrupted, true);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(atomic_load(&baton.word), BATON_POSTED);
}

static struct timespec until;

static long keeps_time(long nr, const long args[6])
{
    kernel(nr, args);
    if (args[3])
        until = *(const struct timespec *)args[3];
    return 0;
}

/* It waits for what is left of its time, not for all of it once more. */
TEST(CallEnds, a_helpers_futex_wait_ends_when_the_call_was_to_end)
{
    const struct timespec relative = {1, 0};
    uint32_t word = 0;

    fresh();
    double_syscall = keeps_time;
    call.args[0] = (long)&word;
    call.args[1] = FUTEX_WAIT | FUTEX_PRIVATE_FLAG;
    call.args[3] = (long)&relative;
    call.deadline = 7000000005u;
    EXPECT_EQ(block_futex(&call), 0);
    EXPECT_EQ(made[0], SYS_futex);
    EXPECT_EQ(made[2], FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG);
    EXPECT_EQ(until.tv_sec, 7);
    EXPECT_EQ(until.tv_nsec, 5);
    EXPECT_EQ((uint32_t)made[6], FUTEX_BITSET_MATCH_ANY);
    call.args[3] = 0;
    call.deadline = PLAT_FOREVER;
    EXPECT_EQ(block_futex(&call), 0);
    EXPECT_EQ(made[2], FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
    double_syscall = NULL;
}
