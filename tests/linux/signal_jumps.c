/* SPDX-License-Identifier: MIT
 *
 * signal_jumps.c - siglongjmp and contexts of getcontext carry the worker's mask, not its carrier's.
 *
 * modes: ways
 */
#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"
#include "own_mask.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;

static void jump_back(int number)
{
    siglongjmp(back, 1);
}

WORKER_TEST(SignalJumps, out_of_handlers)
{
    struct itimerval soon = {{0, 0}, {0, 20000}};
    struct timespec long_time = {20, 0};

    signal(SIGUSR1, jump_back);
    signal(SIGALRM, jump_back);
    block(SIGUSR2, SIG_BLOCK);
    if (sigsetjmp(back, 1) == 0) {
        block(SIGUSR2, SIG_UNBLOCK);
        EXPECT_EQ(blocks(SIGUSR2), false);
        raise(SIGUSR1);
        FAIL("the handler came back");
    }
    EXPECT_EQ(blocks(SIGUSR2), true);
    EXPECT_EQ(blocks(SIGUSR1), false);
    if (sigsetjmp(back, 0) == 0) {
        raise(SIGUSR1);
        FAIL("the handler came back");
    }
    EXPECT_EQ(blocks(SIGUSR1), true); /* the handler's mask stays: nobody saved another */
    block(SIGUSR1, SIG_UNBLOCK);
    block(SIGUSR2, SIG_UNBLOCK);

    /* Out of a blocked call; the worker goes on in it as if nothing had been. */
    for (volatile int i = 0; i < 3; i++) {
        if (sigsetjmp(back, 1) == 0) {
            EXPECT_EQ(setitimer(ITIMER_REAL, &soon, NULL), 0);
            nanosleep(&long_time, NULL);
            FAIL("the handler came back");
        }
        EXPECT_EQ(blocks(SIGALRM), false);
        UmsThreadYield(NULL);
        usleep(100);
    }
    signal(SIGUSR1, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
}

static ucontext_t here;
static ucontext_t there;
static char stack[65536];

static void other_side(void)
{
    EXPECT_EQ(blocks(SIGUSR2), false);
    block(SIGUSR1, SIG_BLOCK);
    swapcontext(&there, &here);
    EXPECT_EQ(blocks(SIGUSR1), true);
    EXPECT_EQ(blocks(SIGUSR2), false);
    swapcontext(&there, &here);
}

WORKER_TEST(SignalJumps, contexts)
{
    EXPECT_EQ(getcontext(&there), 0);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, other_side, 0);
    block(SIGUSR2, SIG_BLOCK);
    EXPECT_EQ(swapcontext(&here, &there), 0);
    EXPECT_EQ(blocks(SIGUSR2), true);
    EXPECT_EQ(blocks(SIGUSR1), false);
    UmsThreadYield(NULL);
    EXPECT_EQ(swapcontext(&here, &there), 0);
    EXPECT_EQ(blocks(SIGUSR2), true);
    EXPECT_EQ(blocks(SIGUSR1), false);
    block(SIGUSR2, SIG_UNBLOCK);
}
