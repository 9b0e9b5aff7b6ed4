/* SPDX-License-Identifier: MIT
 *
 * handlers_own_thread.c - handlers of signals to the process that end their thread, wait for long, or
 * fork: nothing of the engine's may depend on the thread they run on.
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 10, LIMIT_MS = 20000 };

static int handled, go_on;

static void install(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    EXPECT_EQ(sigaction(number, &action, NULL), 0);
}

static void *come_and_go(void *result)
{
    return result;
}

static DWORD WINAPI come_and_go_too(LPVOID code)
{
    return (DWORD)(ULONG_PTR)code;
}

/* What needs the engine: threads that a worker creates, processes, time. */
static void use_engine(void)
{
    pthread_t thread;
    void *result = NULL;
    HANDLE other = CreateThread(NULL, 0, come_and_go_too, NULL, 0, NULL);

    EXPECT_NE(other, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, come_and_go, &handled), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, (void *)&handled);
    EXPECT_EQ(WaitForSingleObject(other, 10000), (DWORD)WAIT_OBJECT_0);
    CloseHandle(other);
    EXPECT_EQ(system("exit 3"), 3 << 8);
    Sleep(1);
    EXPECT_EQ(usleep(1000), 0);
}

static void end_by_pthread_exit(int number)
{
    (void)number;
    flag_add(&handled, 1);
    pthread_exit(NULL);
}

static void end_by_exit_thread(int number)
{
    (void)number;
    flag_add(&handled, 1);
    ExitThread(5);
}

static void send_often(struct worker *self)
{
    (void)self;
    for (int i = 1; i <= TIMES; i++) {
        EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
        while (flag_get(&handled) < i) {
            if (!UmsThreadYield(NULL)) {
                return;
            }
        }
        use_engine();
    }
}

static void run_one(worker_body body)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    if (!fleet) {
        return;
    }
    fleet_add(fleet, body, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
}

static int send_with_handler(void *handler)
{
    install(SIGUSR1, (void (*)(int))handler);
    run_one(send_often);
    EXPECT_EQ(handled, TIMES);
    return 0;
}

static void run_in_child(child_body body, void *arg)
{
    struct child_result result = child_run(body, arg, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

TEST(HandlersOwnThread, handler_calls_pthread_exit)
{
    run_in_child(send_with_handler, (void *)end_by_pthread_exit);
}

TEST(HandlersOwnThread, handler_calls_ExitThread)
{
    run_in_child(send_with_handler, (void *)end_by_exit_thread);
}

/* ---- Many at once -------------------------------------------------------------------------------- */

static void queue_many(struct worker *self)
{
    union sigval value = {0};

    (void)self;
    for (int i = 0; i < TIMES; i++) {
        EXPECT_EQ(sigqueue(getpid(), SIGRTMIN + 3, value), 0);
    }
    while (flag_get(&handled) < TIMES) {
        if (!UmsThreadYield(NULL)) {
            return;
        }
    }
}

static int lose_none(void *unused)
{
    (void)unused;
    install(SIGRTMIN + 3, end_by_pthread_exit);
    run_one(queue_many);
    EXPECT_EQ(handled, TIMES);
    return 0;
}

TEST(HandlersOwnThread, what_comes_meanwhile_is_not_lost)
{
    run_in_child(lose_none, NULL);
}

/* ---- A handler that waits -------------------------------------------------------------------------- */

static void wait_long(int number)
{
    (void)number;
    flag_add(&handled, 1);
    while (!flag_get(&go_on)) {
        usleep(1000);
    }
    flag_add(&handled, 1);
}

static void work_meanwhile(struct worker *self)
{
    (void)self;
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    if (!yield_until(&handled)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        use_engine();
    }
    EXPECT_EQ(flag_get(&handled), 1);
    flag_set(&go_on, 1);
    while (flag_get(&handled) < 2) {
        usleep(1000);
    }
}

static int wait_in_handler(void *unused)
{
    (void)unused;
    install(SIGUSR1, wait_long);
    run_one(work_meanwhile);
    return 0;
}

TEST(HandlersOwnThread, handler_waits_for_long)
{
    run_in_child(wait_in_handler, NULL);
}

/* ---- pause ------------------------------------------------------------------------------------------- */

static int paused;

static void pause_once(struct worker *self)
{
    (void)self;
    flag_set(&paused, 1);
    EXPECT_ERRNO(pause(), EINTR);
    flag_set(&paused, 2);
}

static void send_until_it_goes_on(struct worker *self)
{
    (void)self;
    while (flag_get(&paused) < 2) {
        if (flag_get(&paused)) {
            EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
        }
        usleep(2000);
    }
}

static int pause_and_exit(void *unused)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    (void)unused;
    install(SIGUSR1, end_by_pthread_exit);
    fleet_add(fleet, pause_once, NULL);
    fleet_add(fleet, send_until_it_goes_on, NULL);
    fleet_run(fleet);
    fleet_destroy(fleet);
    return 0;
}

TEST(HandlersOwnThread, pause_ends_though_the_handler_does_not_return)
{
    run_in_child(pause_and_exit, NULL);
}

/* ---- A handler that forks --------------------------------------------------------------------------- */

static pid_t forked;

static void fork_in_handler(int number)
{
    pid_t pid = fork();

    (void)number;
    if (pid == 0) {
        alarm(20);
        return; /* and the thread it runs on is the child's last */
    }
    __atomic_store_n(&forked, pid, __ATOMIC_RELEASE);
    flag_add(&handled, 1);
}

static void send_and_reap(struct worker *self)
{
    int status = -1;

    (void)self;
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    if (yield_until(&handled)) {
        EXPECT_EQ(waitpid(forked, &status, 0), forked);
        EXPECT_EQ(status, 0);
    }
}

static int fork_from_handler(void *unused)
{
    (void)unused;
    install(SIGUSR1, fork_in_handler);
    run_one(send_and_reap);
    return 0;
}

TEST(HandlersOwnThread, child_forked_in_a_handler_ends)
{
    run_in_child(fork_from_handler, NULL);
}
