/* SPDX-License-Identifier: MIT
 *
 * held_case.h - a fleet whose scheduler is held by a handler that waits until it is told to return.
 */
#ifndef UMSSHIM_TESTS_LINUX_HELD_CASE_H
#define UMSSHIM_TESTS_LINUX_HELD_CASE_H

#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STOP = SIGUSR1, GO = SIGUSR2, LIMIT_MS = 10000 };

static pthread_t scheduler;
static int held, go, went_on, steps, ready;
static HANDLE event;
static void (*in_handler)(void);

static inline void on_stop(int number)
{
    int saved = errno;
    sigset_t open;

    sigfillset(&open);
    sigdelset(&open, GO);
    flag_set(&held, 1);
    if (in_handler)
        in_handler();
    while (!flag_get(&go))
        sigsuspend(&open);
    flag_set(&went_on, 1);
    errno = saved;
}

static inline void on_go(int number)
{
}

static inline bool until(const int *flag)
{
    long long begun = now_ms();

    while (!flag_get(flag) && now_ms() - begun < LIMIT_MS)
        usleep(200);
    return flag_get(flag);
}

static inline void hold(void)
{
    EXPECT_EQ(pthread_kill(scheduler, STOP), 0);
    EXPECT_THAT(until(&held), "the scheduler's handler has not begun");
}

static inline void let_go(void)
{
    flag_set(&go, 1);
    EXPECT_EQ(pthread_kill(scheduler, GO), 0);
}

static inline void note_scheduler(const struct activation *activation, void *unused)
{
    if (activation->reason == UmsSchedulerStartup)
        scheduler = pthread_self();
    EXPECT_EQ(flag_get(&held) && !flag_get(&went_on), false);
}

static inline void prepare(void)
{
    struct sigaction action = {.sa_handler = on_stop};

    held = go = went_on = steps = ready = 0;
    in_handler = NULL;
    event = CreateEventA(NULL, FALSE, FALSE, NULL);
    sigfillset(&action.sa_mask);
    EXPECT_EQ(sigaction(STOP, &action, NULL), 0);
    action.sa_handler = on_go;
    EXPECT_EQ(sigaction(GO, &action, NULL), 0);
}

static inline struct fleet *make_fleet(void)
{
    struct fleet *fleet = fleet_create(1, 8, 0);

    prepare();
    fleet_set_hook(fleet, note_scheduler, NULL);
    return fleet;
}

static inline void run(struct fleet *fleet, LPTHREAD_START_ROUTINE beside)
{
    if (beside) {
        fleet_run_beside(fleet, 1, beside, fleet);
    } else {
        ASSERT_OK(fleet_run(fleet));
        fleet_destroy(fleet);
    }
    CloseHandle(event);
}

#endif
