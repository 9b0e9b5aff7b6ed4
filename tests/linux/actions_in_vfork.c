/* SPDX-License-Identifier: MIT
 *
 * actions_in_vfork.c - a plain thread's child by vfork sets actions of signals, as a child does
 * before it becomes another program. It has its parent's memory, but actions of its own. So the
 * parent keeps its actions, and the parent's workers keep their pending signals.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_MS = 15000 };

/* Those whose actions the library keeps; the one that stops threads comes last. */
static const int kept[] = {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSTKFLT};
enum { KEPT = sizeof kept / sizeof *kept, WITH_HANDLERS = KEPT - 1 };

static int came[KEPT];
static int told_in_child; /* how many times the child was told what it had set */

static void on_signal(int number)
{
    for (int i = 0; i < KEPT; i++)
        came[i] += kept[i] == number;
}

static bool is_told(int number, __sighandler_t handler)
{
    struct sigaction now;

    return sigaction(number, NULL, &now) == 0 && now.sa_handler == handler;
}

static void count(bool told)
{
    told_in_child += told;
}

/* The child sets each action by signal, which returns the old one, and by sigaction, which is not
 * asked for it. */
static void set_in_child(void)
{
    for (int i = 0; i < KEPT; i++) {
        count(is_told(kept[i], i < WITH_HANDLERS ? on_signal : SIG_DFL));
        count(signal(kept[i], SIG_IGN) == (i < WITH_HANDLERS ? on_signal : SIG_DFL));
        count(is_told(kept[i], SIG_IGN));
        count(sigaction(kept[i], &(struct sigaction){.sa_handler = SIG_DFL}, NULL) == 0);
        count(is_told(kept[i], SIG_DFL));
    }
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void vfork_and(void (*body)(void), int signal)
{
    int status = -1;
    pid_t child = vfork();

    if (!child) {
        body();
        _exit(0);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WIFSIGNALED(status) ? WTERMSIG(status) : 0, signal);
}

static void nothing(struct block_case *c)
{
}

static int parents_actions(void *unused)
{
    struct block_case once = {.number = 0};

    run_in_worker(nothing, &once);
    for (int i = 0; i < WITH_HANDLERS; i++)
        EXPECT_NE(signal(kept[i], on_signal), SIG_ERR);
    vfork_and(set_in_child, 0);
    EXPECT_EQ(told_in_child, 5 * KEPT);
    for (int i = 0; i < WITH_HANDLERS; i++) {
        EXPECT_THAT(is_told(kept[i], on_signal), "signal %d", kept[i]);
        raise(kept[i]);
        EXPECT_THAT(came[i] == 1, "signal %d came %d times", kept[i], came[i]);
    }
    EXPECT_OK(is_told(SIGSTKFLT, SIG_DFL));
    return 0;
}

CALL_TEST(ActionsInVfork, a_parent_keeps_its_own, EXPECT_IN_CHILD(parents_actions, NULL, LIMIT_MS))

/* ---- What the child has set counts ----------------------------------------------------------- */

static void end_by_default(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void end_by_handler_of_its_own(void)
{
    signal(SIGSEGV, on_signal);
    raise(SIGSEGV);
}

static int childs_actions(void *unused)
{
    struct block_case once = {.number = 0};

    run_in_worker(nothing, &once);
    /* Before Linux 5.16 a core dump ends all that share the memory. */
    EXPECT_EQ(prctl(PR_SET_DUMPABLE, 0), 0);
    EXPECT_NE(signal(SIGSEGV, on_signal), SIG_ERR);
    vfork_and(end_by_default, SIGSEGV);
    EXPECT_EQ(signal(SIGSEGV, SIG_DFL), on_signal);
    vfork_and(end_by_handler_of_its_own, 0);
    EXPECT_EQ(came[1], 1);
    EXPECT_OK(is_told(SIGSEGV, SIG_DFL));
    return 0;
}

CALL_TEST(ActionsInVfork, a_child_has_what_it_sets, EXPECT_IN_CHILD(childs_actions, NULL, LIMIT_MS))

/* ---- Once only ------------------------------------------------------------------------------- */

static void take_one(void)
{
    raise(SIGSEGV);
    count(is_told(SIGSEGV, SIG_DFL));
}

static int set_for_once(void *unused)
{
    struct block_case once = {.number = 0};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    run_in_worker(nothing, &once);
    EXPECT_EQ(sigaction(SIGSEGV, &action, NULL), 0);
    vfork_and(take_one, 0);
    EXPECT_EQ(came[1], 1);
    EXPECT_EQ(told_in_child, 1);
    EXPECT_OK(is_told(SIGSEGV, on_signal));
    raise(SIGSEGV);
    EXPECT_EQ(came[1], 2);
    EXPECT_OK(is_told(SIGSEGV, SIG_DFL));
    return 0;
}

CALL_TEST(ActionsInVfork, a_handler_for_one_signal_is_each_ones_own,
          EXPECT_IN_CHILD(set_for_once, NULL, LIMIT_MS))

/* ---- What is pending for workers ------------------------------------------------------------- */

static void ignore_in_child(void)
{
    signal(SIGUSR1, SIG_IGN);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    sigset(SIGUSR1, SIG_IGN);
    sigignore(SIGUSR1);
}

static void *vforks(void *unused)
{
    vfork_and(ignore_in_child, 0);
    return NULL;
}

/* Beside a worker that waits in pthread_join. */
WORKER_TEST(ActionsInVfork, workers_keep_what_is_pending)
{
    sigset_t set;
    pthread_t thread;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    EXPECT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
    EXPECT_EQ(pthread_create(&thread, NULL, vforks, NULL), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(sigpending(&set), 0);
    EXPECT_EQ(sigismember(&set, SIGUSR1), 1);
}
