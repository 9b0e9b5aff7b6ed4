/* SPDX-License-Identifier: MIT
 *
 * served_sockets.c - receives whose end goes to a port: which threads make them, and that each ends
 * once.
 *
 * modes: default, UMSSHIM_RING=0
 * with: ../api/sockets.c
 */
#include "../api/sockets.h"

#include "child.h"
#include "events.h"
#include "gtest_c.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIPS = 300, FEW = 30 };

struct receive {
    OVERLAPPED overlapped; /* first */
    char byte;
    LONG seen;
};

static bool pends(SOCKET on, struct receive *receive)
{
    WSABUF into = {1, &receive->byte};
    DWORD flags = 0;

    memset(receive, 0, sizeof *receive);
    return WSARecv(on, &into, 1, NULL, &flags, &receive->overlapped, NULL) == SOCKET_ERROR &&
           WSAGetLastError() == WSA_IO_PENDING;
}

/* How often a thread of the engine has slept; 0: it is not there. */
static long sleeps_of(const char *name)
{
    DIR *tasks = opendir("/proc/self/task");
    long sleeps = 0;

    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        char path[300], line[128];
        bool named = false;

        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = task->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (status && fgets(line, sizeof line, status)) {
            line[strcspn(line, "\n")] = 0;
            named |= !strncmp(line, "Name:", 5) && strstr(line, name) != NULL;
            if (named && !strncmp(line, "voluntary_ctxt_switches:", 24))
                sleeps += atol(line + 24);
        }
        if (status)
            fclose(status);
    }
    if (tasks)
        closedir(tasks);
    return sleeps;
}

static bool take(HANDLE port, struct receive **taken, DWORD *error)
{
    DWORD bytes;
    ULONG_PTR key;
    OVERLAPPED *overlapped = NULL;
    BOOL good = GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, MEANWHILE_MS);

    *error = good ? 0 : GetLastError();
    *taken = (struct receive *)overlapped;
    return overlapped != NULL;
}

/* The thread that serves the port does all of it: ums:async is not woken for each. */
PAIR_TEST(ServedSockets, no_other_thread_is_woken)
{
    struct receive receive, *taken;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0);
    DWORD error;

    ASSERT_NE(port, NULL);
    long before = sleeps_of("ums:async");
    for (int i = 0; i < TRIPS; i++) {
        ASSERT_OK(pends(pair[0], &receive));
        ASSERT_EQ(send(pair[1], "x", 1, 0), 1);
        ASSERT_OK(take(port, &taken, &error));
        ASSERT_EQ(taken, &receive);
        ASSERT_EQ(receive.byte, 'x');
    }
    EXPECT_LE(sleeps_of("ums:async") - before, FEW);
    EXPECT_OK(CloseHandle(port));
}

/* A receive's end is told, too, while no thread waits at the port. */
PAIR_TEST(ServedSockets, while_nobody_serves)
{
    struct receive receive, *taken;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0);
    DWORD error, bytes = 0;

    ASSERT_NE(port, NULL);
    for (int i = 0; i < 3; i++) {
        ASSERT_OK(pends(pair[0], &receive));
        ASSERT_EQ(send(pair[1], "x", 1, 0), 1);
        EXPECT_OK(GetOverlappedResult((HANDLE)pair[0], &receive.overlapped, &bytes, TRUE));
        EXPECT_EQ(receive.byte, 'x');
        ASSERT_OK(take(port, &taken, &error));
        EXPECT_EQ(taken, &receive);
    }
    EXPECT_OK(CloseHandle(port));
}

PAIR_TEST(ServedSockets, cancelled_and_closed)
{
    struct receive receive, *taken;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0);
    DWORD error = 0;

    ASSERT_NE(port, NULL);
    ASSERT_OK(pends(pair[0], &receive));
    EXPECT_OK(CancelIoEx((HANDLE)pair[0], &receive.overlapped));
    ASSERT_OK(take(port, &taken, &error));
    EXPECT_EQ(error, ERROR_OPERATION_ABORTED);
    ASSERT_OK(pends(pair[0], &receive));
    socket_close(pair[0]);
    ASSERT_OK(take(port, &taken, &error));
    EXPECT_EQ(taken, &receive);
    EXPECT_EQ(error, ERROR_OPERATION_ABORTED);
    EXPECT_OK(CloseHandle(port));
    EXPECT_OK(socket_bound(SOCK_STREAM, &pair[0], &(struct sockaddr_in){0})); /* closed behind it */
}

/* ---- Each ends once -------------------------------------------------------------------------- */

enum { DRIVERS = 4, TAKERS = 2, ROUNDS = 1500 };

static HANDLE shared_port;
static LONG doubled, wrong;
static LONG64 received;

static DWORD WINAPI take_all(LPVOID unused)
{
    OVERLAPPED_ENTRY entries[4];
    ULONG count;

    while (GetQueuedCompletionStatusEx(shared_port, entries, 4, &count, INFINITE, FALSE))
        for (ULONG i = 0; i < count; i++) {
            struct receive *receive = (struct receive *)entries[i].lpOverlapped;

            if (!receive) {
                PostQueuedCompletionStatus(shared_port, 0, 0, NULL);
                return 0;
            }
            InterlockedExchangeAdd64(&received, entries[i].dwNumberOfBytesTransferred);
            if (InterlockedExchange(&receive->seen, 1))
                InterlockedIncrement(&doubled);
        }
    return 1;
}

/* Begins a receive, and sends, cancels, or does both at once. The number of bytes that were sent;
 * -1: something did not come in time. */
static int play(SOCKET pair[2], struct receive *receive, unsigned draw)
{
    WSABUF into = {1, &receive->byte};
    DWORD flags = 0;
    int sent = 0;

    memset(receive, 0, sizeof *receive);
    if (WSARecv(pair[0], &into, 1, NULL, &flags, &receive->overlapped, NULL) != 0 &&
        WSAGetLastError() != WSA_IO_PENDING)
        return -1;
    if (draw % 4 != 1)
        sent = send(pair[1], "x", 1, 0);
    if (draw % 4 == 1 || draw % 4 == 2)
        CancelIoEx((HANDLE)pair[0], draw % 8 < 4 ? &receive->overlapped : NULL);
    ULONGLONG limit = GetTickCount64() + MEANWHILE_MS;
    while (!InterlockedExchangeAdd(&receive->seen, 0))
        if (GetTickCount64() > limit)
            return -1;
        else
            SwitchToThread();
    return sent;
}

static DWORD WINAPI drive(LPVOID seed)
{
    static const unsigned multiplier = 1103515245u;
    struct receive *receive = calloc(1, sizeof *receive);
    unsigned state = (unsigned)(uintptr_t)seed;
    LONG64 sent = 0;
    SOCKET pair[2];

    if (!receive || !socket_pair(pair) ||
        !CreateIoCompletionPort((HANDLE)pair[0], shared_port, 0, 0))
        return 1;
    for (int i = 0; i < ROUNDS; i++) {
        state = state * multiplier + 12345u;
        int more = play(pair, receive, state >> 16);
        if (more < 0) {
            InterlockedIncrement(&wrong);
            return 1; /* the receive may still be written to */
        }
        sent += more;
    }
    InterlockedExchangeAdd64(&received, -sent);
    char rest[ROUNDS];
    int left;
    shutdown(pair[1], SD_SEND); /* the last bytes may still be on their way */
    while ((left = recv(pair[0], rest, sizeof rest, 0)) > 0)
        InterlockedExchangeAdd64(&received, left);
    socket_close(pair[0]);
    socket_close(pair[1]);
    free(receive);
    return 0;
}

TEST(ServedSockets, each_ends_once)
{
    HANDLE drivers[DRIVERS], takers[TAKERS];

    ASSERT_OK(winsock_start());
    shared_port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);
    ASSERT_NE(shared_port, NULL);
    for (int i = 0; i < TAKERS; i++)
        takers[i] = CreateThread(NULL, 0, take_all, NULL, 0, NULL);
    for (int i = 0; i < DRIVERS; i++)
        drivers[i] = CreateThread(NULL, 0, drive, (LPVOID)(uintptr_t)(i + 1), 0, NULL);
    EXPECT_EQ(WaitForMultipleObjects(DRIVERS, drivers, TRUE, 6 * MEANWHILE_MS), WAIT_OBJECT_0);
    EXPECT_OK(PostQueuedCompletionStatus(shared_port, 0, 0, NULL));
    EXPECT_EQ(WaitForMultipleObjects(TAKERS, takers, TRUE, MEANWHILE_MS), WAIT_OBJECT_0);
    EXPECT_EQ(doubled, 0);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(received, 0); /* what was sent, less what came */
    for (int i = 0; i < DRIVERS; i++)
        EXPECT_OK(CloseHandle(drivers[i]));
    for (int i = 0; i < TAKERS; i++)
        EXPECT_OK(CloseHandle(takers[i]));
    EXPECT_OK(CloseHandle(shared_port));
    winsock_stop();
}

/* ---- In their order -------------------------------------------------------------------------- */

enum { IN_ORDER = 5000, AT_ONCE = 2, SLOTS = 64 };

static HANDLE may_send, may_begin;
static struct receive slots[SLOTS];

static DWORD WINAPI send_in_pairs(LPVOID to)
{
    for (int i = 0; i < IN_ORDER / 2; i++)
        if (WaitForSingleObject(may_send, MEANWHILE_MS) != WAIT_OBJECT_0 ||
            send((SOCKET)(uintptr_t)to, "ab", 2, 0) != 2)
            return 1;
    return 0;
}

/* Both are begun before anything comes: the second one's packet is behind the first one's. */
PAIR_TEST(ServedSockets, two_end_in_their_order)
{
    struct receive two[2], *taken;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0), sender;
    int inverted = 0;
    DWORD error;

    may_send = CreateEvent(NULL, FALSE, FALSE, NULL);
    sender = CreateThread(NULL, 0, send_in_pairs, (LPVOID)(uintptr_t)pair[1], 0, NULL);
    ASSERT_NE(sender, NULL);
    for (int i = 0; i < IN_ORDER / 2; i++) {
        ASSERT_OK(pends(pair[0], &two[0]));
        ASSERT_OK(pends(pair[0], &two[1]));
        ASSERT_OK(SetEvent(may_send));
        ASSERT_OK(take(port, &taken, &error));
        inverted += taken != &two[0];
        ASSERT_OK(take(port, &taken, &error));
        ASSERT_EQ(two[0].byte, 'a');
        ASSERT_EQ(two[1].byte, 'b');
    }
    EXPECT_EQ(inverted, 0);
    EXPECT_EQ(WaitForSingleObject(sender, MEANWHILE_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(sender));
    EXPECT_OK(CloseHandle(may_send));
    EXPECT_OK(CloseHandle(port));
}

static DWORD WINAPI send_all(LPVOID to)
{
    for (int i = 0; i < IN_ORDER; i++)
        if (send((SOCKET)(uintptr_t)to, "x", 1, 0) != 1)
            return 1;
        else if (i % 3 == 0)
            SwitchToThread();
    return 0;
}

static DWORD WINAPI begin_all(LPVOID on)
{
    for (int i = 0; i < IN_ORDER; i++) {
        struct receive *receive = &slots[i % SLOTS];
        WSABUF into = {1, &receive->byte};
        DWORD flags = 0;

        if (WaitForSingleObject(may_begin, MEANWHILE_MS) != WAIT_OBJECT_0)
            return 1;
        memset(receive, 0, sizeof *receive);
        if (WSARecv((SOCKET)(uintptr_t)on, &into, 1, NULL, &flags, &receive->overlapped, NULL) &&
            WSAGetLastError() != WSA_IO_PENDING)
            return 1;
    }
    return 0;
}

/* One thread begins them, while another one takes their ends: some are over at once, some wait. */
PAIR_TEST(ServedSockets, all_end_in_their_order)
{
    struct receive *taken;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0), threads[2];
    int inverted = 0;
    DWORD error;

    may_begin = CreateSemaphore(NULL, AT_ONCE, AT_ONCE, NULL);
    threads[0] = CreateThread(NULL, 0, begin_all, (LPVOID)(uintptr_t)pair[0], 0, NULL);
    threads[1] = CreateThread(NULL, 0, send_all, (LPVOID)(uintptr_t)pair[1], 0, NULL);
    for (int i = 0; i < IN_ORDER; i++) {
        ASSERT_OK(take(port, &taken, &error));
        inverted += taken != &slots[i % SLOTS];
        ASSERT_OK(ReleaseSemaphore(may_begin, 1, NULL));
    }
    EXPECT_EQ(inverted, 0);
    EXPECT_EQ(WaitForMultipleObjects(2, threads, TRUE, MEANWHILE_MS), WAIT_OBJECT_0);
    for (int i = 0; i < 2; i++)
        EXPECT_OK(CloseHandle(threads[i]));
    EXPECT_OK(CloseHandle(may_begin));
    EXPECT_OK(CloseHandle(port));
}

/* ---- After fork ------------------------------------------------------------------------------ */

static int receive_in_child(void *arg)
{
    SOCKET pair[2];
    struct receive receive, *taken;
    DWORD error;
    bool good = socket_pair(pair);
    HANDLE port = good ? CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0) : NULL;

    for (int i = 0; good && i < 3; i++)
        good = pends(pair[0], &receive) && send(pair[1], "c", 1, 0) == 1 &&
               take(port, &taken, &error) && receive.byte == 'c';
    return good ? 0 : 31;
}

/* A child has a set of its own, and the parent's calls go on. */
PAIR_TEST(ServedSockets, after_fork)
{
    struct receive receive, *taken;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0);
    DWORD error;

    ASSERT_OK(pends(pair[0], &receive));
    EXPECT_IN_CHILD(receive_in_child, NULL, MEANWHILE_MS);
    ASSERT_EQ(send(pair[1], "p", 1, 0), 1);
    ASSERT_OK(take(port, &taken, &error));
    EXPECT_EQ(receive.byte, 'p');
    EXPECT_OK(CloseHandle(port));
}
