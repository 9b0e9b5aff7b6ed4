/* SPDX-License-Identifier: MIT
 *
 * Mutexes that are closed while another thread has them (platform/linux/dispatch/object.c): each goes
 * when its owner takes the next one, and not before.
 */
#include "platform/linux/dispatch/object.c"

#include "doubles.h"
#include "gtest_c.h"

#include <string.h>

static struct plat_thread owner, other;
static struct mutex mutexes[2];
static const struct object *given_back;

void store_give(struct object *object)
{
    EXPECT_EQ(given_back, NULL);
    given_back = object;
}

struct object *store_take(size_t bytes, bool stable)
{
    FAIL("nothing is made");
    return NULL;
}

static void fresh(void)
{
    memset(&owner, 0, sizeof owner);
    memset(mutexes, 0, sizeof mutexes);
    given_back = NULL;
    plat_tls.thread = &owner;
    for (int i = 0; i < 2; i++) {
        mutexes[i].object.type = OBJECT_MUTEX;
        mutexes[i].object.refs = 1;
        mutexes[i].object.signal = 1;
    }
}

/* The last handle goes. */
static void closed_by(struct plat_thread *thread, struct mutex *mutex)
{
    plat_tls.thread = thread;
    object_drop(&mutex->object);
    plat_tls.thread = &owner;
}

TEST(Orphans, a_mutex_of_another_thread_goes_with_its_owners_next)
{
    fresh();
    mutex_take(&mutexes[0], &owner);
    closed_by(&other, &mutexes[0]);
    EXPECT_EQ(given_back, NULL);
    EXPECT_EQ(owner.owned.first, &mutexes[0]);
    mutex_take(&mutexes[1], &owner);
    EXPECT_EQ(given_back, &mutexes[0].object);
    EXPECT_EQ(owner.owned.first, &mutexes[1]);
    EXPECT_EQ(owner.owned.last, &mutexes[1]);
    plat_tls.thread = NULL;
}

/* Its lock may be held by who waits for the lock that the owner has: so it is only tried. */
TEST(Orphans, one_that_is_locked_goes_with_the_one_after)
{
    fresh();
    mutex_take(&mutexes[0], &owner);
    closed_by(&other, &mutexes[0]);
    plat_lock(&mutexes[0].object.lock);
    mutex_take(&mutexes[1], &owner);
    EXPECT_EQ(given_back, NULL);
    plat_unlock(&mutexes[0].object.lock);
    mutexes[1].object.signal++;
    mutex_disown(&mutexes[1]);
    mutex_take(&mutexes[1], &owner);
    EXPECT_EQ(given_back, &mutexes[0].object);
    plat_tls.thread = NULL;
}

TEST(Orphans, a_mutex_that_its_owner_closes_goes_at_once)
{
    fresh();
    mutex_take(&mutexes[0], &owner);
    closed_by(&owner, &mutexes[0]);
    EXPECT_EQ(given_back, &mutexes[0].object);
    EXPECT_EQ(owner.owned.first, NULL);
    plat_tls.thread = NULL;
}
