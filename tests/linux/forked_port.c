/* SPDX-License-Identifier: MIT
 *
 * forked_port.c - a completion port whose only place belongs to a thread that the forked child does
 * not have.
 *
 * modes: default
 */
#include <windows.h>

#include "block_case.h"
#include "child.h"
#include "fleet.h"
#include "gtest_c.h"

#include <unistd.h>

struct kept_place {
    HANDLE port;
    int taken, fd[2];
};

static bool takes_packet(HANDLE port, DWORD milliseconds)
{
    DWORD bytes;
    ULONG_PTR key;
    LPOVERLAPPED overlapped;

    return GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, milliseconds);
}

static DWORD WINAPI keep_place(LPVOID arg)
{
    struct kept_place *kept = arg;
    char byte;

    EXPECT_OK(takes_packet(kept->port, INFINITE));
    flag_set(&kept->taken, 1);
    EXPECT_EQ(read(kept->fd[0], &byte, 1), 0);
    return 0;
}

static int take_in_child(void *arg)
{
    struct kept_place *kept = arg;

    PostQueuedCompletionStatus(kept->port, 2, 0, NULL);
    return takes_packet(kept->port, 0) ? 0 : 30;
}

TEST(ForkedPort, a_ports_places_are_free_in_the_child)
{
    struct kept_place kept = {.port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 1)};
    HANDLE thread;

    ASSERT_NE(kept.port, NULL);
    make_pipe(kept.fd);
    PostQueuedCompletionStatus(kept.port, 1, 0, NULL);
    thread = CreateThread(NULL, 0, keep_place, &kept, 0, NULL);
    ASSERT_NE(thread, NULL);
    ASSERT_OK(wait_until(&kept.taken, 10000));
    EXPECT_IN_CHILD(take_in_child, &kept, 10000);
    EXPECT_OK(!takes_packet(kept.port, 0));
    close(kept.fd[1]);
    EXPECT_EQ(WaitForSingleObject(thread, 10000), WAIT_OBJECT_0);
    close(kept.fd[0]);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(kept.port));
}
