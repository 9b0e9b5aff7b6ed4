/* SPDX-License-Identifier: MIT
 *
 * workers_of_the_held.c - the workers of a scheduler whose handler waits: the one that it executes
 * goes on, also after a wait; one that is ready handles its own signals. Each is suspended and
 * ended meanwhile.
 *
 * modes: ways, UMSSHIM_DETECT=traps
 */
#include "held_case.h"

static int aside;

/* ---- A worker that goes on while its scheduler is held --------------------------------------- */

static void hold_and_wait(struct worker *self)
{
    hold();
    flag_set(&ready, 1);
    EXPECT_EQ(WaitForSingleObject(event, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    flag_set(&steps, 1);
}

static DWORD WINAPI wake_it(LPVOID unused)
{
    EXPECT_THAT(until(&ready), "the worker does not go on");
    usleep(2000);
    SetEvent(event);
    EXPECT_THAT(until(&steps), "the worker does not go on while its scheduler is held");
    let_go();
    return 0;
}

TEST(WorkersOfTheHeld, a_worker_waits_and_goes_on)
{
    struct fleet *fleet = make_fleet();

    fleet_add(fleet, hold_and_wait, NULL);
    run(fleet, wake_it);
}

static DWORD WINAPI suspend_it(LPVOID arg)
{
    HANDLE worker = fleet_worker(arg, 0)->thread;

    EXPECT_THAT(until(&ready), "the worker does not go on");
    usleep(2000);
    EXPECT_EQ(SuspendThread(worker), 0u);
    SetEvent(event);
    usleep(5000);
    EXPECT_EQ(flag_get(&steps), 0);
    let_go();
    EXPECT_THAT(until(&went_on), "the scheduler does not go on");
    usleep(2000);
    EXPECT_EQ(flag_get(&steps), 0);
    EXPECT_EQ(ResumeThread(worker), 1u);
    EXPECT_THAT(until(&steps), "the worker does not go on");
    return 0;
}

TEST(WorkersOfTheHeld, a_worker_is_suspended)
{
    struct fleet *fleet = make_fleet();

    fleet_add(fleet, hold_and_wait, NULL);
    run(fleet, suspend_it);
}

static DWORD WINAPI end_it(LPVOID arg)
{
    HANDLE worker = fleet_worker(arg, 0)->thread;

    EXPECT_THAT(until(&ready), "the worker does not go on");
    usleep(2000);
    EXPECT_EQ(TerminateThread(worker, 3), TRUE);
    usleep(2000);
    let_go();
    EXPECT_EQ(WaitForSingleObject(worker, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    EXPECT_EQ(flag_get(&steps), 0);
    return 0;
}

TEST(WorkersOfTheHeld, a_worker_is_ended)
{
    struct fleet *fleet = make_fleet();

    fleet_add(fleet, hold_and_wait, NULL);
    run(fleet, end_it);
}

/* ---- A worker whose handler runs while it is ready ------------------------------------------- */

static pthread_t second;

static void is_ready(struct worker *self)
{
    second = pthread_self();
    flag_set(&ready, 1);
    UmsThreadYield(self);
    flag_set(&steps, 1);
}

static void on_aside(int number)
{
    sigset_t open;

    sigfillset(&open);
    sigdelset(&open, GO);
    flag_set(&aside, 1);
    while (!flag_get(&go))
        sigsuspend(&open);
}

static void set_aside(struct worker *self)
{
    struct sigaction action = {.sa_handler = on_aside};

    aside = 0;
    sigfillset(&action.sa_mask);
    sigaction(SIGRTMIN, &action, NULL);
    while (!flag_get(&ready))
        UmsThreadYield(self);
    hold();
    EXPECT_EQ(pthread_kill(second, SIGRTMIN), 0);
    EXPECT_THAT(until(&aside), "a ready worker's handler does not run");
    EXPECT_EQ(flag_get(&steps), 0);
}

static void let_both_go(void)
{
    flag_set(&go, 1);
    EXPECT_EQ(pthread_kill(second, GO), 0);
    let_go();
}

static void aside_and_on(struct worker *self)
{
    set_aside(self);
    let_both_go();
}

TEST(WorkersOfTheHeld, a_ready_worker_handles_its_signal)
{
    struct fleet *fleet = make_fleet();

    fleet_add(fleet, is_ready, NULL);
    fleet_add(fleet, aside_and_on, NULL);
    run(fleet, NULL);
    EXPECT_EQ(flag_get(&steps), 1);
}

static void aside_and_ended(struct worker *self)
{
    HANDLE worker = fleet_worker(self->fleet, 0)->thread;

    set_aside(self);
    EXPECT_EQ(TerminateThread(worker, 3), TRUE);
    let_both_go();
    EXPECT_EQ(WaitForSingleObject(worker, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    _exit(steps ? 1
                : 7); /* the fleet executes every worker that is ready, also one that has ended */
}

static int ends_aside(void *unused)
{
    struct fleet *fleet = make_fleet();

    (void)unused;
    fleet_add(fleet, is_ready, NULL);
    fleet_add(fleet, aside_and_ended, NULL);
    fleet_run(fleet);
    return 0;
}

TEST(WorkersOfTheHeld, a_ready_worker_is_ended_in_its_handler)
{
    struct child_result result = child_run(ends_aside, NULL, 2 * LIMIT_MS);

    EXPECT_THAT(result.code == 7, "code %d, \"%s\"", result.code, result.output);
}

static void aside_and_suspended(struct worker *self)
{
    HANDLE worker = fleet_worker(self->fleet, 0)->thread;

    set_aside(self);
    EXPECT_EQ(SuspendThread(worker), 0u);
    let_both_go();
    EXPECT_EQ(ResumeThread(worker), 1u);
}

TEST(WorkersOfTheHeld, a_ready_worker_is_suspended_in_its_handler)
{
    struct fleet *fleet = make_fleet();

    fleet_add(fleet, is_ready, NULL);
    fleet_add(fleet, aside_and_suspended, NULL);
    run(fleet, NULL);
    EXPECT_EQ(flag_get(&steps), 1);
}
