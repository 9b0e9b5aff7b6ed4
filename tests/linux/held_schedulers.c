/* SPDX-License-Identifier: MIT
 *
 * held_schedulers.c - a scheduler whose handler waits on its home: what the handler may call, and
 * what becomes of the scheduler if it is suspended or ended meanwhile, or the process ends.
 *
 * modes: ways, UMSSHIM_DETECT=traps
 */
#include "held_case.h"

#include <sys/wait.h>

static HANDLE scheduler_handle;

/* ---- Calls in the handler -------------------------------------------------------------------- */

static DWORD handlers_id, yield_error;
static PUMS_CONTEXT current;
static BOOL yielded;

static void calls(void)
{
    handlers_id = GetCurrentThreadId();
    current = GetCurrentUmsThread();
    SetLastError(0);
    yielded = UmsThreadYield(NULL);
    yield_error = GetLastError();
}

static void hold_and_let_go(struct worker *self)
{
    hold();
    Sleep(5);
    let_go();
    UmsThreadYield(self);
    EXPECT_EQ(flag_get(&went_on), 1);
}

static DWORD schedulers_id;

static void note_id(const struct activation *activation, void *unused)
{
    schedulers_id = GetCurrentThreadId();
    note_scheduler(activation, unused);
}

TEST(HeldSchedulers, a_handler_calls_as_a_plain_thread)
{
    struct fleet *fleet = make_fleet();

    in_handler = calls;
    fleet_set_hook(fleet, note_id, NULL);
    fleet_add(fleet, hold_and_let_go, NULL);
    run(fleet, NULL);
    EXPECT_EQ(handlers_id, schedulers_id);
    EXPECT_EQ(current, NULL);
    EXPECT_EQ(yielded, FALSE);
    EXPECT_NE(yield_error, 0);
}

static int childs_code;

static void forks(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0)
        _exit(7);
    if (waitpid(child, &status, 0) == child && WIFEXITED(status))
        childs_code = WEXITSTATUS(status);
}

TEST(HeldSchedulers, a_handler_forks)
{
    struct fleet *fleet = make_fleet();

    in_handler = forks;
    childs_code = -1;
    fleet_add(fleet, hold_and_let_go, NULL);
    run(fleet, NULL);
    EXPECT_EQ(childs_code, 7);
}

static pid_t parent;

static void forks_and_returns(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        go = 1;
        close(STDOUT_FILENO); /* the fleet says there that its worker has not ended */
        close(STDERR_FILENO);
    } else if (waitpid(child, &status, 0) == child && WIFEXITED(status))
        childs_code = WEXITSTATUS(status);
}

TEST(HeldSchedulers, a_handler_forks_and_returns)
{
    struct fleet *fleet = make_fleet();

    in_handler = forks_and_returns;
    childs_code = -1;
    parent = getpid();
    fleet_add(fleet, hold_and_let_go, NULL);
    fleet_run(fleet);
    if (getpid() != parent)
        _exit(7); /* the child's thread has left scheduling mode */
    fleet_destroy(fleet);
    CloseHandle(event);
    EXPECT_EQ(childs_code, 7);
}

/* ---- A thread that becomes a scheduler ------------------------------------------------------- */

static DWORD WINAPI send_always(LPVOID unused)
{
    pthread_t to = scheduler;

    while (!flag_get(&steps)) {
        flag_set(&go, 0);
        flag_set(&held, 0);
        flag_set(&went_on, 0);
        pthread_kill(to, STOP);
        if (!until(&held))
            break;
        flag_set(&go, 1);
        pthread_kill(to, GO);
        if (!until(&went_on))
            break;
    }
    EXPECT_THAT(flag_get(&steps), "the thread does not handle its signals");
    return 0;
}

static void end_at_once(struct worker *self)
{
}

TEST(HeldSchedulers, a_thread_is_stopped_while_it_enters_and_leaves)
{
    struct fleet *fleet;
    HANDLE sender;

    prepare();
    scheduler = pthread_self();
    sender = CreateThread(NULL, 0, send_always, NULL, 0, NULL);
    for (int i = 0; i < 100; i++) {
        fleet = fleet_create(1, 1, 0);
        fleet_add(fleet, end_at_once, NULL);
        ASSERT_OK(fleet_run(fleet));
        fleet_destroy(fleet);
    }
    flag_set(&steps, 1);
    EXPECT_EQ(WaitForSingleObject(sender, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    CloseHandle(sender);
    CloseHandle(event);
}

/* ---- The scheduler itself -------------------------------------------------------------------- */

static void note_handle(const struct activation *activation, void *unused)
{
    if (activation->reason == UmsSchedulerStartup)
        DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(),
                        &scheduler_handle, 0, FALSE, DUPLICATE_SAME_ACCESS);
    note_scheduler(activation, unused);
}

static void hold_and_ready(struct worker *self)
{
    hold();
    flag_set(&ready, 1);
    EXPECT_THAT(until(&steps), "nobody says that the scheduler was suspended");
}

static DWORD WINAPI suspend_scheduler(LPVOID unused)
{
    EXPECT_THAT(until(&ready), "the worker does not go on");
    EXPECT_EQ(SuspendThread(scheduler_handle), 0u);
    let_go();
    usleep(5000);
    EXPECT_EQ(ResumeThread(scheduler_handle), 1u);
    flag_set(&steps, 1);
    return 0;
}

TEST(HeldSchedulers, is_suspended_and_resumed)
{
    struct fleet *fleet = make_fleet();

    fleet_set_hook(fleet, note_handle, NULL);
    fleet_add(fleet, hold_and_ready, NULL);
    run(fleet, suspend_scheduler);
    CloseHandle(scheduler_handle);
}

static DWORD WINAPI its_fleet(LPVOID fleet)
{
    fleet_run(fleet);
    return 0;
}

static int end_scheduler(void *unused)
{
    struct fleet *fleet = make_fleet();
    HANDLE thread;

    (void)unused;
    fleet_set_hook(fleet, note_handle, NULL);
    fleet_add(fleet, hold_and_ready, NULL);
    thread = CreateThread(NULL, 0, its_fleet, fleet, 0, NULL);
    EXPECT_THAT(until(&ready), "the worker does not go on");
    EXPECT_EQ(TerminateThread(thread, 3), TRUE);
    let_go();
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), (DWORD)WAIT_OBJECT_0);
    return 0;
}

CALL_TEST(HeldSchedulers, is_ended, EXPECT_IN_CHILD(end_scheduler, NULL, 2 * LIMIT_MS))

/* A worker ends the process while its scheduler is held. */
static void end_process(struct worker *self)
{
    hold();
    exit(5);
}

static int exits(void *unused)
{
    struct fleet *fleet = make_fleet();

    (void)unused;
    fleet_add(fleet, end_process, NULL);
    fleet_run(fleet);
    return 0;
}

TEST(HeldSchedulers, the_process_ends)
{
    struct child_result result = child_run(exits, NULL, LIMIT_MS);

    EXPECT_EQ(result.timed_out, false);
    EXPECT_EQ(result.code, 5);
}
