/* SPDX-License-Identifier: MIT
 *
 * actions_at_fork.c - a fork handler of the program's runs in the child before the library's, and
 * sets actions of signals. The child's memory is its own by then. So the library keeps the actions
 * that it needs, and the child may use UMS.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 15000, LAST_SIGNAL = 64 };

static bool reset_in_child;
static int ends[2];

static void reset_all(void)
{
    for (int number = 1; reset_in_child && number <= LAST_SIGNAL; number++)
        signal(number, SIG_DFL);
}

/* Handlers for the child run in the order in which they are given, and this comes before all constructors of libraries. */
static void come_first(void)
{
    pthread_atfork(NULL, NULL, reset_all);
}
static __attribute__((section(".preinit_array"), used)) void (*first)(void) = come_first;

static void read_bare(struct worker *self)
{
    char byte;

    EXPECT_EQ(syscall(SYS_read, ends[0], &byte, 1), 1);
}

static void write_bare(struct worker *self)
{
    EXPECT_EQ(syscall(SYS_write, ends[1], "", 1), 1);
}

static void read_and_write(void)
{
    struct fleet *fleet = fleet_create(1, 2, 0);

    fleet_add(fleet, read_bare, NULL);
    fleet_add(fleet, write_bare, NULL);
    EXPECT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
}

static DWORD WINAPI count(LPVOID count)
{
    while (flag_get(count) >= 0)
        flag_add(count, 1);
    return 0;
}

/* Suspends a thread, which the library does by its stop signal. */
static void suspend_one(void)
{
    static int counted;
    HANDLE thread = CreateThread(NULL, 0, count, &counted, 0, NULL);
    CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};

    EXPECT_EQ(SuspendThread(thread), 0);
    EXPECT_OK(GetThreadContext(thread, &context));
    EXPECT_EQ(ResumeThread(thread), 1);
    flag_set(&counted, -1000000000);
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    CloseHandle(thread);
}

static int fork_and_use(void *unused)
{
    int status = -1;
    pid_t pid;

    EXPECT_EQ(pipe(ends), 0);
    read_and_write();
    reset_in_child = true;
    pid = fork();
    if (pid == 0) {
        read_and_write();
        suspend_one();
        _exit(tc_failures() ? 1 : 0);
    }
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
    return 0;
}

CALL_TEST(ActionsAtFork, set_before_the_librarys_handler,
          EXPECT_IN_CHILD(fork_and_use, NULL, LIMIT_MS))
