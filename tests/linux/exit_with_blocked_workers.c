/* SPDX-License-Identifier: MIT
 *
 * exit_with_blocked_workers.c - the process ends promptly by exit, _exit, ExitProcess or return
 * from main, from any thread and wherever workers are (LF-7).
 *
 * modes: default
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CODE = 37, WORKERS = 8 };
enum by { EXIT, UNDERSCORE_EXIT, EXIT_PROCESS, EXIT_GROUP };
static enum by by;
static int fd[2];
static HANDLE never;

static void leave(void)
{
    switch (by) {
    case EXIT:
        exit(CODE);
    case UNDERSCORE_EXIT:
        _exit(CODE);
    case EXIT_PROCESS:
        ExitProcess(CODE);
        break;
    case EXIT_GROUP:
        syscall(SYS_exit_group, CODE);
        break;
    }
}

static void stay_blocked(struct worker *self)
{
    struct timespec long_time = {1000, 0};
    char byte;

    switch (self->index % 3) {
    case 0:
        EXPECT_EQ(read(fd[0], &byte, 1), 1); /* does not return */
        break;
    case 1:
        nanosleep(&long_time, NULL);
        break;
    case 2:
        WaitForSingleObject(never, INFINITE);
        break;
    }
}

static void leave_from_worker(struct worker *self)
{
    usleep(2000);
    leave();
}

static DWORD WINAPI leave_from_plain_thread(LPVOID param)
{
    usleep(20000);
    leave();
    return 0;
}

static void leave_at_third_block(const struct activation *activation, void *arg)
{
    int *count = arg;

    if (activation->reason == UmsSchedulerThreadBlocked && ++*count == 3)
        leave();
}

enum who { WORKER, PLAIN_THREAD, SCHEDULER, MAIN_AFTER_SCHEDULER };
static enum who who;

static int run_and_leave(void *arg)
{
    static int count;
    struct fleet *fleet = fleet_create(2, WORKERS + 1, FLEET_SHARED_READY);

    EXPECT_EQ(pipe(fd), 0);
    never = CreateEventA(NULL, TRUE, FALSE, NULL);
    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, stay_blocked, NULL);
    switch (who) {
    case WORKER:
        fleet_add(fleet, leave_from_worker, NULL);
        break;
    case PLAIN_THREAD:
        CreateThread(NULL, 0, leave_from_plain_thread, NULL, 0, NULL);
        break;
    case SCHEDULER:
        fleet_set_hook(fleet, leave_at_third_block, &count);
        break;
    case MAIN_AFTER_SCHEDULER:
        fleet_set_limit(fleet, 100); /* leaves with its workers blocked */
        break;
    }
    fleet_run(fleet);
    leave();
    return 1;
}

static void leaves(enum who a, enum by b)
{
    struct child_result result;

    who = a;
    by = b;
    result = child_run(run_and_leave, NULL, 8000);
    EXPECT_THAT(result.exited && result.code == CODE, "exit code %d, signal %d, hung %d; %s",
                result.code, result.signal, result.timed_out, result.output);
    EXPECT_LT(result.took_ms, 3000);
}

CALL_TEST(ExitWithBlockedWorkers, exit_by_a_worker, leaves(WORKER, EXIT))
CALL_TEST(ExitWithBlockedWorkers, underscore_exit_by_a_worker, leaves(WORKER, UNDERSCORE_EXIT))
CALL_TEST(ExitWithBlockedWorkers, exit_process_by_a_worker, leaves(WORKER, EXIT_PROCESS))
CALL_TEST(ExitWithBlockedWorkers, exit_group_by_a_worker, leaves(WORKER, EXIT_GROUP))
CALL_TEST(ExitWithBlockedWorkers, exit_by_a_plain_thread, leaves(PLAIN_THREAD, EXIT))
CALL_TEST(ExitWithBlockedWorkers, exit_process_by_a_plain_thread,
          leaves(PLAIN_THREAD, EXIT_PROCESS))
CALL_TEST(ExitWithBlockedWorkers, exit_by_a_scheduler, leaves(SCHEDULER, EXIT))
CALL_TEST(ExitWithBlockedWorkers, exit_process_by_a_scheduler, leaves(SCHEDULER, EXIT_PROCESS))
CALL_TEST(ExitWithBlockedWorkers, exit_after_the_scheduler_has_left,
          leaves(MAIN_AFTER_SCHEDULER, EXIT))

/* Handlers registered with atexit run in the worker that exits: they may block and print. */
static void at_exit(void)
{
    usleep(5000);
    printf("at exit\n");
}

static int run_with_atexit(void *arg)
{
    atexit(at_exit);
    return run_and_leave(arg);
}

TEST(ExitWithBlockedWorkers, atexit_in_a_worker)
{
    struct child_result result;

    who = WORKER;
    by = EXIT;
    result = child_run(run_with_atexit, NULL, 8000);
    EXPECT_EQ(result.code, CODE);
    EXPECT_STREQ(result.output, "at exit\n");
}
