/* SPDX-License-Identifier: MIT
 *
 * Hazard: UMS begins while another thread opens and closes a library. Both go through the dynamic linker's locks,
 * and where they take them in another order both hang.
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

enum { BEGINNINGS = 20, LIMIT_MS = 10000 };

static int begun;

static void *open_and_close(void *count)
{
    while (!flag_get(&begun)) {
        void *library = dlopen(A_LIBRARY, RTLD_NOW | RTLD_LOCAL);

        if (!library) {
            EXPECT_NE(library, NULL);
            break;
        }
        EXPECT_EQ(dlclose(library), 0);
        flag_add(count, 1);
    }
    return NULL;
}

static void nothing(struct worker *self)
{
    (void)self;
}

static int begin(void *unused)
{
    struct fleet *fleet;
    pthread_t opener;
    int opened = 0;

    (void)unused;
    EXPECT_EQ(pthread_create(&opener, NULL, open_and_close, &opened), 0);
    while (!flag_get(&opened) && !tc_failures())
        sched_yield();
    fleet = fleet_create(1, 1, 0);
    fleet_add(fleet, nothing, NULL);
    fleet_run(fleet);
    flag_set(&begun, 1);
    EXPECT_EQ(pthread_join(opener, NULL), 0);
    fleet_destroy(fleet);
    return 0;
}

TEST(OpeningMeanwhile, hinders_no_beginning)
{
    for (int i = 0; i < BEGINNINGS && !tc_failures(); i++) {
        struct child_result result = child_run(begin, NULL, LIMIT_MS);

        EXPECT_CHILD_OK(result);
    }
}
