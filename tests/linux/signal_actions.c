/* SPDX-License-Identifier: MIT
 *
 * signal_actions.c - every function of libc's that sets a signal's action, for signals whose kernel
 * action is the library's: the signal that stops threads, and SIGSYS. The functions work as for any
 * other signal. A run time may set all signals to the default, one by one, before it starts a
 * program, and no call fails.
 *
 * modes: ways
 */
#include "fleet.h"
#include "child.h"
#include "gtest_c.h"
#include "loose.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { LIMIT_MS = 20000 };

static bool by_sigaction(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler};

    return sigaction(number, &action, NULL) == 0;
}

static bool by_signal(int number, __sighandler_t handler)
{
    return signal(number, handler) != SIG_ERR;
}

static bool by_ssignal(int number, __sighandler_t handler)
{
    return ssignal(number, handler) != SIG_ERR;
}

__sighandler_t bsd_signal(int number, __sighandler_t handler); /* in no header any more */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

static bool by_bsd_signal(int number, __sighandler_t handler)
{
    return bsd_signal(number, handler) != SIG_ERR;
}

static bool by_other_sigaction(int number, __sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler};

    return __sigaction(number, &action, NULL) == 0;
}

/* Sets the action by the function that `signal` is in a program compiled as strict C. */
static bool by_sysv_signal(int number, __sighandler_t handler)
{
    return __sysv_signal(number, handler) != SIG_ERR && sysv_signal(number, handler) != SIG_ERR;
}

static bool by_sigset(int number, __sighandler_t handler)
{
    return sigset(number, handler) != SIG_ERR;
}

static bool by_sigignore(int number, __sighandler_t handler)
{
    return handler == SIG_IGN ? sigignore(number) == 0 : signal(number, handler) != SIG_ERR;
}

static bool by_siginterrupt(int number, __sighandler_t handler)
{
    return signal(number, handler) != SIG_ERR && siginterrupt(number, 1) == 0;
}

static const struct way {
    const char *name;
    bool (*set)(int number, __sighandler_t handler);
} ways[] = {
    {"sigaction", by_sigaction},
    {"__sigaction", by_other_sigaction},
    {"signal", by_signal},
    {"ssignal", by_ssignal},
    {"bsd_signal", by_bsd_signal},
    {"sysv_signal", by_sysv_signal},
    {"sigset", by_sigset},
    {"sigignore", by_sigignore},
    {"siginterrupt", by_siginterrupt},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void on_signal(int number)
{
}

static struct loose rig;
static int counter, stop;

static __sighandler_t told(int number)
{
    struct sigaction now;

    EXPECT_EQ(sigaction(number, NULL, &now), 0);
    return now.sa_handler;
}

static void set_each(void)
{
    static const __sighandler_t handlers[] = {SIG_IGN, SIG_DFL};

    for (int i = 0; i < WAYS; i++) {
        for (int j = 0; j < 2; j++) {
            EXPECT_THAT(ways[i].set(SIGSTKFLT, handlers[j]), "%s, %d", ways[i].name, j);
            EXPECT_THAT(told(SIGSTKFLT) == handlers[j], "%s, %d", ways[i].name, j);
            EXPECT_THAT(ways[i].set(SIGSYS, handlers[j]), "%s, %d", ways[i].name, j);
            EXPECT_THAT(told(SIGSYS) == handlers[j], "%s, %d", ways[i].name, j);
        }
        EXPECT_THAT(!ways[i].set(SIGSTKFLT, on_signal), "%s: it is the library's", ways[i].name);
        EXPECT_THAT(told(SIGSTKFLT) == SIG_DFL, "%s", ways[i].name);
    }
}

/* Sets each signal to the default, and counts how many of the 31 refuse. */
static int refusing(void)
{
    int count = 0;

    for (int number = 1; number < 32; number++)
        if (number != SIGKILL && number != SIGSTOP)
            count += signal(number, SIG_DFL) == SIG_ERR;
    return count;
}

static void in_forked(void)
{
    int status = -1;
    pid_t child = fork();

    if (!child)
        _exit(refusing());
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

static DWORD WINAPI set_and_count(LPVOID unused)
{
    set_each();
    in_forked();
    while (!flag_get(&stop)) {
        syscall(SYS_getppid);
        flag_add(&counter, 1);
    }
    return 0;
}

static void stops(struct loose_worker *worker)
{
    EXPECT_EQ(SuspendThread(worker->bare.thread), 0);
    EXPECT_OK(loose_suspended(worker));
    int before = flag_get(&counter);
    EXPECT_EQ(ResumeThread(worker->bare.thread), 1);
    EXPECT_OK(loose_reaches(&counter, before + 1));
}

static int set_all(void *unused)
{
    if (!loose_start(&rig, NULL))
        return 1;
    struct loose_worker *worker = loose_add(&rig, set_and_count, NULL, 0);
    EXPECT_OK(loose_reaches(&counter, 1));
    stops(worker);
    set_each();
    in_forked();
    EXPECT_EQ(refusing(), 0);
    stops(worker);
    flag_set(&stop, 1);
    EXPECT_OK(loose_reaches(&worker->ended, 1));
    EXPECT_OK(loose_finish(&rig));
    EXPECT_OK(DeleteUmsCompletionList(rig.list));
    return 0;
}

CALL_TEST(SignalActions, set_by_each_function, EXPECT_IN_CHILD(set_all, NULL, LIMIT_MS))

static int held_when_stopped(void *unused)
{
    if (!loose_start(&rig, NULL))
        return 1;
    struct loose_worker *worker = loose_add(&rig, set_and_count, NULL, 0);
    EXPECT_OK(loose_reaches(&counter, 1));
    EXPECT_OK(sigset(SIGSTKFLT, SIG_HOLD) == SIG_DFL);
    stops(worker);
    EXPECT_OK(sigset(SIGSTKFLT, SIG_DFL) == SIG_HOLD);
    stops(worker);
    flag_set(&stop, 1);
    EXPECT_OK(loose_reaches(&worker->ended, 1));
    EXPECT_OK(loose_finish(&rig));
    return 0;
}

CALL_TEST(SignalActions, a_thread_that_holds_the_signal_stops_others,
          EXPECT_IN_CHILD(held_when_stopped, NULL, LIMIT_MS))
