/* SPDX-License-Identifier: MIT
 *
 * handlers_own_thread.c - handlers of signals to the process that end their thread, wait for long, or
 * fork: nothing in the engine may depend on the thread that they run on.
 *
 * Such handlers run on a thread of the engine's own if no worker can take the signal. So here a
 * scheduler has the signal open, there are no workers when it is sent, and the testing thread
 * blocks it.
 *
 * modes: ways, second_unwinder
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "loose.h"

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

/* The handler makes calls that need the engine: it creates threads and a process, and sleeps. */
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
    flag_add(&handled, 1);
    pthread_exit(NULL);
}

static void end_by_exit_thread(int number)
{
    flag_add(&handled, 1);
    ExitThread(5);
}

static struct loose rig;

static void block_here(int number)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, number);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
}

/* The scheduler has the signal open, which the tester has not. */
static bool start_scheduler(int number, void (*handler)(int))
{
    install(number, handler);
    if (!loose_start(&rig, NULL) || !loose_reaches(&rig.activations, 1))
        return false;
    block_here(number);
    return true;
}

static DWORD WINAPI use_engine_once(LPVOID unused)
{
    use_engine();
    return 0;
}

/* A worker that needs the engine comes and goes. */
static void try_engine(void)
{
    struct loose_worker *worker = loose_add(&rig, use_engine_once, NULL, 0);

    ASSERT_OK(worker != NULL);
    ASSERT_REACHES(worker->ended, 1);
}

static int send_with_handler(void *handler)
{
    if (!start_scheduler(SIGUSR1, (void (*)(int))handler))
        return 1;
    for (int i = 1; i <= TIMES; i++) {
        EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
        EXPECT_OK(loose_reaches(&handled, i));
        try_engine();
    }
    EXPECT_EQ(handled, TIMES);
    loose_finish(&rig);
    return 0;
}

CALL_TEST(HandlersOwnThread, handler_calls_pthread_exit,
          EXPECT_IN_CHILD(send_with_handler, (void *)end_by_pthread_exit, LIMIT_MS))
CALL_TEST(HandlersOwnThread, handler_calls_ExitThread,
          EXPECT_IN_CHILD(send_with_handler, (void *)end_by_exit_thread, LIMIT_MS))

/* ---- Many at once -------------------------------------------------------------------------------- */

static int lose_none(void *unused)
{
    union sigval value = {0};

    if (!start_scheduler(SIGRTMIN + 3, end_by_pthread_exit))
        return 1;
    for (int i = 0; i < TIMES; i++)
        EXPECT_EQ(sigqueue(getpid(), SIGRTMIN + 3, value), 0);
    EXPECT_OK(loose_reaches(&handled, TIMES));
    try_engine();
    loose_finish(&rig);
    EXPECT_EQ(handled, TIMES);
    return 0;
}

CALL_TEST(HandlersOwnThread, what_comes_meanwhile_is_not_lost,
          EXPECT_IN_CHILD(lose_none, NULL, LIMIT_MS))

/* ---- A handler that waits -------------------------------------------------------------------------- */

static void wait_long(int number)
{
    flag_add(&handled, 1);
    while (!flag_get(&go_on))
        usleep(1000);
    flag_add(&handled, 1);
}

static int wait_in_handler(void *unused)
{
    if (!start_scheduler(SIGUSR1, wait_long))
        return 1;
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_OK(loose_reaches(&handled, 1));
    for (int i = 0; i < 3; i++)
        try_engine();
    EXPECT_EQ(flag_get(&handled), 1);
    flag_set(&go_on, 1);
    EXPECT_OK(loose_reaches(&handled, 2));
    loose_finish(&rig);
    return 0;
}

CALL_TEST(HandlersOwnThread, handler_waits_for_long,
          EXPECT_IN_CHILD(wait_in_handler, NULL, LIMIT_MS))

/* ---- A handler that forks --------------------------------------------------------------------------- */

static pid_t forked;

static void fork_in_handler(int number)
{
    pid_t pid = fork();

    if (pid == 0) {
        alarm(20);
        return; /* and the thread it runs on is the child's last */
    }
    __atomic_store_n(&forked, pid, __ATOMIC_RELEASE);
    flag_add(&handled, 1);
}

static int fork_from_handler(void *unused)
{
    int status = -1;

    if (!start_scheduler(SIGUSR1, fork_in_handler))
        return 1;
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_OK(loose_reaches(&handled, 1));
    EXPECT_EQ(waitpid(forked, &status, 0), forked);
    EXPECT_EQ(status, 0);
    try_engine();
    loose_finish(&rig);
    return 0;
}

CALL_TEST(HandlersOwnThread, child_forked_in_a_handler_ends,
          EXPECT_IN_CHILD(fork_from_handler, NULL, LIMIT_MS))
