/* SPDX-License-Identifier: MIT
 *
 * allocator_process_linux.c - processes by fork and exec, messages by a socket of the test's own.
 */
#include "allocator_process.h"

#include "child.h"
#include "gtest_c.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct child allocator;

static int allocator_main(void *quantum)
{
    execl(FT_ALLOCATOR_PATH, "ft_allocator", "--name", allocator_name, "--quantum",
          (const char *)quantum, allocator_feedback ? "--feedback" : NULL, allocator_feedback,
          (char *)NULL);
    return 127;
}

void allocator_begin(const char *quantum)
{
    allocator = child_start(allocator_main, (void *)(uintptr_t)quantum);
}

void end_allocator(void)
{
    struct child_result result;

    kill(allocator.pid, SIGTERM);
    result = child_wait(allocator, LIMIT_MS);
    EXPECT_CHILD_OK(result);
}

void kill_allocator(void)
{
    kill(allocator.pid, SIGKILL);
}

void allocator_is_gone(void)
{
    struct child_result result = child_wait(allocator, LIMIT_MS);

    EXPECT_CHILD_SIGNAL(result, SIGKILL);
}

int second_allocator(void)
{
    struct child_result result = child_run(allocator_main, (void *)"100", LIMIT_MS);

    return result.exited ? result.code : -1;
}

static int crash_with_all(void *arg)
{
    struct channel_hint all = {.wanted = 2};
    struct channel *channel = channel_open(allocator_name, MACHINE);

    if (!channel || !channel_hint(channel, &all) || granted(channel, 2) != 2)
        return 1;
    raise(SIGKILL);
    return 2;
}

BOOL client_crashes(void)
{
    struct child_result result = child_run(crash_with_all, NULL, LIMIT_MS);

    return !result.exited && result.signal == SIGKILL;
}

BOOL hangs_up_on(const char *message, int bytes)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "fastthreads/%s",
                          allocator_name);
    int connection = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    char byte;
    BOOL ended =
        connect(connection, (struct sockaddr *)&address,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)) == 0 &&
        send(connection, message, (size_t)bytes, 0) == bytes && recv(connection, &byte, 1, 0) == 0;

    close(connection);
    return ended;
}
