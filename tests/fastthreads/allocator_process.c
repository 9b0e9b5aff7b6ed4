/* SPDX-License-Identifier: MIT
 *
 * allocator_process.c - see allocator_process.h.
 */
#include "allocator_process.h"

#include "allocator/channel.h"
#include "gtest_c.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <windows.h>

char allocator_name[64];

int allocator_main(void *quantum)
{
    execl(FT_ALLOCATOR_PATH, "ft_allocator", "--name", allocator_name, "--quantum",
          (const char *)quantum, (char *)NULL);
    return 127;
}

struct child start_allocator(const char *what, const char *quantum)
{
    ULONGLONG until = GetTickCount64() + LIMIT_MS;
    struct channel *probe = NULL;
    struct child child;

    snprintf(allocator_name, sizeof(allocator_name), "test-%s-%d", what, (int)getpid());
    child = child_start(allocator_main, (void *)(uintptr_t)quantum);
    while (!(probe = channel_open(allocator_name, MACHINE)) && GetTickCount64() < until)
        Sleep(1);
    EXPECT_THAT(probe, "nobody listens as %s", allocator_name);
    if (probe)
        channel_close(probe);
    return child;
}

void end_allocator(struct child child)
{
    struct child_result result;

    kill(child.pid, SIGTERM);
    result = child_wait(child, LIMIT_MS);
    EXPECT_CHILD_OK(result);
}
