/* SPDX-License-Identifier: MIT
 *
 * many_children.h - a worker makes other workers, waits for each, and sees whether a home was used
 * again.
 */
#ifndef UMSSHIM_TESTS_LINUX_MANY_CHILDREN_H
#define UMSSHIM_TESTS_LINUX_MANY_CHILDREN_H

#include <dlfcn.h>

#include "fleet.h"
#include "gtest_c.h"

enum { MANY = 60 };

/* The id that the child had as a thread; 0 after a recorded failure. */
static inline DWORD make_and_join(struct worker *boss, worker_body body, void *arg)
{
    struct worker *child = fleet_add(boss->fleet, body, arg);
    DWORD id = 0;

    EXPECT_NE(child, NULL);
    if (child) {
        id = GetThreadId(child->thread);
        EXPECT_EQ(WaitForSingleObject(child->thread, 10000), WAIT_OBJECT_0);
    }
    return id;
}

/* A thread id that comes again within so few is a home's that was used again. */
static inline void expect_again(int again, int workers)
{
    bool described = dlvsym(RTLD_DEFAULT, "_thread_db_sizeof_pthread", "GLIBC_PRIVATE") != NULL;

#ifdef __SANITIZE_ADDRESS__
    described = false; /* AddressSanitizer keeps records of its own for a thread */
#endif
    EXPECT_THAT(again || !described, "%d workers, and no id came again", workers);
}

static inline void expect_homes_used_again(struct worker *boss, worker_body body, void *arg)
{
    DWORD ids[MANY];
    int again = 0;

    for (int i = 0; i < MANY && !tc_failures(); i++) {
        ids[i] = make_and_join(boss, body, arg);
        for (int before = 0; before < i; before++)
            again += ids[before] == ids[i];
    }
    expect_again(again, MANY);
}

static inline void run_boss(worker_body body, int workers, void *arg)
{
    struct fleet *fleet = fleet_create(1, workers + 1, FLEET_OWN_LISTS);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, body, arg);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

#endif
