/* SPDX-License-Identifier: MIT
 *
 * signal_handlers.c - the state in which a worker's handler runs: the mask that sigaction asks for,
 * the signal's information, the stack, SA_RESETHAND. Queued signals come once each, in order.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_mask.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST = 32 };
static int handled;
static sigset_t held; /* in the handler */
static siginfo_t seen[MOST];

static void note(int number, siginfo_t *info, void *context)
{
    if (handled < MOST)
        seen[handled] = *info;
    handled++;
    pthread_sigmask(SIG_BLOCK, NULL, &held);
}

static void install(int number, int flags, int also_held)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | flags};

    if (also_held)
        sigaddset(&action.sa_mask, also_held);
    handled = 0;
    sigemptyset(&held);
    EXPECT_EQ(sigaction(number, &action, NULL), 0);
}

WORKER_TEST(SignalHandlers, mask_and_flags)
{
    struct sigaction now;

    install(SIGUSR1, 0, SIGUSR2);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(sigismember(&held, SIGUSR1), 1);
    EXPECT_EQ(sigismember(&held, SIGUSR2), 1);
    EXPECT_EQ(blocks(SIGUSR1), false);
    EXPECT_EQ(blocks(SIGUSR2), false);

    install(SIGUSR1, SA_NODEFER, 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(sigismember(&held, SIGUSR1), 0);

    install(SIGUSR1, SA_RESETHAND, 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(seen[0].si_code, SI_TKILL);
    EXPECT_EQ(seen[0].si_pid, getpid());
    EXPECT_EQ(sigaction(SIGUSR1, NULL, &now), 0);
    EXPECT_THAT(now.sa_handler == SIG_DFL, "the handler is still installed");
}

/* ---- nested ---- */

static int depth;
static int deepest;

static void raise_again(int number)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    handled++;
    if (handled == 1) {
        EXPECT_EQ(raise(number), 0);
        EXPECT_EQ(handled, 1); /* held back until this handler returns */
        EXPECT_EQ(raise(SIGUSR2), 0);
        EXPECT_EQ(handled, 2);
        UmsThreadYield(NULL); /* a handler may leave its scheduler */
        usleep(100);
    }
    depth--;
}

WORKER_TEST(SignalHandlers, nested)
{
    struct sigaction action = {.sa_handler = raise_again};

    handled = deepest = 0;
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    EXPECT_EQ(sigaction(SIGUSR2, &action, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(handled, 3);
    EXPECT_EQ(deepest, 2);
}

/* ---- queued ---- */

enum { QUEUED = 10 };

static void queue_to(int way, int number, int value)
{
    union sigval data = {.sival_int = value};

    EXPECT_EQ(
        way ? sigqueue(getpid(), number, data) : pthread_sigqueue(pthread_self(), number, data), 0);
}

WORKER_TEST(SignalHandlers, queued_signals_come_in_order)
{
    int number = SIGRTMIN + 2;

    for (int way = 0; way < 2; way++) {
        sigset_t pending;

        install(number, 0, 0);
        block(number, SIG_BLOCK);
        for (int i = 0; i < QUEUED; i++)
            queue_to(way, number, 100 + i);
        EXPECT_EQ(handled, 0);
        EXPECT_EQ(sigpending(&pending), 0);
        EXPECT_EQ(sigismember(&pending, number), 1);
        block(number, SIG_UNBLOCK);
        EXPECT_EQ(handled, QUEUED);
        for (int i = 0; i < QUEUED; i++) {
            EXPECT_EQ(seen[i].si_value.sival_int, 100 + i);
            EXPECT_EQ(seen[i].si_code, SI_QUEUE);
        }
    }
}

/* Pending, then ignored: gone for good. */
WORKER_TEST(SignalHandlers, ignored_while_pending)
{
    sigset_t pending;

    install(SIGUSR1, 0, 0);
    block(SIGUSR1, SIG_BLOCK);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_NE(signal(SIGUSR1, SIG_IGN), SIG_ERR);
    EXPECT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, SIGUSR1), 0);
    install(SIGUSR1, 0, 0);
    block(SIGUSR1, SIG_UNBLOCK);
    EXPECT_EQ(handled, 0);
}

/* ---- the alternate stack, and the context ---- */

static char other_stack[65536];
static int on_other_stack;

static void look_at_stack(int number, siginfo_t *info, void *context)
{
    stack_t now;
    char here;

    on_other_stack = &here > other_stack && &here < other_stack + sizeof other_stack;
    EXPECT_EQ(sigaltstack(NULL, &now), 0);
    EXPECT_EQ(now.ss_flags & SS_ONSTACK, SS_ONSTACK);
    UmsThreadYield(NULL);
    sigaddset(&((ucontext_t *)context)->uc_sigmask, SIGUSR2);
}

WORKER_TEST(SignalHandlers, alternate_stack_and_context)
{
    stack_t other = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    struct sigaction action = {.sa_sigaction = look_at_stack, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    EXPECT_EQ(sigaltstack(&other, NULL), 0);
    EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
    EXPECT_EQ(raise(SIGUSR1), 0);
    EXPECT_EQ(on_other_stack, 1);
    EXPECT_EQ(blocks(SIGUSR2), true); /* as the handler's context said */
    other.ss_flags = SS_DISABLE;
    EXPECT_EQ(sigaltstack(&other, NULL), 0);
}

/* ---- the other ways to send to oneself ---- */

WORKER_TEST(SignalHandlers, kill_tgkill_and_a_broken_pipe)
{
    int fd[2];

    install(SIGUSR1, 0, 0);
    EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(seen[0].si_code, SI_USER);
    EXPECT_EQ(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1), 0);
    EXPECT_EQ(handled, 2);
    install(SIGABRT, 0, 0);
    EXPECT_EQ(kill(getpid(), SIGABRT), 0);
    EXPECT_EQ(handled, 1);
    install(SIGPIPE, 0, 0);
    make_pipe(fd);
    close(fd[0]);
    EXPECT_ERRNO(write(fd[1], "x", 1), EPIPE);
    EXPECT_EQ(handled, 1);
    close(fd[1]);
}
