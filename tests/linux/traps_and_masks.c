/* SPDX-License-Identifier: MIT
 *
 * traps_and_masks.c - without a listener a call is trapped whatever mask the worker has: a mask
 * that blocks SIGSYS does not end the process.
 *
 * Runs with UMSSHIM_DETECT=traps.
 *
 * modes: UMSSHIM_DETECT=traps, UMSSHIM_DETECT=notify
 */
#include "block_case.h"
#include "child.h"
#include "gtest_c.h"
#include "trapped_read.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KERNEL_SET = 8 };

static void read_masked(struct block_case *c)
{
    sigset_t all, old, seen;

    sigfillset(&all);
    EXPECT_EQ(sigprocmask(SIG_SETMASK, &all, &old), 0);
    read_bare(c);
    EXPECT_EQ(sigprocmask(SIG_SETMASK, &old, &seen), 0);
    EXPECT_EQ(sigismember(&seen, SIGSYS), 1);
}

TEST(TrapsAndMasks, in_a_mask_that_blocks_everything)
{
    with_a_pipe(read_masked);
}

/* Blocks all signals by a bare call, as libc does inside its functions. That is the worker's mask,
 * on whatever carrier it runs next. */
static void read_masked_bare(struct block_case *c)
{
    uint64_t all = ~0ull, old = 0, seen = 0, usr1 = 1ull << (SIGUSR1 - 1);

    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&old, KERNEL_SET, 0), 0);
    read_bare(c);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, (long)&usr1, (long)&seen, KERNEL_SET, 0),
              0);
    EXPECT_NE(seen & 1ull << (SIGSYS - 1), 0);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, 0, (long)&seen, KERNEL_SET, 0), 0);
    EXPECT_EQ(seen, usr1);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 1, KERNEL_SET, 0), -EFAULT);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, 1, 0, KERNEL_SET, 0), -EFAULT);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, 4, 0), -EINVAL);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, 77, (long)&old, 0, KERNEL_SET, 0), -EINVAL);
    EXPECT_EQ(bare_call_5(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, KERNEL_SET, 0), 0);
}

TEST(TrapsAndMasks, in_a_mask_set_by_a_bare_call)
{
    with_a_pipe(read_masked_bare);
}

static int pipe_of_handler[2];
static sigjmp_buf back;

/* In the kernel's hands, on the carrier: its mask has everything, and it makes a call that is trapped. */
static void on_fault(int number)
{
    char byte = 0;

    EXPECT_EQ(bare_call(SYS_read, pipe_of_handler[0], &byte, 1), 1);
    siglongjmp(back, 1);
}

static volatile int *volatile nowhere = (volatile int *)16;

static void fault(struct block_case *c)
{
    struct sigaction seen;

    for (volatile int i = 0; i < 3; i++) {
        EXPECT_EQ(write(pipe_of_handler[1], "x", 1), 1);
        if (sigsetjmp(back, 1) == 0) {
            *nowhere = 1;
            FAIL("no fault");
        }
    }
    EXPECT_EQ(sigaction(SIGSEGV, NULL, &seen), 0);
    EXPECT_EQ(sigismember(&seen.sa_mask, SIGSYS), 1);
}

static int fault_in_worker(void *before)
{
    struct sigaction action = {.sa_handler = on_fault};
    struct block_case c = {.fd = {-1, -1, -1, -1}};

    EXPECT_EQ(pipe(pipe_of_handler), 0);
    sigfillset(&action.sa_mask);
    if (!before) /* there are traps already */
        run_in_worker(write_bare, &(struct block_case){.fd = {-1, pipe_of_handler[1]}});
    EXPECT_EQ(sigaction(SIGSEGV, &action, NULL), 0);
    run_in_worker(fault, &c);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

TEST(TrapsAndMasks, in_a_handler_that_blocks_everything)
{
    char before[] = "before";

    EXPECT_IN_CHILD(fault_in_worker, before, LIMIT_MS);
    EXPECT_IN_CHILD(fault_in_worker, NULL, LIMIT_MS);
}

static void abort_here(struct block_case *c)
{
    abort();
}

static int abort_in_worker(void *arg)
{
    run_in_worker(abort_here, arg);
    return 0;
}

TEST(TrapsAndMasks, abort_is_no_bad_system_call)
{
    struct block_case c = {.fd = {-1, -1, -1, -1}};
    struct child_result result = child_run(abort_in_worker, &c, LIMIT_MS);

    EXPECT_CHILD_SIGNAL(result, SIGABRT);
}
