/* SPDX-License-Identifier: MIT
 *
 * A worker's baton (platform/linux/switch/baton.h): who comes second sees the other, whoever that
 * is. Each order of "the stack was left" and "the call is over" is tried, with a double of the
 * core.
 */
#include "platform/linux/switch/baton.h"

#include "doubles.h"
#include "gtest_c.h"

struct engine_clock engine_clock;

static unsigned completed;
static struct plat_context worker;
static struct baton *waits_at;

static void complete(struct plat_context *which)
{
    EXPECT_EQ(which, &worker);
    completed++;
}

/* As the core does: the worker leaves; left() says whether it has to wait. The call may be over by
 * then. */
static bool over_before_it_left, was_left;

static int wait_as_worker(struct plat_context *which, bool (*left)(void *), void *arg)
{
    EXPECT_EQ(which, &worker);
    if (over_before_it_left)
        baton_post(waits_at);
    was_left = left(arg);
    return 1;
}

static const struct plat_core core = {.worker_completed = complete, .worker_wait = wait_as_worker};
const struct plat_core *engine_core = &core;

static void wait_at(struct baton *baton)
{
    *baton = (struct baton){.word = BATON_SHUT, .worker = &worker};
    waits_at = baton;
    completed = 0;
    was_left = false;
}

TEST(Baton, opened_after_its_worker_has_left_queues_it)
{
    struct baton baton;
    wait_at(&baton);
    over_before_it_left = false;
    baton_wait(&baton);
    EXPECT_EQ(was_left, true);
    EXPECT_EQ(completed, 0u);
    baton_post(&baton);
    EXPECT_EQ(completed, 1u);
}

TEST(Baton, opened_while_its_worker_leaves_has_it_go_on)
{
    struct baton baton;
    wait_at(&baton);
    over_before_it_left = true;
    baton_wait(&baton);
    EXPECT_EQ(was_left, false);
    EXPECT_EQ(completed, 0u);
    EXPECT_EQ(atomic_load(&baton.word), (uint32_t)BATON_POSTED);
}

TEST(Baton, opened_before_its_worker_waits_is_not_waited_at)
{
    struct baton baton;
    wait_at(&baton);
    baton_post(&baton);
    over_before_it_left = false;
    baton_wait(&baton);
    EXPECT_EQ(was_left, false);
    EXPECT_EQ(completed, 0u);
}
