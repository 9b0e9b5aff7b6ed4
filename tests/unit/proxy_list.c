/* SPDX-License-Identifier: MIT
 *
 * The proxies of a process (platform/linux/dispatch/proxy_list.c): a new one has its state before the bell can find it,
 * and a look remembers which owners of mutexes it has found.
 */
#define plat_lock_contended lock_contended /* the doubles have their own, which ends a unit */
#include "platform/linux/dispatch/proxy_list.c"

#include "doubles.h"
#include "gtest_c.h"

static struct shared_page page;
static struct proxy fresh;
static uint64_t seen_word;
static int waits;

void lock_contended(struct plat_lock *lock)
{
    EXPECT_EQ((uintptr_t)lock, (uintptr_t)&list_lock.lock);
    seen_word = word_look(&page);
    waits++; /* the lock is this thread's by now */
}

int sealed_file(const char *text, size_t bytes)
{
    (void)text;
    EXPECT_EQ(bytes, sizeof page);
    return 7;
}

int sealed_file_map(int fd, size_t bytes, void **memory, uint64_t *number)
{
    EXPECT_EQ(fd, 7);
    EXPECT_EQ(bytes, sizeof page);
    *memory = &page;
    *number = 100;
    return 0;
}

int sealed_file_error(long error)
{
    return (int)error;
}

int shared_trouble(int error)
{
    return error;
}

void *object_create(enum object_type type, size_t bytes)
{
    EXPECT_EQ(bytes, sizeof fresh);
    fresh = (struct proxy){.mutex.object = {.type = (uint8_t)type, .refs = 1}};
    return &fresh;
}

void own_file_close(long fd)
{
    FAIL("descriptor %ld is closed", fd);
}

void shared_name_leave(struct shared_name *name)
{
    FAIL("name %p is left", (void *)name);
}

void shared_name_end(struct shared_name *name)
{
    FAIL("name %p ends", (void *)name);
}

/* The test has the lock of the list, and looks where the thread that makes the proxy would wait for it. */
TEST(ProxyList, has_a_new_proxy_only_with_its_state)
{
    int error = -1;

    plat_lock(&list_lock);
    EXPECT_EQ((uintptr_t)proxy_create(OBJECT_SHARED_SEMAPHORE, 3, 5, &error), (uintptr_t)&fresh);
    EXPECT_EQ(error, 0);
    EXPECT_EQ(waits, 1);
    EXPECT_EQ(seen_word, 3);
    EXPECT_EQ(word_look(&page), 3);
    EXPECT_EQ((uintptr_t)buckets[100 % PROXY_BUCKETS], (uintptr_t)&fresh);
    EXPECT_EQ(fresh.limit, 5);
}

/* ---- A look at a mutex ---- */

enum { SELF = 5 * PEERS + 1, OTHER = 7 * PEERS + 2, THIRD = 9 * PEERS + 3 };

static bool waited_for;
static uint32_t next_owner;

uint32_t peer_self(void)
{
    return SELF;
}

bool object_lock_to_signal(struct object *object)
{
    plat_lock(&object->lock);
    return false;
}

bool proxy_look(struct proxy *proxy, struct wait **chain)
{
    EXPECT_EQ(*chain, NULL);
    EXPECT_EQ(proxy->watched, proxy->mutex.object.type == OBJECT_SHARED_MUTEX ? OTHER : 0u);
    page.word = next_owner;
    return waited_for;
}

void waits_open(struct wait *chain)
{
    EXPECT_EQ(chain, NULL);
}

void object_free(struct object *object)
{
    FAIL("object %p goes", (void *)object);
}

PLAT_LOCK(ALL) all_lock;

static void expect_owner(enum object_type type, uint32_t owner)
{
    uint32_t owners[2] = {0, 0};

    fresh = (struct proxy){
        .mutex.object = {.type = (uint8_t)type, .refs = 1}, .page = &page, .file = 3};
    page.word = OTHER;
    enlist(&fresh);
    EXPECT_EQ(proxies_look(UINT64_C(1) << 3, owners, 2), owner ? 1u : 0u);
    EXPECT_EQ(owners[0], owner);
    EXPECT_EQ(fresh.watched, owner);
    buckets[3] = NULL;
}

TEST(ProxyList, look_knows_the_owner_that_it_has_found)
{
    next_owner = OTHER;
    waited_for = true;
    expect_owner(OBJECT_SHARED_MUTEX, OTHER);
    expect_owner(OBJECT_SHARED_SEMAPHORE, 0);
    next_owner = THIRD; /* meanwhile */
    expect_owner(OBJECT_SHARED_MUTEX, THIRD);
    next_owner = SELF;
    expect_owner(OBJECT_SHARED_MUTEX, 0);
    next_owner = OTHER;
    waited_for = false;
    expect_owner(OBJECT_SHARED_MUTEX, 0);
}
