/* SPDX-License-Identifier: MIT
 *
 * actions_as_libcs.c - the library keeps the actions of some signals itself. For these libc's
 * functions set and return actions as for any other signal.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { LIMIT_MS = 15000 };

__sighandler_t bsd_signal(int number, __sighandler_t handler); /* in no header any more */

static const int signals[] = {SIGSYS, SIGSEGV, SIGABRT, SIGUSR1}; /* the last one is libc's */
enum { SIGNALS = sizeof signals / sizeof *signals };

static int came;

static void on_signal(int number)
{
    flag_add(&came, 1);
}

static void run_body(struct block_case *c)
{
    ((void (*)(void))c->data)();
}

/* In a worker, and then on a plain thread, whose actions are kept from then on. */
static int in_both(void *body)
{
    struct block_case c = {.data = body};

    run_in_worker(run_body, &c);
    run_body(&c);
    return 0;
}

static void expect_in_both(void (*body)(void))
{
    EXPECT_IN_CHILD(in_both, (void *)body, LIMIT_MS);
}

static struct sigaction action_of(int number)
{
    struct sigaction now = {.sa_flags = 0};

    EXPECT_EQ(sigaction(number, NULL, &now), 0);
    return now;
}

static __sighandler_t told(int number)
{
    return action_of(number).sa_handler;
}

static bool restarts(int number)
{
    return action_of(number).sa_flags & SA_RESTART;
}

/* ---- siginterrupt ---------------------------------------------------------------------------- */

/* siginterrupt holds for later actions as well, until a second call takes it back. */
static void are_interrupted(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        EXPECT_EQ(siginterrupt(signals[i], 1), 0);
        EXPECT_NE(signal(signals[i], on_signal), SIG_ERR);
        EXPECT_THAT(!restarts(signals[i]), "signal %d", signals[i]);
        EXPECT_NE(bsd_signal(signals[i], SIG_DFL), SIG_ERR);
        EXPECT_THAT(!restarts(signals[i]), "signal %d", signals[i]);
        EXPECT_NE(sigignore(signals[i]), -1);
        EXPECT_NE(ssignal(signals[i], on_signal), SIG_ERR);
        EXPECT_THAT(!restarts(signals[i]), "signal %d", signals[i]);
        EXPECT_EQ(siginterrupt(signals[i], 0), 0);
        EXPECT_THAT(restarts(signals[i]), "signal %d", signals[i]);
        EXPECT_NE(signal(signals[i], SIG_DFL), SIG_ERR);
        EXPECT_THAT(restarts(signals[i]), "signal %d", signals[i]);
    }
    EXPECT_ERRNO(siginterrupt(0, 1), EINVAL);
    EXPECT_ERRNO(siginterrupt(NSIG, 1), EINVAL);
}

TEST(ActionsAsLibcs, siginterrupt_is_for_later_actions)
{
    expect_in_both(are_interrupted);
}

static void was_told_before(void)
{
    EXPECT_NE(signal(SIGSEGV, on_signal), SIG_ERR);
    EXPECT_OK(!restarts(SIGSEGV));
    EXPECT_NE(signal(SIGABRT, on_signal), SIG_ERR);
    EXPECT_OK(restarts(SIGABRT));
}

static int interrupted_before(void *unused)
{
    EXPECT_EQ(siginterrupt(SIGSEGV, 1), 0);
    EXPECT_EQ(siginterrupt(SIGABRT, 1), 0);
    EXPECT_EQ(siginterrupt(SIGABRT, 0), 0);
    return in_both((void *)was_told_before);
}

CALL_TEST(ActionsAsLibcs, siginterrupt_was_called_before_the_library_keeps_them,
          EXPECT_IN_CHILD(interrupted_before, NULL, LIMIT_MS))

/* ---- Flags and masks ------------------------------------------------------------------------- */

static bool masks_itself(int number)
{
    struct sigaction now = action_of(number);

    return sigismember(&now.sa_mask, number) == 1;
}

static void are_told(void)
{
    static const int own = (int)(SA_RESTART | SA_RESETHAND | SA_NODEFER | SA_SIGINFO);

    for (int i = 0; i < SIGNALS; i++) {
        int number = signals[i];
        EXPECT_NE(signal(number, on_signal), SIG_ERR);
        EXPECT_THAT((action_of(number).sa_flags & own) == SA_RESTART, "signal %d", number);
        EXPECT_THAT(masks_itself(number), "signal %d", number);
        EXPECT_NE(sysv_signal(number, on_signal), SIG_ERR);
        EXPECT_THAT((action_of(number).sa_flags & own) == (int)(SA_RESETHAND | SA_NODEFER),
                    "signal %d", number);
        EXPECT_NE(sigset(number, on_signal), SIG_ERR);
        EXPECT_THAT((action_of(number).sa_flags & own) == 0, "signal %d", number);
        EXPECT_NE(signal(number, on_signal), SIG_ERR);
        EXPECT_EQ(sigignore(number), 0);
        EXPECT_THAT((action_of(number).sa_flags & own) == 0, "signal %d", number);
        EXPECT_NE(signal(number, SIG_DFL), SIG_ERR);
    }
}

TEST(ActionsAsLibcs, flags_and_masks)
{
    expect_in_both(are_told);
}

/* ---- SIG_HOLD -------------------------------------------------------------------------------- */

static bool is_blocked(int number)
{
    sigset_t now;

    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
    return sigismember(&now, number) == 1;
}

/* sigset says that a signal is held, in place of its action, until another action is set. That
 * holds of the signal that stops threads, too. */
static void are_held(void)
{
    static const int held[] = {SIGSTKFLT, SIGSYS, SIGABRT, SIGUSR1};

    for (unsigned i = 0; i < sizeof held / sizeof *held; i++) {
        int number = held[i];
        EXPECT_NE(signal(number, SIG_IGN), SIG_ERR);
        EXPECT_THAT(sigset(number, SIG_HOLD) == SIG_IGN, "signal %d", number);
        EXPECT_THAT(is_blocked(number), "signal %d", number);
        EXPECT_THAT(told(number) == SIG_IGN, "signal %d", number);
        EXPECT_THAT(sigset(number, SIG_HOLD) == SIG_HOLD, "signal %d", number);
        EXPECT_THAT(sigset(number, SIG_DFL) == SIG_HOLD, "signal %d", number);
        EXPECT_THAT(!is_blocked(number), "signal %d", number);
        EXPECT_THAT(told(number) == SIG_DFL, "signal %d", number);
        EXPECT_THAT(sigset(number, SIG_IGN) == SIG_DFL, "signal %d", number);
        EXPECT_NE(signal(number, SIG_DFL), SIG_ERR);
    }
    EXPECT_OK(sigset(SIGSTKFLT, on_signal) == SIG_ERR);
    EXPECT_OK(!is_blocked(SIGSTKFLT));
    EXPECT_OK(sigset(NSIG, SIG_HOLD) == SIG_ERR);
}

TEST(ActionsAsLibcs, held_by_sigset)
{
    expect_in_both(are_held);
}

/* ---- For one signal -------------------------------------------------------------------------- */

/* The next one finds the default, and the flags as they were. */
static void come_once(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction once = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
        int number = signals[i], before = flag_get(&came);

        EXPECT_EQ(sigaction(number, &once, NULL), 0);
        EXPECT_EQ(raise(number), 0);
        EXPECT_THAT(flag_get(&came) == before + 1, "signal %d", number);
        EXPECT_THAT(told(number) == SIG_DFL, "signal %d", number);
        EXPECT_THAT(action_of(number).sa_flags & (int)SA_RESETHAND, "signal %d", number);
        EXPECT_NE(sysv_signal(number, on_signal), SIG_ERR);
        EXPECT_EQ(raise(number), 0);
        EXPECT_THAT(flag_get(&came) == before + 2, "signal %d", number);
        EXPECT_THAT(told(number) == SIG_DFL, "signal %d", number);
    }
}

TEST(ActionsAsLibcs, a_handler_for_one_signal)
{
    expect_in_both(come_once);
}

static int comes_twice(void *number)
{
    struct sigaction once = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    in_both((void *)are_told);
    EXPECT_EQ(sigaction(*(int *)number, &once, NULL), 0);
    raise(*(int *)number);
    EXPECT_EQ(flag_get(&came), 1);
    if (!tc_failures())
        raise(*(int *)number);
    return 1;
}

TEST(ActionsAsLibcs, the_second_signal_ends_the_process)
{
    for (int i = 0; i < SIGNALS; i++) {
        int number = signals[i];
        struct child_result result = child_run(comes_twice, &number, LIMIT_MS);

        EXPECT_CHILD_SIGNAL(result, number);
    }
}
