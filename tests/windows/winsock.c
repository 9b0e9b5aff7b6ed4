/* SPDX-License-Identifier: MIT
 *
 * winsock.c - Winsock's calls that wait: a worker that makes one leaves its scheduler, comes back by its list,
 * and is told what a plain thread is told.
 *
 * The hazard: none of them is a system call of its own. Winsock asks a driver (NtDeviceIoControlFile) and waits
 * for an event of the thread's, alertable in most calls, if the answer is "pending"; on a socket that was
 * opened for synchronous use the request itself waits. A request that another thread had made in the worker's name
 * would end with that thread.
 *
 * modes: default, umsrun, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 * with: winsock_scene.c
 * libraries: ws2_32
 */
#include "winsock_scene.h"

#include "gtest_c.h"
#include "stopwatch.h"
#include "waiters.h"

#include <stdint.h>
#include <string.h>

enum { SHORT_MS = 60, TICK_MS = 16 };

static char room[LARGE];

/* ---- accept -------------------------------------------------------------------------------------- */

static void wait_wsa_accept(struct scene *scene)
{
    struct sockaddr_in from;
    int length = sizeof from;

    accepted(scene, WSAAccept(scene->listener, (void *)&from, &length, NULL, 0));
    EXPECT_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

static void come(struct scene *scene)
{
    scene->there = make_client(scene, true);
    EXPECT_EQ(send(scene->there, "hello", 5, 0), 5);
}

TEST(Winsock, accept)
{
    play(BOTH_KINDS, "accept", prepare_listener, wait_accept, come, 0, 0);
    play(OVERLAPPED_SOCKET, "WSAAccept", prepare_listener, wait_wsa_accept, come, 0, 0);
}

/* ---- connect ------------------------------------------------------------------------------------- */

static bool is_connected(SOCKET socket)
{
    struct timeval while_busy = {.tv_usec = 300000};
    fd_set writable;

    FD_ZERO(&writable);
    FD_SET(socket, &writable);
    return select(0, NULL, &writable, NULL, &while_busy) == 1;
}

/* A listener that has as many connections waiting as it may have: the next one waits to be let in. */
static void prepare_crowd(struct scene *scene)
{
    const int most = sizeof scene->more / sizeof scene->more[0];
    SOCKET client;

    make_listener(scene, 1);
    while (scene->more_count < most && (client = make_client(scene, false)) != NONE) {
        if (!is_connected(client)) {
            EXPECT_EQ(closesocket(client), 0);
            return;
        }
        scene->more[scene->more_count++] = client;
    }
    FAIL("the listener takes %d connections", scene->more_count);
}

static void wait_connect(struct scene *scene)
{
    scene->here = WSASocketA(AF_INET, SOCK_STREAM, IPPROTO_TCP, NULL, 0,
                             scene->synchronous ? 0 : WSA_FLAG_OVERLAPPED);
    scene_result(scene,
                 connect(scene->here, (void *)&scene->address, sizeof scene->address) ? -1 : 0);
}

static void let_in(struct scene *scene)
{
    const int most = sizeof scene->more / sizeof scene->more[0];
    ULONGLONG begin = stopwatch();

    set_blocking(scene->listener, false);
    while (!flag_get(&scene->returned) && stopwatch() - begin < SCENE_MS) {
        SOCKET client = accept(scene->listener, NULL, NULL);

        if (client != NONE && scene->more_count < most)
            scene->more[scene->more_count++] = client;
        scene_breathe();
    }
}

/* The system asks again after a second. */
CALL_TEST(Winsock, connect,
          play(OVERLAPPED_SOCKET | NO_THREAD, "connect", prepare_crowd, wait_connect, let_in, 0, 0))
CALL_TEST(Winsock, connect_of_a_synchronous_socket,
          play(SYNCHRONOUS_SOCKET | NO_THREAD, "connect", prepare_crowd, wait_connect, let_in, 0,
               0))

/* ---- recv ---------------------------------------------------------------------------------------- */

static void say_hello(struct scene *scene)
{
    EXPECT_EQ(send(scene->there, "hello", 5, 0), 5);
}

static void wait_wsa_recv(struct scene *scene)
{
    char first[2], second[8] = "";
    WSABUF parts[] = {{sizeof first, first}, {sizeof second, second}};
    DWORD got = 0, flags = 0;
    int result = WSARecv(scene->here, parts, 2, &got, &flags, NULL, NULL);

    scene_result(scene, result ? -1 : (long long)got);
    EXPECT_EQ(memcmp(first, "he", 2), 0);
    EXPECT_STREQ(second, "llo");
}

TEST(Winsock, recv)
{
    play(BOTH_KINDS, "recv", make_pair, wait_recv, say_hello, 5, 0);
    play(OVERLAPPED_SOCKET, "WSARecv", make_pair, wait_wsa_recv, say_hello, 5, 0);
}

static void prepare_datagrams(struct scene *scene)
{
    int length = sizeof scene->address;

    scene->here = socket(AF_INET, SOCK_DGRAM, 0);
    scene->there = socket(AF_INET, SOCK_DGRAM, 0);
    scene->address.sin_family = AF_INET;
    scene->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(scene->here, (void *)&scene->address, length), 0);
    EXPECT_EQ(getsockname(scene->here, (void *)&scene->address, &length), 0);
}

static void wait_recvfrom(struct scene *scene)
{
    struct sockaddr_in from = {0};
    int length = sizeof from;
    char text[8] = "";

    scene_result(scene, recvfrom(scene->here, text, sizeof text, 0, (void *)&from, &length));
    EXPECT_STREQ(text, "hello");
    EXPECT_EQ(from.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
}

static void send_datagram(struct scene *scene)
{
    EXPECT_EQ(sendto(scene->there, "hello", 5, 0, (void *)&scene->address, sizeof scene->address),
              5);
}

CALL_TEST(Winsock, recvfrom,
          play(OVERLAPPED_SOCKET, "recvfrom", prepare_datagrams, wait_recvfrom, send_datagram, 5,
               0))

/* ---- send ---------------------------------------------------------------------------------------- */

static void wait_wsa_send(struct scene *scene)
{
    WSABUF parts[] = {{LARGE / 2, room}, {LARGE / 2, room}};
    DWORD sent = 0;
    int result = WSASend(scene->here, parts, 2, &sent, 0, NULL, NULL);

    scene_result(scene, result ? -1 : (long long)sent);
}

/* All of it, and no more. */
static void take_all(struct scene *scene)
{
    static char taken[LARGE];
    ULONGLONG begin = stopwatch();
    size_t bytes = 0;

    set_blocking(scene->there, false);
    while (bytes < scene->filled + LARGE && stopwatch() - begin < SCENE_MS) {
        int got = recv(scene->there, taken, sizeof taken, 0);

        if (got > 0)
            bytes += (size_t)got;
        else
            scene_breathe();
    }
    EXPECT_EQ(bytes, scene->filled + LARGE);
    EXPECT_EQ(recv(scene->there, taken, 1, 0), -1);
}

TEST(Winsock, send)
{
    play(BOTH_KINDS, "send", prepare_full, wait_send, take_all, LARGE, 0);
    play(OVERLAPPED_SOCKET, "WSASend", prepare_full, wait_wsa_send, take_all, LARGE, 0);
}

/* ---- select -------------------------------------------------------------------------------------- */

static void wait_select(struct scene *scene)
{
    fd_set readable;

    FD_ZERO(&readable);
    FD_SET(scene->here, &readable);
    scene_result(scene, select(0, &readable, NULL, NULL, NULL));
    EXPECT_OK(FD_ISSET(scene->here, &readable));
}

static void wait_poll(struct scene *scene)
{
    WSAPOLLFD poll = {.fd = scene->here, .events = POLLRDNORM};

    scene_result(scene, WSAPoll(&poll, 1, -1));
    EXPECT_EQ(poll.revents, POLLRDNORM);
}

/* Time alone ends it. */
static void wait_select_in_vain(struct scene *scene)
{
    struct timeval limit = {.tv_usec = SHORT_MS * 1000};
    ULONGLONG begin = stopwatch();
    fd_set readable;

    FD_ZERO(&readable);
    FD_SET(scene->here, &readable);
    scene_result(scene, select(0, &readable, NULL, NULL, &limit));
    EXPECT_GE(stopwatch() - begin + TICK_MS, SHORT_MS);
}

TEST(Winsock, select)
{
    play(BOTH_KINDS, "select", make_pair, wait_select, say_hello, 1, 0);
    play(OVERLAPPED_SOCKET, "WSAPoll", make_pair, wait_poll, say_hello, 1, 0);
    play(OVERLAPPED_SOCKET, "select in vain", make_pair, wait_select_in_vain, NULL, 0, 0);
}

/* ---- Events and overlapped requests -------------------------------------------------------------- */

static void prepare_event(struct scene *scene)
{
    make_pair(scene);
    scene->event = WSACreateEvent();
    EXPECT_EQ(WSAEventSelect(scene->here, scene->event, FD_READ), 0);
}

/* The event has one handle of this process's, and the driver signals it. */
static void wait_event(struct scene *scene)
{
    WSANETWORKEVENTS seen = {0};

    scene_result(scene, WSAWaitForMultipleEvents(1, &scene->event, FALSE, WSA_INFINITE, FALSE));
    EXPECT_EQ(WSAEnumNetworkEvents(scene->here, scene->event, &seen), 0);
    EXPECT_EQ(seen.lNetworkEvents, FD_READ);
}

static void wait_overlapped(struct scene *scene)
{
    char text[8] = "";
    WSABUF buffer = {sizeof text, text};
    WSAOVERLAPPED request = {.hEvent = WSACreateEvent()};
    DWORD got = 0, flags = 0;

    EXPECT_EQ(WSARecv(scene->here, &buffer, 1, NULL, &flags, &request, NULL), SOCKET_ERROR);
    EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    EXPECT_EQ(WSAGetOverlappedResult(scene->here, &request, &got, FALSE, &flags), FALSE);
    EXPECT_EQ(WSAGetLastError(), WSA_IO_INCOMPLETE);
    flag_set(&scene->asked, 1);
    scene_result(scene, WSAGetOverlappedResult(scene->here, &request, &got, TRUE, &flags)
                            ? (long long)got
                            : -1);
    EXPECT_STREQ(text, "hello");
    EXPECT_OK(WSACloseEvent(request.hEvent));
}

/* Before it was asked for it would be there at once. */
static void say_hello_when_asked(struct scene *scene)
{
    ULONGLONG begin = stopwatch();

    while (!flag_get(&scene->asked) && stopwatch() - begin < SCENE_MS)
        scene_breathe();
    say_hello(scene);
}

static DWORD routine_thread;

static void CALLBACK note_end(DWORD error, DWORD got, LPWSAOVERLAPPED request, DWORD flags)
{
    struct scene *scene = request->hEvent;

    routine_thread = GetCurrentThreadId();
    scene->result = error ? -1 : (long long)got;
    scene->error = (int)error;
}

static void wait_routine(struct scene *scene)
{
    char text[8] = "";
    WSABUF buffer = {sizeof text, text};
    WSAOVERLAPPED request = {.hEvent = scene};
    DWORD flags = 0;

    EXPECT_EQ(WSARecv(scene->here, &buffer, 1, NULL, &flags, &request, note_end), SOCKET_ERROR);
    EXPECT_EQ(WSAGetLastError(), WSA_IO_PENDING);
    flag_set(&scene->asked, 1);
    EXPECT_EQ(SleepEx(SCENE_MS, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(routine_thread, GetCurrentThreadId());
    EXPECT_STREQ(text, "hello");
}

TEST(Winsock, requests_that_are_waited_for)
{
    play(OVERLAPPED_SOCKET, "an event of the socket's", prepare_event, wait_event, say_hello, 0, 0);
    play(OVERLAPPED_SOCKET, "an overlapped request", make_pair, wait_overlapped,
         say_hello_when_asked, 5, 0);
    play(OVERLAPPED_SOCKET, "a completion routine", make_pair, wait_routine, say_hello_when_asked,
         5, 0);
}

/* ---- What does not wait -------------------------------------------------------------------------- */

enum { CALLS = 100 };

struct quick {
    struct scene scene;
    int first, later; /* Blocked in the first call, and in all others */
    int calls;
};

static void call_often(struct worker *self)
{
    struct quick *quick = self->arg;
    char byte;

    for (; quick->calls < CALLS; flag_add(&quick->calls, 1)) {
        EXPECT_EQ(recv(quick->scene.here, &byte, 1, 0), SOCKET_ERROR);
        EXPECT_EQ(WSAGetLastError(), WSAEWOULDBLOCK);
    }
    EXPECT_EQ(recv(NONE, &byte, 1, 0), SOCKET_ERROR);
    EXPECT_EQ(WSAGetLastError(), WSAENOTSOCK);
}

static void count_blocked(const struct activation *activation, void *arg)
{
    struct quick *quick = arg;
    int calls = flag_get(&quick->calls);

    if (activation->reason == UmsSchedulerThreadBlocked && calls < CALLS)
        flag_add(calls ? &quick->later : &quick->first, 1);
}

/* What the socket is is asked in the first call. Pinned, what is known is not kept. */
TEST(Winsock, calls_that_need_not_wait)
{
    struct quick quick = {.scene = {.listener = NONE, .here = NONE, .there = NONE}};
    struct fleet *fleet = fleet_create(1, 1, 0);
    WSADATA data;

    ASSERT_NE(fleet, NULL);
    ASSERT_EQ(WSAStartup(MAKEWORD(2, 2), &data), 0);
    make_pair(&quick.scene);
    set_blocking(quick.scene.here, false);
    fleet_add(fleet, call_often, &quick);
    fleet_set_hook(fleet, count_blocked, &quick);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(quick.calls, CALLS);
    if (in_place())
        EXPECT_EQ(quick.later, 0);
    fleet_destroy(fleet);
    EXPECT_EQ(closesocket(quick.scene.here), 0);
    EXPECT_EQ(closesocket(quick.scene.there), 0);
    EXPECT_EQ(closesocket(quick.scene.listener), 0);
    EXPECT_EQ(WSACleanup(), 0);
}
