/* SPDX-License-Identifier: MIT
 *
 * winsock_ends.c - waits of Winsock's that end otherwise than their callers hoped: the peer goes, somebody closes the
 * socket, its time is over. A worker is told what a plain thread is told.
 *
 * modes: default, umsrun, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 * with: winsock_scene.c
 * libraries: ws2_32
 */
#include "winsock_scene.h"

#include "gtest_c.h"
#include "stopwatch.h"

/* A full socket may take some bytes more a moment later. Where a send's time is over just then, it waits for good under
 * Wine 8, on plain threads as well: so its limit lies far behind that moment. */
enum { RECV_MS = 60, SEND_MS = 600, TICK_MS = 16 };

/* ---- Connections --------------------------------------------------------------------------------- */

static void go_away(struct scene *scene)
{
    EXPECT_EQ(closesocket(scene->there), 0);
    scene->there = NONE;
}

static void reset(struct scene *scene)
{
    LINGER none = {.l_onoff = 1};

    EXPECT_EQ(setsockopt(scene->there, SOL_SOCKET, SO_LINGER, (char *)&none, sizeof none), 0);
    go_away(scene);
}

/* To Wine 8 a reset that comes before the call, as on a busy machine it may, is an end. */
static void wait_reset(struct scene *scene)
{
    wait_recv(scene);
    if (scene->result == 0) {
        scene->result = -1;
        scene->error = WSAECONNRESET;
    }
}

TEST(WinsockEnds, ends_of_connections)
{
    play(BOTH_KINDS, "recv, and the peer closes", make_pair, wait_recv, go_away, 0, 0);
    play(BOTH_KINDS, "recv, and the peer resets", make_pair, wait_reset, reset, -1, WSAECONNRESET);
}

/* ---- Sockets ------------------------------------------------------------------------------------- */

static void close_own(struct scene *scene)
{
    SOCKET mine = scene->here;

    scene->here = NONE;
    EXPECT_EQ(closesocket(mine), 0);
}

static void close_listener(struct scene *scene)
{
    EXPECT_EQ(closesocket(scene->listener), 0);
    scene->listener = NONE;
}

/* Systems differ in what they say then. Under Wine 8 a send goes on waiting, on plain threads as well. */
TEST(WinsockEnds, socket_that_another_worker_closes)
{
    play(OVERLAPPED_SOCKET, "recv", make_pair, wait_recv, close_own, -1, ANY_ERROR);
    play(OVERLAPPED_SOCKET, "accept", prepare_listener, wait_accept, close_listener, -1, ANY_ERROR);
}

/* ---- Time ---------------------------------------------------------------------------------------- */

static void limit(SOCKET socket, int option, DWORD ms)
{
    EXPECT_EQ(setsockopt(socket, SOL_SOCKET, option, (char *)&ms, sizeof ms), 0);
}

static void prepare_limited_recv(struct scene *scene)
{
    make_pair(scene);
    limit(scene->here, SO_RCVTIMEO, RECV_MS);
}

static void prepare_limited_send(struct scene *scene)
{
    prepare_full(scene);
    limit(scene->here, SO_SNDTIMEO, SEND_MS);
}

static void wait_limited_recv(struct scene *scene)
{
    ULONGLONG begin = stopwatch();

    wait_recv(scene);
    EXPECT_GE(stopwatch() - begin + TICK_MS, RECV_MS);
}

static void wait_limited_send(struct scene *scene)
{
    ULONGLONG begin = stopwatch();

    wait_send(scene);
    EXPECT_GE(stopwatch() - begin + TICK_MS, SEND_MS);
}

/* Under Wine 8 a synchronous socket has none, on plain threads either: recv waits for good. */
TEST(WinsockEnds, time_limits_of_sockets)
{
    play(OVERLAPPED_SOCKET, "recv", prepare_limited_recv, wait_limited_recv, NULL, -1,
         WSAETIMEDOUT);
    play(OVERLAPPED_SOCKET, "send", prepare_limited_send, wait_limited_send, NULL, -1,
         WSAETIMEDOUT);
}
