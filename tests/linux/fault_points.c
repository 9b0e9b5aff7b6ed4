/* SPDX-License-Identifier: MIT
 *
 * fault_points.c - each of the library's requests for memory, a thread or a descriptor fails in
 * turn.
 *
 * A checked build asks umsshim_fault_point() before each request of the library's own
 * (os/fault_points.h). The test runs each scenario in a child again and again. In the n-th child
 * the n-th request fails, with the error that the kernel or libc has for it. Whichever request that
 * is, the child ends in time. A Win32 call that fails sets a documented error, and libc's calls in
 * workers return what they return without the library.
 *
 * FAULT_POINTS=all tries each request. Else each run leaves some requests out, to save time;
 * another run leaves out others.
 *
 * modes: default, UMSSHIM_DETECT=traps
 * with: fault_scenarios.c, fault_names.c
 * options: LIMIT 120
 * where: UMSSHIM_CHECKS
 */
#include "gtest_c.h"

#include <windows.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "fault_scenarios.h"

enum { NOT_REACHED = 0, SURVIVED = 10, REFUSED = 11, WRONG = 20 };

/* ---- The point that fails ---- */

struct seen {
    long what;
    void *place;
    char wrong[160];
};

static struct seen *seen; /* shared with the parent */
static long fail_at;      /* 0: never */
static atomic_long asked;

static int error_of(long what, long argument)
{
    switch (what) {
    case -1: /* memory */
    case SYS_mmap:
    case SYS_mremap:
    case SYS_io_uring_setup:
        return ENOMEM;
    case SYS_mprotect:
        return ENOMEM;
    case -2: /* a thread */
    case SYS_clone:
    case SYS_clone3:
        return EAGAIN;
    case SYS_openat:
    case SYS_open:
    case SYS_eventfd2:
    case SYS_epoll_create1:
    case SYS_pipe2:
    case SYS_dup:
    case SYS_memfd_create:
        return EMFILE;
    case SYS_epoll_ctl:
        return argument == 2 /* EPOLL_CTL_DEL needs nothing */ ? 0 : ENOSPC;
    case SYS_fallocate:
        return ENOSPC;
    case SYS_fcntl:
        return argument == F_DUPFD || argument == F_DUPFD_CLOEXEC ? EMFILE : 0;
    case SYS_sched_setaffinity:
        return EINVAL;
    default:
        return 0;
    }
}

int umsshim_fault_point(long what, long argument);
int umsshim_fault_point(long what, long argument)
{
    int error = fail_at ? error_of(what, argument) : 0;

    if (!error || atomic_fetch_add(&asked, 1) + 1 != fail_at)
        return 0;
    seen->what = what;
    seen->place = __builtin_return_address(0);
    return error;
}

/* ---- What may come of it ---- */

_Noreturn void wrong(const char *what, long value, long error)
{
    snprintf(seen->wrong, sizeof seen->wrong, "%s: %ld, error %ld", what, value, error);
    _exit(WRONG);
}

/* A Win32 call has failed. Its error must be one that says that something could not be had. */
bool refused(const char *call)
{
    switch (GetLastError()) {
    case ERROR_TOO_MANY_OPEN_FILES:
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_MAX_THRDS_REACHED:
    case ERROR_NOT_SUPPORTED:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_COMMITMENT_LIMIT:
        return false;
    default:
        wrong(call, 0, (long)GetLastError());
    }
}

/* ---- The trial of one place ---- */

struct trial {
    bool (*scenario)(void);
    long point;
};

static int attempt(void *arg)
{
    const struct trial *trial = arg;
    bool all;

    alarm(LIMIT_MS / 1000);
    fail_at = trial->point;
    all = trial->scenario();
    if (!seen->what) /* neither here nor in a child that this has made */
        return all ? NOT_REACHED : WRONG;
    return all ? SURVIVED : REFUSED;
}

static void try_all(bool (*scenario)(void))
{
    const char *how = getenv("FAULT_POINTS");
    bool all = how && strcmp(how, "all") == 0;
    int step = all ? 1 : 9, survived = 0, refusals = 0;
    long point = all ? 1 : 1 + (long)(time(NULL) % step);

    seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE((void *)seen, MAP_FAILED);
    for (;; point += step) {
        struct trial trial = {scenario, point};
        struct child_result result;

        memset(seen, 0, sizeof *seen);
        result = child_run(attempt, &trial, LIMIT_MS + 3000);
        if (result.exited && result.code == NOT_REACHED)
            break;
        survived += result.exited && result.code == SURVIVED;
        refusals += result.exited && result.code == REFUSED;
        if (!result.exited || (result.code != SURVIVED && result.code != REFUSED)) {
            Dl_info in = {0};

            dladdr(seen->place, &in);
            printf("point %ld, call %ld from %s+0x%lx: %s, code %d, signal %d; %s\n%s\n", point,
                   seen->what, in.dli_fname, (long)((char *)seen->place - (char *)in.dli_fbase),
                   result.timed_out ? "killed" : "ended", result.code, result.signal, seen->wrong,
                   result.output);
            EXPECT_EQ(result.code, SURVIVED);
        }
    }
    printf("up to point %ld, in steps of %d: %d as if nothing had happened, %d refused\n", point,
           step, survived, refusals);
    EXPECT_GT(point, 5);
    munmap(seen, sizeof *seen);
}

CALL_TEST(FaultPoints, workers_that_yield, try_all(hello))
CALL_TEST(FaultPoints, workers_that_block, try_all(blocks))
CALL_TEST(FaultPoints, objects_and_the_pool, try_all(objects))
CALL_TEST(FaultPoints, signals_forks_and_threads, try_all(processes))
CALL_TEST(FaultPoints, files_memory_and_fibers, try_all(memory))
CALL_TEST(FaultPoints, names_between_processes, try_all(names))
