/* SPDX-License-Identifier: MIT
 *
 * thread_chains.c - see thread_chains.h.
 */
#include "thread_chains.h"

#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <unistd.h>

enum { CHAINS = 6, END_US = 10000000, LOOK_US = 1000 };

static bool (*has_it)(int change);
static int stopping, ended, missed;
static int changes; /* odd while one is made */
static int change_now;

static bool misses_it(void)
{
    int before = flag_get(&changes);
    bool has = has_it(flag_get(&change_now));

    return before % 2 == 0 && flag_get(&changes) == before && !has;
}

static void *link_of(void *unused)
{
    pthread_t next;

    flag_add(&missed, misses_it());
    if (flag_get(&stopping)) {
        flag_add(&ended, 1);
    } else {
        EXPECT_EQ(pthread_create(&next, NULL, link_of, unused), 0);
        EXPECT_EQ(pthread_detach(next), 0);
    }
    return NULL;
}

void chains_start(bool (*has)(int change))
{
    has_it = has;
    for (int i = 0; i < CHAINS; i++)
        link_of(NULL);
}

void chains_change_begin(void)
{
    flag_add(&changes, 1);
}

void chains_change_end(int change)
{
    flag_set(&change_now, change);
    flag_add(&changes, 1);
}

int chains_stop(void)
{
    flag_set(&stopping, 1);
    for (int us = 0; flag_get(&ended) < CHAINS && us < END_US; us += LOOK_US)
        usleep(LOOK_US);
    EXPECT_EQ(flag_get(&ended), CHAINS);
    return flag_get(&missed);
}
