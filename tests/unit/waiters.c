/* SPDX-License-Identifier: MIT
 *
 * Waits for objects (platform/linux/dispatch/waiters.c, seat.c): each signal is used once,
 * each wait is decided once, and its worker is queued once its stack was left.
 */
#include "platform/linux/dispatch/waiters.c"
#include "platform/linux/dispatch/bucket.c"
#include "platform/linux/dispatch/offer.c"
#include "platform/linux/dispatch/ready.c"
#include "platform/linux/dispatch/seat.c"

#include "doubles.h"
#include "gtest_c.h"
#include "no_proxies.h"
#include "plain_objects.h"

#include <string.h>

struct engine_clock engine_clock;

enum { OBJECTS = 3 };

static struct plat_thread rooms[OBJECTS]; /* the largest of objects */
static struct object *objects[OBJECTS];
static struct plat_thread thread;
static struct plat_context worker;
static struct sitter *sitter;
static unsigned queued;

void limit_forget(struct limited_port *port)
{
    FAIL("no object here is a port (%p)", (void *)port);
}

void store_forget(void (*each)(struct object *))
{
    for (unsigned i = 0; i < OBJECTS; i++)
        each(objects[i]);
}

static void completed(struct plat_context *which)
{
    EXPECT_EQ(which, &worker);
    queued++;
}

static const struct plat_core core = {.worker_completed = completed};
const struct plat_core *engine_core = &core;

static void start(void)
{
    memset(rooms, 0, sizeof rooms);
    memset(&thread, 0, sizeof thread);
    for (unsigned i = 0; i < OBJECTS; i++) {
        objects[i] = &rooms[i].object;
        objects[i]->type = i < 2 ? OBJECT_AUTO_EVENT : OBJECT_THREAD;
        objects[i]->refs = 1;
    }
    all_beside = NULL;
    queued = 0;
    sitter = sitter_of(&thread);
    ASSERT_NE(sitter, NULL);
}

/* What object_signal.c does. */
static void signal_object(struct object *object)
{
    struct wait *chain = NULL;

    plat_lock(&object->lock);
    object->signal = 1;
    object_release_waiters(object, &chain);
    object_unlock(object);
    waits_open(chain);
}

/* ---- For all --------------------------------------------------------------------------------- */

static void wait_for_all(struct wait *wait, struct wait_block *blocks)
{
    wait_init(wait, blocks, &thread);
    wait->worker = &worker;
    wait->all = true;
    wait_enqueue(wait, objects[0]);
    wait_enqueue(wait, objects[1]);
}

/* A thread that signals an object takes the all-lock because of that count. */
TEST(Waiters, a_wait_for_all_counts_at_its_objects_until_it_is_decided)
{
    struct wait_block blocks[2];
    struct wait wait;

    start();
    wait_for_all(&wait, blocks);
    EXPECT_EQ(objects[0]->all_waits, 1u);
    EXPECT_EQ(objects[1]->all_waits, 1u);
    signal_object(objects[0]);
    EXPECT_EQ(wait.decided, false);
    EXPECT_EQ(objects[0]->signal, 1); /* nothing is taken before all are there */
    EXPECT_EQ(objects[0]->all_waits, 1u);
    signal_object(objects[1]);
    EXPECT_EQ(wait.decided, true);
    EXPECT_EQ(queued, 1u);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQ(objects[i]->signal, 0);
        EXPECT_EQ(objects[i]->all_waits, 0u);
        EXPECT_EQ(objects[i]->first, NULL);
        EXPECT_EQ(objects[i]->last, NULL);
        EXPECT_EQ(objects[i]->refs, 1u);
    }
}

TEST(Waiters, a_wait_for_all_that_is_over_leaves_its_objects)
{
    struct wait_block blocks[2];
    struct wait wait, *chain = NULL;

    start();
    wait_for_all(&wait, blocks);
    wait_decide(&wait, WAITED_TIMEOUT, &chain);
    EXPECT_EQ(chain, &wait);
    EXPECT_EQ(objects[0]->all_waits, 0u);
    EXPECT_EQ(objects[1]->all_waits, 0u);
    signal_object(objects[0]);
    EXPECT_EQ(queued, 0u);
}

/* ---- For one --------------------------------------------------------------------------------- */

TEST(Waiters, those_for_one_object_are_let_go_in_their_order)
{
    struct wait_block blocks[3];
    struct wait waits[3];

    start();
    for (unsigned i = 0; i < 3; i++) {
        wait_init(&waits[i], &blocks[i], &thread);
        waits[i].worker = &worker;
        wait_enqueue_only(&waits[i], objects[0]);
    }
    signal_object(objects[0]);
    EXPECT_EQ(waits[0].decided && !waits[1].decided && !waits[2].decided, true);
    wait_take_back(&waits[2], WAITED_TIMEOUT); /* the last leaves: the line ends before it */
    struct wait late;
    wait_init(&late, &blocks[2], &thread);
    late.worker = &worker;
    wait_enqueue_only(&late, objects[0]);
    signal_object(objects[0]);
    signal_object(objects[0]);
    EXPECT_EQ(waits[1].decided && late.decided, true);
    EXPECT_EQ(queued, 3u);
    EXPECT_EQ(objects[0]->signal, 0);
}

/* ---- For any --------------------------------------------------------------------------------- */

/* The thread begins to wait for any of the first two, from seats; the number is its set's. */
static void wait_for_any(struct wait *wait, struct wait_block *blocks, uint64_t number)
{
    wait_init(wait, blocks, &thread);
    wait->worker = &worker;
    wait->any = true;
    wait->left = false;
    wait->sitter = sitter;
    sitter->wait = wait;
    atomic_store(&sitter->word, number);
    for (unsigned i = 0; i < 2; i++)
        EXPECT_EQ(seat_take(objects[i], sitter, i), true);
}

static uint64_t next_set(void)
{
    return SEAT_NUMBER(atomic_load(&sitter->word)) + SEAT_SET;
}

TEST(Waiters, a_wait_for_any_uses_one_signal_only)
{
    struct wait_block blocks[2];
    struct wait wait;

    start();
    wait_for_any(&wait, blocks, next_set());
    atomic_fetch_or(&sitter->word, SEAT_PARKED);
    signal_object(objects[1]);
    signal_object(objects[0]);
    EXPECT_EQ(wait.result, 1u);
    EXPECT_EQ(queued, 1u);
    EXPECT_EQ(objects[1]->signal, 0);
    EXPECT_EQ(objects[0]->signal, 1);
}

/* Its scheduler looks at the word when the stack was left. */
TEST(Waiters, a_worker_that_is_still_leaving_is_not_queued)
{
    struct wait_block blocks[2];
    struct wait wait;

    start();
    wait_for_any(&wait, blocks, next_set());
    signal_object(objects[0]);
    EXPECT_EQ(wait.decided, true);
    EXPECT_EQ(queued, 0u);
    EXPECT_EQ(!!(atomic_load(&sitter->word) & SEAT_OPEN), true);

    /* It parks between the decision and the letting go. */
    struct wait *chain = NULL;
    wait_for_any(&wait, blocks, next_set());
    plat_lock(&objects[1]->lock);
    objects[1]->signal = 1;
    object_release_waiters(objects[1], &chain);
    object_unlock(objects[1]);
    atomic_fetch_or(&sitter->word, SEAT_PARKED);
    waits_open(chain);
    EXPECT_EQ(queued, 1u);
}

/* Each signal of the object would look at the sitter of a thread that waits elsewhere. */
TEST(Waiters, a_seat_that_was_left_is_gone_with_the_next_signal)
{
    struct wait_block blocks[2];
    struct wait wait;

    start();
    wait_for_any(&wait, blocks, next_set());
    atomic_store(&sitter->word, next_set()); /* it waits for others now */
    signal_object(objects[0]);
    EXPECT_EQ(wait.decided, false);
    EXPECT_EQ(objects[0]->signal, 1);
    EXPECT_EQ(objects[0]->seat, NULL);
    EXPECT_EQ(objects[1]->seat, sitter);
}

/* ---- After fork ------------------------------------------------------------------------------ */

/* They are the parent's, on stacks that no thread of the child runs on. */
TEST(Waiters, in_a_child_nobody_waits)
{
    struct wait_block blocks[2], block;
    struct wait wait, other;

    start();
    wait_for_any(&wait, blocks, next_set());
    wait_init(&other, &block, &thread);
    other.worker = &worker;
    wait_enqueue_only(&other, objects[2]);
    address_enqueue(&other, bucket_of(&other), &other);
    rooms[2].sleep = &other;
    waiters_forget();
    for (unsigned i = 0; i < OBJECTS; i++) {
        signal_object(objects[i]);
        EXPECT_EQ(objects[i]->signal, 1);
        EXPECT_EQ(objects[i]->first, NULL);
        EXPECT_EQ(objects[i]->last, NULL);
        EXPECT_EQ(objects[i]->seat, NULL);
    }
    EXPECT_EQ(bucket_of(&other)->first, NULL);
    EXPECT_EQ(rooms[2].sleep, NULL);
    EXPECT_EQ(wait.decided || other.decided, false);
    EXPECT_EQ(queued, 0u);
}
