/* SPDX-License-Identifier: MIT
 *
 * Hazard: UMS begins while another thread opens and closes a library, or in the constructor of one.
 * Both take the dynamic linker's locks; if they take them in different orders, both hang.
 *
 * modes: default, UMSSHIM_DETECT=traps
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

enum { BEGINNINGS = 20, LIMIT_MS = 10000, WHILE_MS = 200 };

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
}

static void run_a_worker(void)
{
    struct fleet *fleet = fleet_create(1, 1, 0);

    fleet_add(fleet, nothing, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

static int begin(void *unused)
{
    pthread_t opener;
    int opened = 0;

    EXPECT_EQ(pthread_create(&opener, NULL, open_and_close, &opened), 0);
    while (!flag_get(&opened) && !tc_failures())
        sched_yield();
    run_a_worker();
    flag_set(&begun, 1);
    EXPECT_EQ(pthread_join(opener, NULL), 0);
    return 0;
}

TEST(OpeningMeanwhile, hinders_no_beginning)
{
    for (int i = 0; i < BEGINNINGS && !tc_failures(); i++)
        EXPECT_IN_CHILD(begin, NULL, LIMIT_MS);
}

/* ---- In a constructor ----------------------------------------------------------------------------------- */

void while_opened(void); /* for opened_module.c */

static HANDLE other;

static DWORD WINAPI begin_as_well(LPVOID unused)
{
    run_a_worker();
    return 0;
}

/* The opening thread holds the linker's lock here. Where the other one needs it, it waits for it with no lock that is
 * needed here. It has a while to come as far as it can. */
void while_opened(void)
{
    other = CreateThread(NULL, 0, begin_as_well, NULL, 0, NULL);
    WaitForSingleObject(other, WHILE_MS);
    run_a_worker();
}

static int open_one_that_begins(void *unused)
{
    EXPECT_NE(dlopen(THAT_BEGINS, RTLD_NOW | RTLD_LOCAL), NULL);
    EXPECT_EQ(WaitForSingleObject(other, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(other));
    return 0;
}

CALL_TEST(OpeningMeanwhile, in_a_constructor, EXPECT_IN_CHILD(open_one_that_begins, NULL, LIMIT_MS))
