/* SPDX-License-Identifier: MIT
 *
 * served_waits.c - receives whose end goes to a port, in programs whose threads wait in other ways
 * than for packets, or always find a packet. They make these receives as soon as other threads do.
 *
 * modes: default, UMSSHIM_RING=0
 * with: ../api/sockets.c
 */
#include "../api/sockets.h"

#include "events.h"
#include "gtest_c.h"

#include <stdlib.h>
#include <string.h>

enum { TRIPS = 101, RATIO = 50, PACKETS = 32, MANY = 30000 };

struct scene {
    SOCKET *pair;
    HANDLE port;
    OVERLAPPED receive;
    char byte;
};

/* Begins a receive, for which there is something by the end. */
static bool comes(struct scene *scene)
{
    WSABUF into = {1, &scene->byte};
    DWORD flags = 0;

    memset(&scene->receive, 0, sizeof scene->receive);
    return WSARecv(scene->pair[0], &into, 1, NULL, &flags, &scene->receive, NULL) != 0 &&
           WSAGetLastError() == WSA_IO_PENDING && send(scene->pair[1], "x", 1, 0) == 1;
}

static OVERLAPPED *taken(const struct scene *scene)
{
    DWORD bytes;
    ULONG_PTR key;
    OVERLAPPED *overlapped = NULL;

    GetQueuedCompletionStatus(scene->port, &bytes, &key, &overlapped, MEANWHILE_MS);
    return overlapped;
}

static bool by_packet(struct scene *scene)
{
    return taken(scene) == &scene->receive;
}

static bool by_port(struct scene *scene)
{
    return WaitForSingleObject(scene->port, MEANWHILE_MS) == WAIT_OBJECT_0;
}

static bool by_socket(struct scene *scene)
{
    return WaitForSingleObject((HANDLE)scene->pair[0], MEANWHILE_MS) == WAIT_OBJECT_0;
}

static bool by_one_of_two(struct scene *scene)
{
    HANDLE never = CreateEvent(NULL, TRUE, FALSE, NULL), two[2] = {never, scene->port};
    bool good = WaitForMultipleObjects(2, two, FALSE, MEANWHILE_MS) == WAIT_OBJECT_0 + 1;

    CloseHandle(never);
    return good;
}

static bool alertably(struct scene *scene)
{
    DWORD bytes;

    return GetOverlappedResultEx((HANDLE)scene->pair[0], &scene->receive, &bytes, MEANWHILE_MS,
                                 TRUE) != FALSE;
}

static bool (*const ways[])(struct scene *) = {by_packet, by_port, by_socket, by_one_of_two,
                                               alertably};
enum { WAYS = sizeof ways / sizeof *ways };

static int by_size(const void *one, const void *other)
{
    const LONGLONG *a = one, *b = other;

    return (*a > *b) - (*a < *b);
}

static LONGLONG median(LONGLONG *of)
{
    qsort(of, TRIPS, sizeof *of, by_size);
    return of[TRIPS / 2];
}

/* Measures the ways in turn, so that all have the machine alike. None may take many times what a
 * packet takes. */
PAIR_TEST(ServedWaits, each_way_is_as_soon)
{
    struct scene scene = {pair, CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0), {0}, 0};
    static LONGLONG took[WAYS][TRIPS];
    LARGE_INTEGER begun, over;

    ASSERT_NE(scene.port, NULL);
    for (int trip = 0; trip < TRIPS; trip++)
        for (int way = 0; way < WAYS; way++) {
            ASSERT_OK(comes(&scene));
            QueryPerformanceCounter(&begun);
            ASSERT_OK(ways[way](&scene));
            QueryPerformanceCounter(&over);
            took[way][trip] = over.QuadPart - begun.QuadPart;
            if (way)
                ASSERT_EQ(taken(&scene), &scene.receive);
        }
    LONGLONG packet = median(took[0]);
    for (int way = 1; way < WAYS; way++)
        EXPECT_LE(median(took[way]), RATIO * (packet + 1));
    EXPECT_OK(CloseHandle(scene.port));
}

/* A thread that posts itself a packet for each that it takes. */
PAIR_TEST(ServedWaits, while_the_port_is_never_empty)
{
    struct scene scene = {pair, CreateIoCompletionPort((HANDLE)pair[0], NULL, 0, 0), {0}, 0};
    static LONGLONG before[TRIPS];

    ASSERT_NE(scene.port, NULL);
    for (int trip = 0; trip < TRIPS; trip++) {
        LONGLONG packets = 0;

        ASSERT_OK(comes(&scene));
        do {
            ASSERT_OK(PostQueuedCompletionStatus(scene.port, 0, 0, NULL));
            packets++;
        } while (taken(&scene) != &scene.receive && packets < MANY);
        before[trip] = packets;
        if (WaitForSingleObject(scene.port, 0) == WAIT_OBJECT_0) /* the last of them */
            taken(&scene);
    }
    EXPECT_LE(median(before), PACKETS);
    EXPECT_OK(CloseHandle(scene.port));
}
