/* SPDX-License-Identifier: MIT
 *
 * io_uring_refused.c - if io_uring is forbidden, helper threads complete the calls instead.
 *
 * modes: default
 */
#include "child.h"
#include "filters.h"
#include "gtest_c.h"
#include "scenario.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct refusal {
    unsigned call;
    unsigned error;
};

static int open_rings(void)
{
    DIR *files = opendir("/proc/self/fd");
    int count = 0;

    for (struct dirent *entry; files && (entry = readdir(files));) {
        char file[64] = "";

        if (readlinkat(dirfd(files), entry->d_name, file, sizeof file - 1) > 0)
            count += strstr(file, "[io_uring]") != NULL;
    }
    if (files)
        closedir(files);
    return count;
}

/* A ring that is of no use takes no descriptor. */
static int run_refused(void *arg)
{
    struct refusal *refusal = arg;

    EXPECT_EQ(refuse_call(refusal->call, refusal->error), 0);
    int result = scenario_run(20);
    EXPECT_EQ(open_rings(), 0);
    return result;
}

static void refused(unsigned call, unsigned error)
{
    struct refusal refusal = {call, error};

    EXPECT_IN_CHILD(run_refused, &refusal, 20000);
}

CALL_TEST(IoUringRefused, by_a_filter_eperm, refused(SYS_io_uring_setup, EPERM))
CALL_TEST(IoUringRefused, by_a_filter_enosys, refused(SYS_io_uring_setup, ENOSYS))
CALL_TEST(IoUringRefused, out_of_memory, refused(SYS_io_uring_setup, ENOMEM))

/* The ring can be made but not used: a sandbox that knows one call and not the other. */
CALL_TEST(IoUringRefused, enter_only, refused(SYS_io_uring_enter, EPERM))

static int run_without_ring(void *arg)
{
    setenv("UMSSHIM_RING", "0", 1);
    EXPECT_EQ(refuse_call(SYS_io_uring_setup, EFAULT), 0); /* must not even be asked for */
    return scenario_run(20);
}

TEST(IoUringRefused, by_the_environment)
{
    struct child_result result = child_run(run_without_ring, NULL, 20000);

    EXPECT_CHILD_OK(result);
    EXPECT_STREQ(result.output, "");
}
