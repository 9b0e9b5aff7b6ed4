/* SPDX-License-Identifier: MIT
 *
 * The table of handles (platform/linux/dispatch/handle.c) against a model: which value stands for which object, and
 * how many handles and references each object has.
 */
#define plat_lock_contended wait_for_another /* the doubles' ends a unit */
#include "platform/linux/dispatch/handle.c"

#include "doubles.h"
#include "gtest_c.h"

const struct plat_core *engine_core;

static struct plat_thread self;
static int unreferenced, unnamed, closed, dropped, freed;

struct plat_thread *thread_make_current(void)
{
    return &self;
}

void object_free(struct object *object)
{
    EXPECT_EQ(object->refs, 0);
    freed++;
}

void object_unref_last(struct object *object)
{
    object->refs--;
    unreferenced++;
}

void object_drop(struct object *object)
{
    EXPECT_EQ(object->lock.lock.word, 0);
    object->refs--;
    dropped++;
}

struct name_place {
    PLAT_LOCK(NAMES) lock;
} the_place;

PLAT_LOCK(NAMES) * name_lock(struct name_place *place)
{
    return &place->lock;
}

struct name_place *name_place_of(const struct object *object)
{
    return object->name ? &the_place : NULL;
}

void name_remove(struct name_place *place, struct object *object)
{
    EXPECT_EQ(place, &the_place);
    EXPECT_NE(place->lock.lock.word, 0);
    EXPECT_NE(object->lock.lock.word, 0);
    unnamed++;
}

void names_forget(void)
{
}

/* What the thread does that has a lock as the caller wants it. */
static void (*meanwhile)(void);

void wait_for_another(struct plat_lock *lock)
{
    void (*step)(void) = meanwhile;

    if (!step)
        UMS_FATAL("a lock is taken twice", lock, 0);
    meanwhile = NULL;
    atomic_store(&lock->word, 0);
    step();
    atomic_store(&lock->word, LOCK_HELD);
}

static void when_closed(struct object *object)
{
    EXPECT_EQ(object->handles, 0);
    EXPECT_EQ(object->lock.lock.word, 0); /* it may take it */
    closed++;
}

enum { OBJECTS = 50, MOST = 20000 };

static struct object objects[OBJECTS];
static void *handles[MOST];
static int object_of[MOST];

TEST(HandleTable, agrees_with_a_list)
{
    uint64_t random = tc_seed() * 2u + 1;
    size_t open = 0;
    uint32_t count[OBJECTS] = {0};

    for (int step = 0; step < 200000; step++) {
        int growing = step / 40000 % 2 == 0;

        if (open < MOST && next_random(&random) % 100 < (growing ? 60u : 45u)) {
            int which = (int)(next_random(&random) % OBJECTS);

            ASSERT_EQ(handle_create(&objects[which], &handles[open]), 0);
            ASSERT_EQ((uintptr_t)handles[open] % 4, 0);
            ASSERT_NE(handles[open], NULL);
            object_of[open++] = which;
            count[which]++;
        } else if (open) {
            size_t at = next_random(&random) % open;
            struct object *object = &objects[object_of[at]];

            for (uintptr_t tag = 0; tag < 4; tag++) /* the low bits are the program's */
                ASSERT_EQ(handle_find((char *)handles[at] + tag, &self), object);
            ASSERT_EQ(handle_close(handles[at]), 0);
            ASSERT_EQ(handle_find(handles[at], &self), NULL);
            ASSERT_EQ(handle_close(handles[at]), 6);
            count[object_of[at]]--;
            ASSERT_EQ(object->handles, count[object_of[at]]);
            ASSERT_EQ(object->refs, count[object_of[at]]);
            handles[at] = handles[--open];
            object_of[at] = object_of[open];
        }
    }
    for (size_t i = 0; i < open; i++) {
        EXPECT_EQ(handle_find(handles[i], &self), &objects[object_of[i]]);
        for (size_t j = i + 1; j < open && j < i + 50; j++)
            EXPECT_NE(handles[i], handles[j]);
    }
    while (open)
        EXPECT_EQ(handle_close(handles[--open]), 0);
    EXPECT_GE(unreferenced, OBJECTS);
    EXPECT_EQ(dropped, 0);
}

TEST(HandleTable, any_value_may_be_asked_for)
{
    void *handle;

    ASSERT_EQ(handle_create(&objects[0], &handle), 0);
    for (uintptr_t value = 0; value < 1 << 20; value++) {
        struct object *object = handle_find((void *)value, &self);

        EXPECT_EQ(object, value / 4 == (uintptr_t)handle / 4 ? &objects[0] : NULL);
    }
    EXPECT_EQ(handle_close((void *)((atomic_load(&used) + 1) * 4)), 6);
    ASSERT_EQ(handle_close(handle), 0);
    for (int bit = 20; bit < 64; bit++) {
        EXPECT_EQ(handle_find((void *)(1ull << bit), &self), NULL);
        EXPECT_EQ(handle_close((void *)(1ull << bit)), 6);
    }
}

TEST(HandleTable, the_calling_thread_and_process_have_handles_that_are_not_in_it)
{
    void *volatile process = (void *)-1;
    void *volatile thread = (void *)-2;
    void *volatile none = (void *)-3;

    EXPECT_EQ(handle_find(thread, &self), &self.object);
    EXPECT_EQ(handle_find(process, &self)->type, OBJECT_PROCESS);
    EXPECT_EQ(handle_find(none, &self), NULL);
    EXPECT_EQ(handle_close(process), 6);
    EXPECT_EQ(handle_close(thread), 6);
}

/* An object that has something to do when its last handle goes is called once, without the lock, and loses
 * its name before. */
TEST(HandleTable, the_last_handle_closes_its_object)
{
    struct object object = {.closed = when_closed, .name = (struct object_name *)&unnamed};
    void *first, *second;

    unnamed = dropped = 0;
    ASSERT_EQ(handle_create(&object, &first), 0);
    ASSERT_EQ(handle_create(&object, &second), 0);
    ASSERT_EQ(handle_close(first), 0);
    EXPECT_EQ(closed, 0);
    EXPECT_EQ(unnamed, 0);
    ASSERT_EQ(handle_close(second), 0);
    EXPECT_EQ(closed, 1);
    EXPECT_EQ(unnamed, 1);
    EXPECT_EQ(dropped, 1);
    EXPECT_EQ(object.refs, 0);
}

/* ---- Another thread is at the same handle ---------------------------------------------------- */

static struct object first, second, third;
static void *at_stake;

static void start_at_stake(void)
{
    first = second = third = (struct object){.refs = 1};
    unreferenced = unnamed = 0;
    ASSERT_EQ(handle_create(&first, &at_stake), 0);
}

static void give_to(struct object *object)
{
    void *again;

    EXPECT_EQ(handle_close(at_stake), 0);
    EXPECT_EQ(handle_create(object, &again), 0);
    EXPECT_EQ(again, at_stake);
}

static void give_to_second(void)
{
    give_to(&second);
}

static void give_to_third(void)
{
    give_to(&third);
}

static void close_it(void)
{
    EXPECT_EQ(handle_close(at_stake), 0);
}

TEST(HandleTable, what_a_handle_is_when_its_lock_is_had_counts)
{
    start_at_stake();
    atomic_store(&first.lock.lock.word, LOCK_HELD);
    meanwhile = give_to_second;
    EXPECT_EQ(handle_object(at_stake), &second);
    EXPECT_EQ(second.refs, 3u);
    EXPECT_EQ(first.refs, 1u);
    EXPECT_EQ(plat_lock_taken(&first.lock), false);
    EXPECT_EQ(plat_lock_taken(&second.lock), false);

    meanwhile = give_to_third;
    atomic_store(&second.lock.lock.word, LOCK_HELD);
    EXPECT_EQ(handle_lock_other(at_stake, &self), &third);
    EXPECT_EQ(plat_lock_taken(&third.lock), true);
    plat_unlock_lasting(&third.lock);
    EXPECT_EQ(handle_close(at_stake), 0);
}

TEST(HandleTable, one_of_two_closes_a_handle)
{
    start_at_stake();
    atomic_store(&first.lock.lock.word, LOCK_HELD);
    meanwhile = close_it;
    EXPECT_EQ(handle_close(at_stake), 6);
    EXPECT_EQ(first.handles, 0u);
    EXPECT_EQ(first.refs, 1u);
    EXPECT_EQ(plat_lock_taken(&first.lock), false);
}

static void lose_name(void)
{
    first.name = NULL;
}

/* The object's lock is let go for its name's: meanwhile the last handle was closed, and the object's memory is
 * another's, which has no name and the same handle. */
TEST(HandleTable, a_name_that_has_gone_meanwhile_is_not_taken_away_again)
{
    start_at_stake();
    first.name = (struct object_name *)&unnamed;
    atomic_store(&the_place.lock.lock.word, LOCK_HELD);
    meanwhile = lose_name;
    EXPECT_EQ(handle_close(at_stake), 0);
    EXPECT_EQ(unnamed, 0);
    EXPECT_EQ(first.handles, 0u);

    start_at_stake();
    first.name = (struct object_name *)&unnamed;
    atomic_store(&the_place.lock.lock.word, LOCK_HELD);
    meanwhile = close_it;
    EXPECT_EQ(handle_close(at_stake), 6);
    EXPECT_EQ(unnamed, 1);
    EXPECT_EQ(plat_lock_taken(&the_place.lock), false);
    EXPECT_EQ(plat_lock_taken(&first.lock), false);
}

TEST(HandleTable, full_it_says_so_and_goes_on)
{
    struct object object = {0};
    void *last = NULL, *handle;
    size_t count = 0;

    while (handle_create(&object, &handle) == 0) {
        last = handle;
        count++;
    }
    EXPECT_EQ(count, (size_t)PAGE * PAGES - 1); /* entry 0 is never used */
    EXPECT_EQ(handle_create(&object, &handle), 8);
    EXPECT_EQ(handle_close(last), 0);
    EXPECT_EQ(handle_create(&object, &handle), 0);
    EXPECT_EQ(handle, last);
    EXPECT_EQ(handle_close(handle), 0);
}

/* The parent's threads are not there, whatever they had. */
TEST(HandleTable, in_a_child_no_lock_is_taken)
{
    start_at_stake();
    for (unsigned i = 0; i < STRIPES; i++)
        atomic_store(&stripes[i].lock.lock.word, LOCK_HELD);
    handles_forget();
    EXPECT_EQ(handle_find(at_stake, &self), &first);
    EXPECT_EQ(handle_close(at_stake), 0);
    EXPECT_EQ(handle_create(&second, &at_stake), 0);
    EXPECT_EQ(handle_close(at_stake), 0);
}
