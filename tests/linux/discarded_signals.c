/* SPDX-License-Identifier: MIT
 *
 * discarded_signals.c - when a program begins to ignore a signal, the signal is pending for no
 * worker any more, whichever function and thread sets that.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "gtest_c.h"

#include <pthread.h>
#include <signal.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

__sighandler_t bsd_signal(int number, __sighandler_t handler); /* in no header any more */
int __sigaction(int number, const struct sigaction *action, struct sigaction *old);

static const struct sigaction ignored = {.sa_handler = SIG_IGN};

static void by_sigaction(void)
{
    EXPECT_EQ(sigaction(SIGUSR1, &ignored, NULL), 0);
}

static void by_other_sigaction(void)
{
    EXPECT_EQ(__sigaction(SIGUSR1, &ignored, NULL), 0);
}

static void by_signal(void)
{
    EXPECT_NE(signal(SIGUSR1, SIG_IGN), SIG_ERR);
}

static void by_ssignal(void)
{
    EXPECT_NE(ssignal(SIGUSR1, SIG_IGN), SIG_ERR);
}

static void by_bsd_signal(void)
{
    EXPECT_NE(bsd_signal(SIGUSR1, SIG_IGN), SIG_ERR);
}

static void by_sysv_signal(void)
{
    EXPECT_NE(sysv_signal(SIGUSR1, SIG_IGN), SIG_ERR);
}

static void by_sigignore(void)
{
    EXPECT_EQ(sigignore(SIGUSR1), 0);
}

/* sigset also takes the signal out of the mask, for its caller alone. */
static void by_sigset(void)
{
    EXPECT_NE(sigset(SIGUSR1, SIG_IGN), SIG_ERR);
}

static const struct way {
    const char *name;
    void (*ignore)(void);
} ways[] = {{"sigaction", by_sigaction},   {"__sigaction", by_other_sigaction},
            {"signal", by_signal},         {"ssignal", by_ssignal},
            {"bsd_signal", by_bsd_signal}, {"sysv_signal", by_sysv_signal},
            {"sigignore", by_sigignore},   {"sigset", by_sigset}};
enum { WAYS = sizeof ways / sizeof *ways };

static bool is_pending(void)
{
    sigset_t now;

    EXPECT_EQ(sigpending(&now), 0);
    return sigismember(&now, SIGUSR1) == 1;
}

static void *ignore_it(void *way)
{
    ((const struct way *)way)->ignore();
    return NULL;
}

static void in_thread(const struct way *way)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, ignore_it, (void *)way), 0);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
}

static void in_caller(const struct way *way)
{
    way->ignore();
}

static void ignore_while_pending(void (*ignore)(const struct way *way))
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    for (int i = 0; i < WAYS; i++) {
        EXPECT_EQ(sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_DFL}, NULL), 0);
        EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
        EXPECT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
        EXPECT_OK(is_pending());
        ignore(&ways[i]);
        EXPECT_THAT(!is_pending(), "by %s", ways[i].name);
    }
}

WORKER_TEST(DiscardedSignals, by_a_plain_thread)
{
    ignore_while_pending(in_thread);
}

WORKER_TEST(DiscardedSignals, by_the_worker)
{
    ignore_while_pending(in_caller);
}
