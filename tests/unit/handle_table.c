/* SPDX-License-Identifier: MIT
 *
 * The table of handles (platform/linux/dispatch/handle.c) against a model: which value stands for which object, and
 * how many handles and references each object has.
 */
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
}
