/* SPDX-License-Identifier: MIT
 *
 * refused_calls.c - a sandbox that refuses, before the first scheduler, one of the calls that the
 * library makes and the program need not: what the program's calls give is the same.
 *
 * modes: default, UMSSHIM_DETECT=traps, UMSSHIM_DETECT=notify, UMSSHIM_DETECT=0, UMSSHIM_RING=0
 */
#include "child.h"
#include "filters.h"
#include "gtest_c.h"
#include "scenario.h"

#include <sys/syscall.h>

/* Without mmap or threads there is nothing at all. */
static const int refused[] = {SYS_preadv2,   SYS_fcntl,         SYS_lseek,    SYS_fstat,
                              SYS_gettid,    SYS_getpid,        SYS_clone,    SYS_epoll_pwait,
                              SYS_epoll_ctl, SYS_epoll_create1, SYS_eventfd2, SYS_ioctl,
                              SYS_ppoll};

enum { LIMIT_MS = 20000 };

static int run_refused(void *number)
{
    EXPECT_EQ(refuse_call(*(unsigned *)number, EPERM), 0);
    return scenario_run(1);
}

TEST(RefusedCalls, what_the_program_need_not_make)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        unsigned number = (unsigned)refused[i];
        struct child_result result = child_run(run_refused, &number, LIMIT_MS);

        EXPECT_THAT(!result.timed_out && result.exited && result.code == 0,
                    "system call %d: %s, code %d, signal %d: %s", refused[i],
                    result.timed_out ? "hangs" : "ended", result.code, result.signal,
                    result.output);
    }
}
