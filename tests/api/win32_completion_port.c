/* SPDX-License-Identifier: MIT
 *
 * win32_completion_port.c - completion ports as queues of packets.
 *
 * modes: win32
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "fleet.h"
#include "gtest_c.h"
#include "kinds.h"
#include "stopwatch.h"

enum { TICK_MS = 16, SHORT_MS = 30, PACKETS = 100 };

static HANDLE new_port(void)
{
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, 0);

    EXPECT_NE(port, NULL);
    return port;
}

static LPOVERLAPPED mark(ULONG_PTR number)
{
    return (LPOVERLAPPED)(number * 16); /* never looked into */
}

static void post(HANDLE port, DWORD number)
{
    EXPECT_OK(PostQueuedCompletionStatus(port, number, number * 3, mark(number)));
}

static void expect_packet(HANDLE port, DWORD number, DWORD milliseconds)
{
    DWORD bytes = 77;
    ULONG_PTR key = 77;
    LPOVERLAPPED overlapped = mark(77);

    EXPECT_OK(GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, milliseconds));
    EXPECT_EQ(bytes, number);
    EXPECT_EQ(key, number * 3);
    EXPECT_EQ(overlapped, mark(number));
}

static void expect_none(HANDLE port, DWORD milliseconds, DWORD error)
{
    DWORD bytes = 77;
    ULONG_PTR key = 77;
    LPOVERLAPPED overlapped = mark(77);

    EXPECT_FAILS(GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, milliseconds), error);
    EXPECT_EQ(overlapped, NULL);
    EXPECT_EQ(bytes, 77);
    EXPECT_EQ(key, 77);
}

TEST(Win32CompletionPort, packets_leave_in_the_order_they_came)
{
    HANDLE port = new_port();

    for (DWORD i = 1; i <= PACKETS; i++)
        post(port, i);
    for (DWORD i = 1; i <= PACKETS; i++)
        expect_packet(port, i, i % 2 ? INFINITE : 0);
    post(port, 0); /* without an OVERLAPPED it is a packet like any other */
    expect_packet(port, 0, 0);
    expect_none(port, 0, WAIT_TIMEOUT);
    post(port, 1); /* packets that nobody takes go with the port */
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, time_out)
{
    HANDLE port = new_port();
    ULONGLONG started = stopwatch();

    expect_none(port, SHORT_MS, WAIT_TIMEOUT);
    EXPECT_GE(stopwatch() - started, SHORT_MS - TICK_MS);
    post(port, 5); /* no thread waits any more that could take it */
    expect_packet(port, 5, 0);
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, several_at_once)
{
    HANDLE port = new_port();
    OVERLAPPED_ENTRY entries[8];
    ULONG count = 77;

    for (DWORD i = 1; i <= 5; i++)
        post(port, i);
    EXPECT_OK(GetQueuedCompletionStatusEx(port, entries, 3, &count, INFINITE, FALSE));
    EXPECT_EQ(count, 3);
    EXPECT_OK(GetQueuedCompletionStatusEx(port, entries + 3, 5, &count, 0, TRUE));
    EXPECT_EQ(count, 2);
    for (DWORD i = 1; i <= 5; i++) {
        EXPECT_EQ(entries[i - 1].dwNumberOfBytesTransferred, i);
        EXPECT_EQ(entries[i - 1].lpCompletionKey, i * 3);
        EXPECT_EQ(entries[i - 1].lpOverlapped, mark(i));
    }
    EXPECT_FAILS(GetQueuedCompletionStatusEx(port, entries, 8, &count, 0, FALSE), WAIT_TIMEOUT);
    EXPECT_FAILS(GetQueuedCompletionStatusEx(port, entries, 8, &count, SHORT_MS, FALSE),
                 WAIT_TIMEOUT);
    EXPECT_FAILS(GetQueuedCompletionStatusEx(port, entries, 0, &count, 0, FALSE),
                 ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(GetQueuedCompletionStatusEx(port, NULL, 8, &count, 0, FALSE),
                 ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(port));
}

static VOID CALLBACK count_apc(ULONG_PTR count)
{
    ++*(int *)count;
}

TEST(Win32CompletionPort, alertable_waits_end_with_procedure_calls)
{
    HANDLE port = new_port();
    OVERLAPPED_ENTRY entry;
    ULONG count;
    int calls = 0;

    EXPECT_OK(QueueUserAPC(count_apc, GetCurrentThread(), (ULONG_PTR)&calls));
    EXPECT_FAILS(GetQueuedCompletionStatusEx(port, &entry, 1, &count, 0, FALSE), WAIT_TIMEOUT);
    EXPECT_EQ(calls, 0);
    EXPECT_FAILS(GetQueuedCompletionStatusEx(port, &entry, 1, &count, INFINITE, TRUE),
                 WAIT_IO_COMPLETION);
    EXPECT_EQ(calls, 1);
    /* A packet that is there comes first. */
    EXPECT_OK(QueueUserAPC(count_apc, GetCurrentThread(), (ULONG_PTR)&calls));
    post(port, 1);
    EXPECT_OK(GetQueuedCompletionStatusEx(port, &entry, 1, &count, INFINITE, TRUE));
    EXPECT_EQ(calls, 1);
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, bad_arguments)
{
    HANDLE port = new_port(), event = new_auto_event();
    HANDLE garbage = (HANDLE)(ULONG_PTR)0x7ffff0;

    EXPECT_FAILS(CreateIoCompletionPort(INVALID_HANDLE_VALUE, port, 0, 0), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CreateIoCompletionPort(garbage, NULL, 0, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CreateIoCompletionPort(garbage, port, 0, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CreateIoCompletionPort(event, port, 0, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(CreateIoCompletionPort(event, event, 0, 0), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(PostQueuedCompletionStatus(garbage, 0, 0, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(PostQueuedCompletionStatus(event, 0, 0, NULL), ERROR_INVALID_HANDLE);
    expect_none(garbage, 0, ERROR_INVALID_HANDLE);
    expect_none(event, INFINITE, ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetEvent(port), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(port));
    expect_none(port, 0, ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}

/* ---- waiting, in every kind of thread ---- */

static void take_one(void *port)
{
    expect_packet(port, 9, INFINITE);
}

static void take_one_timed(void *port)
{
    expect_packet(port, 9, MEANWHILE_MS);
}

static void post_one(void *port)
{
    post(port, 9);
}

static void take_abandoned(void *port)
{
    expect_none(port, INFINITE, ERROR_ABANDONED_WAIT_0);
}

static void close_port(void *port)
{
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, a_worker_waits_BL_1)
{
    HANDLE port = new_port();

    on_kind(KIND_WORKER, take_one, post_one, port);
    on_kind(KIND_WORKER, take_one_timed, post_one, port);
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, a_scheduler_waits)
{
    HANDLE port = new_port();

    on_kind(KIND_SCHEDULER, take_one, post_one, port);
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, a_plain_thread_waits)
{
    HANDLE port = new_port();

    on_kind(KIND_PLAIN, take_one_timed, post_one, port);
    EXPECT_OK(CloseHandle(port));
}

TEST(Win32CompletionPort, closing_it_ends_a_workers_wait)
{
    on_kind(KIND_WORKER, take_abandoned, close_port, new_port());
}

static void waiting_in_order(struct worker *self)
{
    expect_packet(self->arg, (DWORD)self->index + 1, INFINITE);
}

static void post_from_last_to_first(struct worker *self)
{
    for (DWORD i = 4; i > 0; i--)
        post(self->arg, i);
}

TEST(Win32CompletionPort, who_waited_last_is_served_first)
{
    HANDLE port = new_port();

    FLEET_RUN(1, 0, {4, waiting_in_order, port}, {1, post_from_last_to_first, port});
    EXPECT_OK(CloseHandle(port));
}

static DWORD WINAPI take_until_closed(LPVOID port)
{
    DWORD bytes, taken = 0;
    ULONG_PTR key;
    LPOVERLAPPED overlapped;

    while (GetQueuedCompletionStatus(port, &bytes, &key, &overlapped, MEANWHILE_MS)) {
        taken++;
        post((HANDLE)key, bytes);
    }
    /* One that was not waiting at that moment finds no port. */
    EXPECT_THAT(GetLastError() == ERROR_ABANDONED_WAIT_0 || GetLastError() == ERROR_INVALID_HANDLE,
                "last error %lu", (unsigned long)GetLastError());
    return taken;
}

enum { TAKERS = 4, MANY = 2000 };

/* What each taker takes it answers on another port: nothing is lost or doubled. */
TEST(Win32CompletionPort, many_packets_and_takers_until_it_is_closed)
{
    HANDLE port = new_port(), answers = new_port(), threads[TAKERS];
    static char seen[MANY + 1];

    for (int i = 0; i < TAKERS; i++)
        threads[i] = CreateThread(NULL, 0, take_until_closed, port, 0, NULL);
    for (DWORD i = 1; i <= MANY; i++)
        EXPECT_OK(PostQueuedCompletionStatus(port, i, (ULONG_PTR)answers, NULL));
    for (DWORD i = 1; i <= MANY; i++) {
        DWORD number = 0;
        ULONG_PTR key;
        LPOVERLAPPED overlapped;

        ASSERT_OK(GetQueuedCompletionStatus(answers, &number, &key, &overlapped, MEANWHILE_MS));
        ASSERT_LT(number, MANY + 1);
        EXPECT_EQ(seen[number], 0);
        seen[number] = 1;
    }
    EXPECT_OK(CloseHandle(port));
    for (int i = 0; i < TAKERS; i++) {
        EXPECT_SIGNALLED(threads[i]);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    EXPECT_OK(CloseHandle(answers));
}
