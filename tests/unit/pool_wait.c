/* SPDX-License-Identifier: MIT
 *
 * Waits of a pool (platform/linux/pool/pool_wait.c) that are set anew: a watch that was decided is its
 * decider's until the callback has been asked for.
 */
#include "platform/linux/pool/pool_wait.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

struct dispatch_hooks dispatch_hooks;
_Atomic bool proxies_apart;

static struct pool pool;
static struct pool_wait wait;
static struct object object;
static bool was_decided; /* the watch cannot be stopped any more */
static unsigned freed, asked_for;

struct watch *watch_create(struct object *of, void (*fn)(void *, uint32_t), void *arg)
{
    EXPECT_EQ(of, &object);
    return (struct watch *)arg;
}

void watch_start(struct watch *watch, uint64_t deadline)
{
}

bool watch_stop(struct watch *watch)
{
    return !was_decided;
}

void watch_free(struct watch *watch)
{
    freed++;
}

void pool_submit_locked(struct pool_item *item, bool timed_out)
{
    EXPECT_EQ(item, &wait.item);
    asked_for++;
}

void pool_unlock_attend(struct pool *of)
{
    plat_unlock(&of->lock);
}

bool pool_item_idle(struct pool_item *item)
{
    return false;
}

void pool_wake_waiters(struct pool_item *item)
{
}

static void fresh(void)
{
    memset(&wait, 0, sizeof wait);
    wait.item.pool = &pool;
    wait.item.refs = 1;
    was_decided = false;
    freed = asked_for = 0;
    EXPECT_EQ(pool_wait_set(&wait, &object, PLAT_FOREVER, NULL), 0);
    EXPECT_EQ(wait.item.refs, 2u);
}

TEST(PoolWait, one_that_is_taken_back_is_its_setters)
{
    bool taken_back = false;

    fresh();
    EXPECT_EQ(pool_wait_set(&wait, NULL, 0, &taken_back), 0);
    EXPECT_EQ(taken_back, true);
    EXPECT_EQ(freed, 1);
    EXPECT_EQ(wait.item.refs, 1u);
    EXPECT_EQ(wait.item.coming, 0u);
}

TEST(PoolWait, one_that_was_decided_is_its_deciders)
{
    bool taken_back = true;

    fresh();
    struct pool_watch *watch = wait.current;
    was_decided = true;
    EXPECT_EQ(pool_wait_set(&wait, NULL, 0, &taken_back), 0);
    EXPECT_EQ(taken_back, false);
    EXPECT_EQ(freed, 0);
    EXPECT_EQ(wait.item.coming, 1u); /* its callback, which is waited for */
    decided(watch, 0);
    EXPECT_EQ(asked_for, 1);
    EXPECT_EQ(wait.item.coming, 0u);
    EXPECT_EQ(wait.item.refs, 1u);
    EXPECT_EQ(freed, 0);
    pool_wait_clear(&wait);
    EXPECT_EQ(freed, 1);
}
