/* SPDX-License-Identifier: MIT
 *
 * opens_and_filters.c - a filter of the program's stops a worker's opens. The program's handler of
 * SIGSYS opens files, waits or jumps away. Afterwards opens that wait still leave their scheduler.
 *
 * modes: ways, UMSSHIM_DETECT=0
 */
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    STOPPED_MODE = 0123,
    TIMES = 3,
    OFTEN = 64,
    LIMIT_MS = 15000,
    CANNOT = 77,
    LASTS_NS = 5000000
};

enum what { OPENS, WAITS, JUMPS };
static enum what what;
static __thread sigjmp_buf away;
static char fifo[64];

static void on_stopped(int number, siginfo_t *info, void *context)
{
    ucontext_t *stopped = context;
    struct timespec moment = {0, LASTS_NS};

    if (what == JUMPS)
        siglongjmp(away, 1);
    if (what == WAITS)
        nanosleep(&moment, NULL);
    stopped->uc_mcontext.gregs[REG_RAX] = open("/dev/null", O_RDONLY);
}

/* The program's own filter stops each openat that has the mode STOPPED_MODE. */
static bool stop_some_opens(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STOPPED_MODE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    struct sigaction action = {.sa_sigaction = on_stopped, .sa_flags = SA_SIGINFO | SA_NODEFER};

    return sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static void open_and_close(int fd)
{
    EXPECT_GE(fd, 0);
    close(fd);
}

static void reader(struct worker *self)
{
    for (int i = 0; i < OFTEN; i++) /* until the call within libc is redirected to the library */
        open_and_close(openat(AT_FDCWD, "/dev/null", O_RDONLY, 0));
    for (volatile int i = 0; i < TIMES; i++) {
        if (sigsetjmp(away, 1))
            continue;
        open_and_close(openat(AT_FDCWD, "/nonexistent", O_CREAT | O_RDONLY, STOPPED_MODE));
        EXPECT_NE(what, JUMPS);
    }
    open_and_close(open(fifo, O_RDONLY));
}

/* Runs on the reader's scheduler, so only when the reader's open has left it. */
static void writer(struct worker *self)
{
    open_and_close(open(fifo, O_WRONLY));
}

static int run(void *arg)
{
    struct fleet *fleet;

    if (!stop_some_opens())
        return CANNOT;
    fleet = fleet_create(1, 2, 0);
    EXPECT_NE(fleet_add(fleet, reader, NULL) && fleet_add(fleet, writer, NULL), 0);
    EXPECT_NE(fleet_run(fleet), 0);
    return tc_failures() ? CHILD_CHECKS_FAILED : 0;
}

static void with_handler_that(enum what does)
{
    char folder[] = "/tmp/umsshim-opens-XXXXXX";

    what = does;
    ASSERT_NE(mkdtemp(folder), NULL);
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    ASSERT_EQ(mkfifo(fifo, 0600), 0);
    struct child_result result = child_run(run, NULL, LIMIT_MS);
    unlink(fifo);
    rmdir(folder);
    if (result.exited && result.code == CANNOT)
        SKIP("the system refuses a filter");
    EXPECT_CHILD_OK(result);
}

CALL_TEST(OpensAndFilters, handler_that_opens, with_handler_that(OPENS))
CALL_TEST(OpensAndFilters, handler_that_waits, with_handler_that(WAITS))
CALL_TEST(OpensAndFilters, handler_that_jumps_away, with_handler_that(JUMPS))
