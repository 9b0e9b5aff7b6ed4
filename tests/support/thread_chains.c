/* SPDX-License-Identifier: MIT
 *
 * thread_chains.c - see thread_chains.h.
 */
#include "thread_chains.h"

#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <unistd.h>

enum { CHAINS = 6, LIMIT_MS = 10000, LOOK_US = 100 };

static bool (*has_it)(int number);
static int stopping, ended, missed, links;
static int changes; /* odd while a change is being made */
static int change_now;

static bool misses_it(void)
{
    int before = flag_get(&changes);
    bool has = has_it(flag_get(&change_now));

    return before % 2 == 0 && flag_get(&changes) == before && !has;
}

/* The next thread is born detached, because glibc's pthread_detach is not safe here: it marks the
 * thread and then reads its block once more. If the thread ends in between, the block may be the
 * next thread's, and pthread_detach frees it. */
static void *link_of(void *unused)
{
    pthread_attr_t detached;
    pthread_t next;

    flag_add(&missed, misses_it());
    flag_add(&links, 1);
    if (flag_get(&stopping)) {
        flag_add(&ended, 1);
    } else {
        EXPECT_EQ(pthread_attr_init(&detached), 0);
        EXPECT_EQ(pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED), 0);
        EXPECT_EQ(pthread_create(&next, &detached, link_of, unused), 0);
        EXPECT_EQ(pthread_attr_destroy(&detached), 0);
    }
    return NULL;
}

static void wait_for(const int *count, int wanted)
{
    long long started = now_ms();

    while (flag_get(count) < wanted && now_ms() - started < LIMIT_MS)
        usleep(LOOK_US);
    EXPECT_GE(flag_get(count), wanted);
}

int chains_missed(void (*change)(int number), bool (*has)(int number), int count)
{
    long long began = now_ms();

    has_it = has;
    for (int i = 0; i < CHAINS; i++)
        link_of(NULL);
    for (int i = 1; i <= count && now_ms() - began < LIMIT_MS; i++) {
        flag_add(&changes, 1);
        change(i);
        flag_set(&change_now, i);
        flag_add(&changes, 1);
        wait_for(&links, flag_get(&links) + CHAINS);
    }
    flag_set(&stopping, 1);
    wait_for(&ended, CHAINS);
    return flag_get(&missed);
}
