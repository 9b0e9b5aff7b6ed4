/* SPDX-License-Identifier: MIT
 *
 * scenario.c - some of everything that a UMS program does.
 */
#include "scenario.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 4 };

struct pair {
    int there[2];
    int back[2];
    HANDLE event;
    int rounds;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static int sum;

static void critical(void)
{
    EXPECT_EQ(pthread_mutex_lock(&mutex), 0);
    EXPECT_EQ(flag_add(&inside, 1), 1);
    sum++;
    UmsThreadYield(NULL);
    EXPECT_EQ(flag_add(&inside, -1), 0);
    EXPECT_EQ(pthread_mutex_unlock(&mutex), 0);
}

static void ask(struct worker *self)
{
    struct pair *pair = self->arg;

    for (int i = 0; i < pair->rounds && !tc_failures(); i++) {
        struct pollfd set = {pair->back[0], POLLIN, 0};
        int answer = -1;

        EXPECT_EQ(write(pair->there[1], &i, sizeof i), sizeof i);
        if (i % 3 == 0) {
            int ready;

            do { /* a signal ends a poll, whatever SA_RESTART says */
                ready = poll(&set, 1, 10000);
            } while (ready < 0 && errno == EINTR);
            EXPECT_EQ(ready, 1);
        }
        EXPECT_EQ(read(pair->back[0], &answer, sizeof answer), sizeof answer);
        EXPECT_EQ(answer, i * 2);
        EXPECT_EQ(WaitForSingleObject(pair->event, 10000), WAIT_OBJECT_0);
        critical();
    }
    close(pair->there[1]);
}

static void answer_all(struct worker *self)
{
    struct pair *pair = self->arg;
    int question;

    while (read(pair->there[0], &question, sizeof question) == sizeof question) {
        struct timespec duration = {0, 200000};
        int answer = question * 2;

        if (question % 4 == 0) {
            while (nanosleep(&duration, &duration) != 0 && errno == EINTR) {
            }
        } else {
            UmsThreadYield(NULL);
        }
        EXPECT_EQ(write(pair->back[1], &answer, sizeof answer), sizeof answer);
        EXPECT_OK(SetEvent(pair->event));
        critical();
    }
}

int scenario_run(int rounds)
{
    static struct pair pairs[PAIRS];
    struct fleet *fleet = fleet_create(2, 2 * PAIRS, FLEET_SHARED_READY);

    if (!fleet)
        return 1;
    sum = 0;
    for (int i = 0; i < PAIRS; i++) {
        if (pipe(pairs[i].there) || pipe(pairs[i].back)) {
            FAIL("pipe: errno %d", errno);
            return 1;
        }
        pairs[i].event = CreateEventA(NULL, FALSE, FALSE, NULL);
        pairs[i].rounds = rounds;
        fleet_add(fleet, ask, &pairs[i]);
        fleet_add(fleet, answer_all, &pairs[i]);
    }
    if (!fleet_run(fleet))
        return 1;
    EXPECT_EQ(sum, 2 * PAIRS * rounds);
    fleet_destroy(fleet);
    for (int i = 0; i < PAIRS; i++) {
        close(pairs[i].there[0]);
        close(pairs[i].back[0]);
        close(pairs[i].back[1]);
        CloseHandle(pairs[i].event);
    }
    return tc_failures() != 0;
}

static void wait_event(struct worker *self)
{
    EXPECT_EQ(WaitForSingleObject(self->arg, 10000), WAIT_OBJECT_0);
}

static void set_event(struct worker *self)
{
    struct timespec duration = {0, 2000000};

    UmsThreadYield(NULL);
    Sleep(1);
    EXPECT_EQ(nanosleep(&duration, NULL), 0);
    EXPECT_OK(SetEvent(self->arg));
}

int scenario_run_undetected(void)
{
    struct fleet *fleet = fleet_create(1, 2, 0);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    if (!fleet)
        return 1;
    fleet_add(fleet, wait_event, event);
    fleet_add(fleet, set_event, event);
    if (!fleet_run(fleet))
        return 1;
    fleet_destroy(fleet);
    CloseHandle(event);
    return tc_failures() != 0;
}
