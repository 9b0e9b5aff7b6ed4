/* SPDX-License-Identifier: MIT
 *
 * signals.c - what a signal does (actions), and masks.
 */
#include "assertion.h"
#include "caught.h"

#include <setjmp.h>
#include <signal.h>

static volatile sig_atomic_t nested, deepest;

/* ---- actions ---- */

ASSERTION(action_is_told)
{
    struct sigaction action;
    catch (SIGUSR1, SA_RESTART);
    EXPECT_EQ(sigaction(SIGUSR1, NULL, &action), 0);
    EXPECT(action.sa_sigaction == on_signal);
    EXPECT_EQ(action.sa_flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
    EXPECT_ERRNO(sigaction(SIGKILL, &action, NULL), EINVAL);
    EXPECT_ERRNO(sigaction(9999, &action, NULL), EINVAL);
}

ASSERTION(raise_returns_after_the_handler)
{
    catch (SIGUSR1, 0);
    for (int i = 1; i < 20; i++) {
        EXPECT_EQ(raise(SIGUSR1), 0);
        EXPECT_EQ(signals, i);
        EXPECT(pthread_equal(handled_by, pthread_self()));
    }
    EXPECT_ERRNO(raise(9999), EINVAL);
}

static void raise_in_handler(int sig)
{
    if (++nested > deepest)
        deepest = nested;
    if (++signals < 3)
        raise(sig);
    nested--;
}

ASSERTION(a_handler_is_not_interrupted_by_its_own_signal)
{
    signal(SIGUSR1, raise_in_handler);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(deepest, 1);
    EXPECT_EQ(signals, 3);
}

ASSERTION(unless_sa_nodefer_says_so)
{
    struct sigaction action = {.sa_handler = raise_in_handler, .sa_flags = SA_NODEFER};
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(deepest, 3);
}

static void look_at_mask(int sig)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    signals = 1 + (sigismember(&mask, SIGUSR2) == 1) + 2 * (sigismember(&mask, sig) == 1);
}

ASSERTION(sa_mask_is_blocked_in_the_handler)
{
    struct sigaction action = {.sa_handler = look_at_mask};
    sigset_t mask;
    sigaddset(&action.sa_mask, SIGUSR2);
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(signals, 4);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    EXPECT(!sigismember(&mask, SIGUSR2));
    EXPECT(!sigismember(&mask, SIGUSR1));
}

ASSERTION(a_handler_is_reset_if_asked)
{
    struct sigaction action;
    catch (SIGUSR1, SA_RESETHAND);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(sigaction(SIGUSR1, NULL, &action), 0);
    EXPECT(action.sa_handler == SIG_DFL);
}

static void *altstack;
static void on_altstack(int sig)
{
    char here;
    signals = &here > (char *)altstack && &here < (char *)altstack + 65536 ? 1 : 2;
}

ASSERTION(a_handler_runs_on_the_alternate_stack)
{
    struct sigaction action = {.sa_handler = on_altstack, .sa_flags = SA_ONSTACK};
    altstack = malloc(65536);
    stack_t stack = {.ss_sp = altstack, .ss_size = 65536}, old;
    EXPECT_EQ(sigaltstack(&stack, NULL), 0);
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    for (int i = 0; i < 5; i++) {
        sleep_ms(2);
        signals = 0;
        EXPECT_EQ(raise(SIGUSR1), 0);
        EXPECT_EQ(signals, 1);
        EXPECT_EQ(sigaltstack(NULL, &old), 0);
        EXPECT(old.ss_sp == altstack);
    }
    stack.ss_size = 16;
    EXPECT_ERRNO(sigaltstack(&stack, NULL), ENOMEM);
    stack.ss_flags = 77;
    EXPECT_ERRNO(sigaltstack(&stack, NULL), EINVAL);
    stack.ss_flags = SS_DISABLE;
    EXPECT_EQ(sigaltstack(&stack, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(signals, 2);
}

static sigjmp_buf back;
static void jump(int sig)
{
    siglongjmp(back, sig);
}
ASSERTION(siglongjmp_restores_the_mask)
{
    signal(SIGUSR1, jump);
    for (volatile int i = 0; i < 3; i++) {
        if (!sigsetjmp(back, 1)) {
            raise(SIGUSR1);
            EXPECT(!"no jump");
        }
    }
}

/* ---- masks ---- */

ASSERTION(blocked_signals_are_pending_until_unblocked)
{
    sigset_t set = only(SIGUSR1);
    catch (SIGUSR1, 0);
    block(SIGUSR1);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    sleep_ms(10);
    EXPECT_EQ(signals, 0);
    EXPECT(is_pending(SIGUSR1));
    EXPECT_EQ(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
    EXPECT_EQ(signals, 1);
    EXPECT(!is_pending(SIGUSR1));
    EXPECT_EQ(pthread_sigmask(77, &set, NULL), EINVAL);
}

ASSERTION(signals_that_cannot_be_blocked_are_not)
{
    sigset_t all, mask;
    sigfillset(&all);
    EXPECT_EQ(pthread_sigmask(SIG_SETMASK, &all, NULL), 0);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    EXPECT(!sigismember(&mask, SIGKILL));
    EXPECT(!sigismember(&mask, SIGSTOP));
    EXPECT(sigismember(&mask, SIGUSR1));
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
ASSERTION(older_calls_change_the_mask)
{
    catch (SIGUSR1, 0);
    EXPECT_EQ(sighold(SIGUSR1), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(signals, 0);
    EXPECT(is_pending(SIGUSR1));
    EXPECT_EQ(sigrelse(SIGUSR1), 0);
    EXPECT_EQ(signals, 1);
    EXPECT(sigset(SIGUSR1, SIG_HOLD) != SIG_ERR);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(signals, 1);
}
