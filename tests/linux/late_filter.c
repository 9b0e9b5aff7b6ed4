/* SPDX-License-Identifier: MIT
 *
 * late_filter.c - a seccomp filter for all threads after the first scheduler.
 *
 * modes: ways, UMSSHIM_FAULTS=1
 */
#include "child.h"
#include "filters.h"
#include "fleet.h"
#include "gtest_c.h"
#include "two_schedulers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WORKERS = 4, ROUNDS = 12 };

/* ---- By whom it is made ---- */

static _Atomic int sandboxed;
static char folder[] = "/tmp/umsshim-late-XXXXXX";

static int connect_nowhere(void)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "/nonexistent/socket"};
    int end = socket(AF_UNIX, SOCK_STREAM, 0);
    int r = connect(end, (struct sockaddr *)&to, sizeof to), error = errno;

    close(end);
    errno = error;
    return r;
}

static void expect_sandbox(void)
{
    EXPECT_ERRNO(mkdir(folder, 0700), EXDEV);
    EXPECT_ERRNO(connect_nowhere(), EXDEV);
}

static void be_in_sandbox(struct worker *self)
{
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        expect_sandbox();
        leave_scheduler(self, i);
    }
}

static void meet_sandbox(struct worker *self)
{
    if (self->index == 0) {
        EXPECT_ERRNO(mkdir(folder, 0700), EEXIST);
        EXPECT_ERRNO(connect_nowhere(), ENOENT);
        EXPECT_EQ(filter_call(SYS_mkdir, SECCOMP_RET_ERRNO | EXDEV, SECCOMP_FILTER_FLAG_TSYNC), 0);
        EXPECT_EQ(filter_call(SYS_connect, SECCOMP_RET_ERRNO | EXDEV, SECCOMP_FILTER_FLAG_TSYNC),
                  0);
        sandboxed = 1;
    }
    while (!sandboxed)
        usleep(1000);
    be_in_sandbox(self);
    EXPECT_EQ(prctl(PR_GET_SECCOMP), 2);
}

static void *meet_in_thread(void *unused)
{
    while (!sandboxed)
        usleep(1000);
    expect_sandbox();
    return NULL;
}

static int sandbox_late(void *arg)
{
    struct fleet *fleet = fleet_create(2, WORKERS, FLEET_SHARED_READY);
    pthread_t thread;

    for (int i = 0; i < WORKERS; i++)
        fleet_add(fleet, meet_sandbox, NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, meet_in_thread, NULL), 0);
    EXPECT_OK(fleet_run(fleet));
    expect_sandbox(); /* the thread that was a scheduler, and is a plain one */
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 0;
}

TEST(LateFilter, sandboxed_late_by_a_worker)
{
    ASSERT_NE(mkdtemp(folder), NULL);
    struct child_result result = child_run(sandbox_late, NULL, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
    rmdir(folder);
}

static void nothing(struct worker *self)
{
    leave_scheduler(self, 2);
}

/* The filter reaches threads that were there before it, and workers that run after it. */
static int sandbox_between(void *arg)
{
    run_on_two(WORKERS, nothing);
    EXPECT_EQ(filter_call(SYS_mkdir, SECCOMP_RET_ERRNO | EXDEV, SECCOMP_FILTER_FLAG_TSYNC), 0);
    EXPECT_EQ(filter_call(SYS_connect, SECCOMP_RET_ERRNO | EXDEV, SECCOMP_FILTER_FLAG_TSYNC), 0);
    expect_sandbox();
    run_on_two(WORKERS, be_in_sandbox);
    return 0;
}

TEST(LateFilter, sandboxed_late_by_a_plain_thread)
{
    struct child_result result = child_run(sandbox_between, NULL, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}

/* ---- It refuses what the engine makes for it ---- */

static unsigned needed;

static void meet_narrow_sandbox(struct worker *self)
{
    if (self->index == 0) {
        EXPECT_ERRNO(install_filter(NULL, 0, SECCOMP_FILTER_FLAG_TSYNC), EINVAL);
        EXPECT_EQ(filter_call(needed, SECCOMP_RET_ERRNO | EXDEV, SECCOMP_FILTER_FLAG_TSYNC), 0);
        sandboxed = 1;
    }
    while (!sandboxed)
        usleep(1000);
    for (int i = 0; i < ROUNDS && tc_failures() < 4; i++) {
        EXPECT_ERRNO(syscall(needed, -1, 0, 0, 0), EXDEV);
        leave_scheduler(self, i);
    }
}

static void *meet_narrow_in_thread(void *unused)
{
    while (!sandboxed)
        usleep(1000);
    EXPECT_ERRNO(syscall(needed, -1, 0, 0, 0), EXDEV);
    return NULL;
}

/* The second scheduler may be about to enter, and have its lane made. */
static int narrow_by_worker(void *unused)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, meet_narrow_in_thread, NULL), 0);
    run_on_two(WORKERS, meet_narrow_sandbox);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 0;
}

static int narrow_by_thread(void *unused)
{
    pthread_t thread;

    EXPECT_EQ(pthread_create(&thread, NULL, meet_narrow_in_thread, NULL), 0);
    run_on_two(WORKERS, nothing);
    EXPECT_ERRNO(install_filter(NULL, 0, SECCOMP_FILTER_FLAG_TSYNC), EINVAL);
    EXPECT_EQ(filter_call(needed, SECCOMP_RET_ERRNO | EXDEV, SECCOMP_FILTER_FLAG_TSYNC), 0);
    sandboxed = 1;
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    return 0;
}

static void expect_narrow(child_body body)
{
    static const unsigned all[] = {SYS_rt_tgsigqueueinfo, SYS_getdents64, SYS_ioctl};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        needed = all[i];
        struct child_result result = child_run(body, NULL, 20000);

        EXPECT_THAT(!result.timed_out && result.exited && result.code == 0,
                    "without call %u: code %d, signal %d: %s", needed, result.code, result.signal,
                    result.output);
    }
}

TEST(LateFilter, a_late_sandbox_may_refuse_what_gives_it_to_all)
{
    expect_narrow(narrow_by_worker);
    expect_narrow(narrow_by_thread);
}
