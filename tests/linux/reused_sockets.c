/* SPDX-License-Identifier: MIT
 *
 * reused_sockets.c - sockets that serve one connection after another, and whose receives end in a
 * port: each connection puts another file behind the socket.
 *
 * modes: default, UMSSHIM_RING=0
 * with: ../api/sockets.c
 */
#include "../api/sockets.h"

#include "child.h"
#include "events.h"
#include "fleet.h"
#include "gtest_c.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CONNECTIONS = 3, ADDRESS_ROOM = sizeof(struct sockaddr_in) + 16 };

/* The operation whose packet comes; NULL: none does in time. */
static OVERLAPPED *taken(HANDLE port, DWORD *bytes)
{
    ULONG_PTR key;
    OVERLAPPED *overlapped = NULL;

    if (!GetQueuedCompletionStatus(port, bytes, &key, &overlapped, MEANWHILE_MS) && overlapped)
        *bytes = (DWORD)-1;
    return overlapped;
}

static bool pends(SOCKET on, char *byte, OVERLAPPED *overlapped)
{
    WSABUF into = {1, byte};
    DWORD flags = 0;

    memset(overlapped, 0, sizeof *overlapped);
    return WSARecv(on, &into, 1, NULL, &flags, overlapped, NULL) == SOCKET_ERROR &&
           WSAGetLastError() == WSA_IO_PENDING;
}

static BOOL renew(SOCKET one, OVERLAPPED *overlapped)
{
    static const GUID id = WSAID_DISCONNECTEX;
    LPFN_DISCONNECTEX disconnect_ex = NULL;
    void *function = socket_extension(one, id);

    memcpy(&disconnect_ex, &function, sizeof function);
    return disconnect_ex && (disconnect_ex(one, overlapped, TF_REUSE_SOCKET, 0) ||
                             GetLastError() == ERROR_IO_PENDING);
}

/* Makes the socket reusable by a TransmitFile that sends nothing. */
static BOOL renew_otherwise(SOCKET one, OVERLAPPED *overlapped)
{
    return TransmitFile(one, NULL, 0, 0, overlapped, NULL, TF_DISCONNECT | TF_REUSE_SOCKET) ||
           GetLastError() == ERROR_IO_PENDING;
}

static void serve_one_after_another(BOOL (*again)(SOCKET, OVERLAPPED *))
{
    struct sockaddr_in address;
    SOCKET listener, served = socket(AF_INET, SOCK_STREAM, 0);
    char addresses[2 * ADDRESS_ROOM], byte;
    DWORD bytes;

    ASSERT_OK(socket_listener(&listener, &address));
    HANDLE port = CreateIoCompletionPort((HANDLE)listener, NULL, 0, 0);
    ASSERT_NE(port, NULL);
    ASSERT_OK(CreateIoCompletionPort((HANDLE)served, port, 0, 0));
    for (int i = 0; i < CONNECTIONS; i++) {
        OVERLAPPED accept = {0}, receive, end = {0};
        SOCKET client = socket(AF_INET, SOCK_STREAM, 0);
        bool waits =
            AcceptEx(listener, served, addresses, 0, ADDRESS_ROOM, ADDRESS_ROOM, &bytes, &accept) ||
            WSAGetLastError() == WSA_IO_PENDING;

        ASSERT_OK(waits);
        ASSERT_EQ(connect(client, (struct sockaddr *)&address, sizeof address), 0);
        ASSERT_EQ(taken(port, &bytes), &accept);
        ASSERT_OK(pends(served, &byte, &receive));
        ASSERT_EQ(send(client, "x", 1, 0), 1);
        ASSERT_EQ(taken(port, &bytes), &receive);
        EXPECT_EQ(bytes, 1u);
        EXPECT_EQ(byte, 'x');
        ASSERT_OK(again(served, &end));
        ASSERT_EQ(taken(port, &bytes), &end);
        socket_close(client);
    }
    socket_close(served);
    socket_close(listener);
    EXPECT_OK(CloseHandle(port));
}

WINSOCK_TEST(ReusedSockets, receive_after_DisconnectEx)
{
    serve_one_after_another(renew);
}

WINSOCK_TEST(ReusedSockets, receive_after_TransmitFile)
{
    serve_one_after_another(renew_otherwise);
}

/* Receives that wait end with their connection, in their order. */
PAIR_TEST(ReusedSockets, receives_that_wait)
{
    OVERLAPPED receives[3], end = {0};
    char bytes[3];
    DWORD moved;
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0);

    ASSERT_NE(port, NULL);
    for (int i = 0; i < 3; i++)
        ASSERT_OK(pends(pair[0], &bytes[i], &receives[i]));
    ASSERT_EQ(send(pair[1], "x", 1, 0), 1);
    ASSERT_EQ(taken(port, &moved), &receives[0]);
    EXPECT_EQ(moved, 1u);
    EXPECT_EQ(bytes[0], 'x');
    ASSERT_OK(renew(pair[0], &end));
    for (int i = 1; i < 3; i++) {
        ASSERT_EQ(taken(port, &moved), &receives[i]);
        EXPECT_EQ(moved, 0u);
    }
    ASSERT_EQ(taken(port, &moved), &end);
    EXPECT_OK(CloseHandle(port));
}

/* ---- While another thread makes the receives ------------------------------------------------- */

enum { RECEIVES = 3, ROUNDS = 1500 };

/* A connection, whose client is no socket of the library's. */
static struct {
    OVERLAPPED accept, receives[RECEIVES], end;
    char bytes[RECEIVES];
    DWORD moved[RECEIVES];
    int over, late, ended, accepted; /* counts; late: receives whose packet came behind the end's */
} now;

static DWORD WINAPI takes_packets(LPVOID port)
{
    DWORD bytes;
    ULONG_PTR key;
    OVERLAPPED *over;

    for (;;) {
        over = NULL;
        GetQueuedCompletionStatus(port, &bytes, &key, &over, INFINITE);
        if (!over)
            return 0;
        if (over == &now.accept)
            flag_set(&now.accepted, 1);
        if (over == &now.end)
            flag_set(&now.ended, 1);
        if (over < now.receives || over >= now.receives + RECEIVES)
            continue;
        now.moved[over - now.receives] = bytes;
        now.late += flag_get(&now.ended);
        __atomic_fetch_add(&now.over, 1, __ATOMIC_RELEASE);
    }
}

/* All bytes are at the other side, as its kernel has said. */
static void send_all_there(int fd, const char *bytes, size_t count)
{
    int left = 1;

    EXPECT_EQ(write(fd, bytes, count), (ssize_t)count);
    while (ioctl(fd, TIOCOUTQ, &left) == 0 && left)
        sched_yield();
}

static void await_count(int *count, int value)
{
    for (int i = 0; __atomic_load_n(count, __ATOMIC_ACQUIRE) < value && i < MEANWHILE_MS * 10; i++)
        usleep(100);
    EXPECT_GE(flag_get(count), value);
}

static int connected_to(const struct sockaddr_in *address)
{
    int fd = (int)syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    EXPECT_EQ(syscall(SYS_connect, fd, address, sizeof *address), 0);
    return fd;
}

/* The bytes were there before the connection's end, so each receive has its own, and none has one of
 * the next connection. All of their packets come before that of the end. */
static void serve_round(SOCKET listener, SOCKET served, const struct sockaddr_in *address,
                        int round)
{
    int count = 1 + round % RECEIVES;
    char places[2 * ADDRESS_ROOM], sent[RECEIVES];
    DWORD bytes;

    memset(&now, 0, sizeof now);
    memset(sent, 'a' + round % 26, sizeof sent);
    if (!AcceptEx(listener, served, places, 0, ADDRESS_ROOM, ADDRESS_ROOM, &bytes, &now.accept))
        EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    int client = connected_to(address);
    await_count(&now.accepted, 1);
    for (int i = 0; i < count; i++)
        EXPECT_OK(pends(served, &now.bytes[i], &now.receives[i]));
    send_all_there(client, sent, (size_t)(round % 4 ? count : count - 1));
    EXPECT_OK(renew(served, &now.end));
    await_count(&now.ended, 1);
    await_count(&now.over, count);
    EXPECT_EQ(now.late, 0);
    for (int i = 0; i < count; i++) {
        DWORD expected = round % 4 || i < count - 1;

        EXPECT_THAT(now.moved[i] == expected && (!expected || now.bytes[i] == *sent),
                    "round %d: receive %d has %lu bytes, '%c'", round, i,
                    (unsigned long)now.moved[i], now.bytes[i]);
    }
    close(client);
}

WINSOCK_TEST(ReusedSockets, receives_that_another_thread_makes)
{
    struct sockaddr_in address;
    SOCKET listener, served = socket(AF_INET, SOCK_STREAM, 0);

    ASSERT_OK(socket_listener(&listener, &address));
    HANDLE port = CreateIoCompletionPort((HANDLE)listener, NULL, 0, 0);
    ASSERT_NE(port, NULL);
    ASSERT_OK(CreateIoCompletionPort((HANDLE)served, port, 0, 0));
    HANDLE thread = CreateThread(NULL, 0, takes_packets, port, 0, NULL);
    for (int round = 0; round < ROUNDS && !tc_failures(); round++)
        serve_round(listener, served, &address, round);
    EXPECT_OK(PostQueuedCompletionStatus(port, 0, 0, NULL));
    EXPECT_EQ(WaitForSingleObject(thread, MEANWHILE_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    socket_close(served);
    socket_close(listener);
    EXPECT_OK(CloseHandle(port));
}

/* ---- While another process has the old connection -------------------------------------------- */

static int wait_for_end(void *arg)
{
    const int *ends = arg;
    char byte;

    close(ends[1]);
    return read(ends[0], &byte, 1) == 0 ? 0 : 31;
}

/* The entries of all epoll sets of this process. */
static int entries_of_sets(void)
{
    DIR *files = opendir("/proc/self/fdinfo");
    int entries = 0;

    for (struct dirent *each; files && (each = readdir(files)) != NULL;) {
        char path[300], line[200];

        snprintf(path, sizeof path, "/proc/self/fdinfo/%s", each->d_name);
        FILE *file = each->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            entries += !strncmp(line, "tfd:", 4);
        if (file)
            fclose(file);
    }
    if (files)
        closedir(files);
    return entries;
}

/* Nothing of the socket is left in a set, where its events would name memory that is gone. */
PAIR_TEST(ReusedSockets, while_a_child_has_the_connection)
{
    OVERLAPPED receive;
    char byte;
    DWORD moved;
    int ends[2];
    HANDLE port = CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0);

    ASSERT_NE(port, NULL);
    ASSERT_OK(pends(pair[0], &byte, &receive));
    ASSERT_EQ(send(pair[1], "x", 1, 0), 1);
    ASSERT_EQ(taken(port, &moved), &receive);
    int with_it = entries_of_sets();
    ASSERT_EQ(pipe(ends), 0);
    struct child child = child_start(wait_for_end, ends);
    close(ends[0]);
    EXPECT_OK(renew(pair[0], NULL));
    socket_close(pair[0]);
    EXPECT_EQ(entries_of_sets(), with_it - 1);
    close(ends[1]);
    struct child_result result = child_wait(child, MEANWHILE_MS);
    EXPECT_CHILD_OK(result);
    EXPECT_OK(CloseHandle(port));
    ASSERT_OK(socket_bound(SOCK_STREAM, &pair[0], &(struct sockaddr_in){0})); /* closed behind it */
}
