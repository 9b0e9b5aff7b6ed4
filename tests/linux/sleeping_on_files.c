/* SPDX-License-Identifier: MIT
 *
 * sleeping_on_files.c - a scheduler with nothing to do sleeps on the files that its workers have just begun to wait for,
 * while the limit of descriptors is below their number.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

enum { READERS = 6, ROUNDS = 40, SOON_US = 100, PAUSE_US = 1500 };

static int pipes[READERS][2];
static int returned;

/* Of which the kernel polls no more at a time. The engine has its own by now. */
static void lower_limit(void)
{
    struct rlimit limit;

    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = READERS;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* Each gets what is written to its own pipe, in order. */
static void read_all(struct worker *self)
{
    if (self->index == 0)
        lower_limit();
    for (int i = 0; i < ROUNDS; i++) {
        char byte = 0;

        EXPECT_EQ(read(pipes[self->index][0], &byte, 1), 1);
        EXPECT_EQ(byte, (char)i);
        flag_add(&returned, 1);
    }
}

static void wait_for_count(int count)
{
    long long started = now_ms();

    while (flag_get(&returned) < count && elapsed_ms(started) < 10000)
        usleep(100);
    EXPECT_EQ(flag_get(&returned), count);
}

/* Some waits end soon, some outlast the scheduler's sleep on files. */
static void *feed(void *unused)
{
    for (int i = 0; i < ROUNDS && !tc_failures(); i++) {
        char byte = (char)i;

        wait_for_count(i * READERS);
        usleep(i % 2 ? PAUSE_US : SOON_US);
        for (int reader = 0; reader < READERS; reader++)
            EXPECT_EQ(write(pipes[reader][1], &byte, 1), 1);
    }
    return NULL;
}

static void read_what_is_fed(void)
{
    struct fleet *fleet = fleet_create(1, READERS, 0);
    pthread_t feeder;

    ASSERT_NE(fleet, NULL);
    for (int i = 0; i < READERS; i++)
        fleet_add(fleet, read_all, NULL);
    EXPECT_EQ(pthread_create(&feeder, NULL, feed, NULL), 0);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(pthread_join(feeder, NULL), 0);
    EXPECT_EQ(flag_get(&returned), READERS * ROUNDS);
    fleet_destroy(fleet);
}

static void open_pipes(void)
{
    for (int i = 0; i < READERS; i++)
        make_pipe(pipes[i]);
}

/* ---- The limit of descriptors ---- */

static int with_a_low_limit(void *arg)
{
    (void)arg;
    open_pipes();
    read_what_is_fed();
    return 0;
}

TEST(SleepingOnFiles, the_limit_of_descriptors_is_below_their_number)
{
    struct child_result result = child_run(with_a_low_limit, NULL, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}
