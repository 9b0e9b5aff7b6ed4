/* SPDX-License-Identifier: MIT
 *
 * The order of locks (platform/linux/os/lock_order.c), as a checked build holds each acquisition
 * against it.
 */
#define UMSSHIM_CHECKS 1
#define plat_tls plat_tls_of_a_checked_build
#include "platform/linux/os/lock_order.c"

#include "doubles.h"
#include "gtest_c.h"

__thread struct plat_tls plat_tls; /* the doubles' is that of a build without checks */

void plat_written(const void *address)
{
}

static PLAT_LOCK(BINDING) binding;
static PLAT_LOCK(ALL) all;
static PLAT_LOCK(OBJECT) objects[2 * LOCKS_NOTED];
static PLAT_LOCK(TIMERS) timers;

/* How often it ends the process to take this lock. */
static int deaths(struct plat_lock *lock, enum lock_rank rank)
{
    double_fatal.armed = 1;
    double_fatal.count = 0;
    if (!setjmp(double_fatal.jump))
        lock_order_check(lock, rank);
    double_fatal.armed = 0;
    return double_fatal.count;
}

static void nothing_is_held(void)
{
    EXPECT_EQ(plat_tls.held.count, 0u);
    EXPECT_EQ(plat_tls.held.beyond, 0u);
    EXPECT_EQ(plat_tls.locks, 0u);
}

TEST(LockOrder, downwards_is_free)
{
    plat_lock(&binding);
    plat_lock(&objects[0]);
    plat_lock(&timers);
    plat_unlock(&objects[0]); /* in any order */
    plat_unlock(&timers);
    plat_lock(&objects[1]);
    plat_unlock(&objects[1]);
    plat_unlock(&binding);
    nothing_is_held();
}

TEST(LockOrder, upwards_ends_the_process)
{
    plat_lock(&timers);
    EXPECT_EQ(deaths(&objects[0].lock, RANK_OBJECT), 1);
    EXPECT_EQ(deaths(&binding.lock, RANK_BINDING), 1);
    EXPECT_EQ(deaths(&timers.lock, RANK_TIMERS), 1); /* it would wait for itself */
    plat_unlock(&timers);
    nothing_is_held();
}

TEST(LockOrder, one_of_a_kind_at_a_time)
{
    plat_lock(&objects[0]);
    EXPECT_EQ(deaths(&objects[1].lock, RANK_OBJECT), 1);
    EXPECT_EQ(plat_trylock(&objects[1]), true); /* waits for nobody */
    plat_unlock(&objects[1]);
    plat_unlock(&objects[0]);
    nothing_is_held();
}

/* More than a thread notes. */
TEST(LockOrder, several_objects_with_the_all_lock)
{
    plat_lock(&all);
    for (int i = 0; i < 2 * LOCKS_NOTED; i++)
        plat_lock(&objects[i]);
    EXPECT_EQ(deaths(&binding.lock, RANK_BINDING), 1);
    for (int i = 0; i < 2 * LOCKS_NOTED; i++)
        plat_unlock(&objects[i]);
    plat_unlock(&all);
    nothing_is_held();
}

/* A worker keeps a lock until its scheduler gives it back. */
TEST(LockOrder, handed_over)
{
    plat_lock(&objects[0]);
    plat_lock_left(&objects[0].lock);
    nothing_is_held();
    plat_lock_taken_over(&objects[0].lock, RANK_OBJECT);
    plat_unlock(&objects[0]);
    nothing_is_held();
    EXPECT_EQ(objects[0].lock.word, 0u);
}
