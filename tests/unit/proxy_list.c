/* SPDX-License-Identifier: MIT
 *
 * The proxies of a process (platform/linux/dispatch/proxy_list.c): a new one has its state before the bell can find it.
 * The test has the lock of the list, and looks where the thread that makes the proxy would wait for it.
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
