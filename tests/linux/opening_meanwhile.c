/* SPDX-License-Identifier: MIT
 *
 * Hazard: UMS begins while another thread opens and closes a library, or in the constructor of one. Both go through
 * the dynamic linker's locks, and where they take them in another order both hang.
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

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
    (void)self;
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

    (void)unused;
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
    for (int i = 0; i < BEGINNINGS && !tc_failures(); i++) {
        struct child_result result = child_run(begin, NULL, LIMIT_MS);

        EXPECT_CHILD_OK(result);
    }
}

/* ---- In a constructor ----------------------------------------------------------------------------------- */

void while_opened(void); /* for opened_module.c */

static pthread_t other;
static int through;

static void *begin_as_well(void *unused)
{
    run_a_worker();
    flag_set(&through, 1);
    return unused;
}

/* The opening thread holds the linker's lock here. Where the other one needs it, it waits for it with no lock that is
 * needed here. */
void while_opened(void)
{
    EXPECT_EQ(pthread_create(&other, NULL, begin_as_well, NULL), 0);
    for (int ms = 0; ms < WHILE_MS && !flag_get(&through); ms++)
        usleep(1000);
    run_a_worker();
}

static DWORD WINAPI end_at_once(LPVOID unused)
{
    (void)unused;
    return 0;
}

static int open_one_that_begins(void *unused)
{
    HANDLE thread =
        CreateThread(NULL, 0, end_at_once, NULL, 0, NULL); /* UMS begins later than Win32 */

    (void)unused;
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_NE(dlopen(THAT_BEGINS, RTLD_NOW | RTLD_LOCAL), NULL);
    EXPECT_EQ(pthread_join(other, NULL), 0);
    EXPECT_EQ(flag_get(&through), 1);
    return 0;
}

TEST(OpeningMeanwhile, in_a_constructor)
{
    struct child_result result = child_run(open_one_that_begins, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}
