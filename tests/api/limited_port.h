/* SPDX-License-Identifier: MIT
 *
 * limited_port.h - a completion port with a limit on its running threads.
 */
#ifndef UMSSHIM_TESTS_API_LIMITED_PORT_H
#define UMSSHIM_TESTS_API_LIMITED_PORT_H

#include <windows.h>

#include "gtest_c.h"
#include "stopwatch.h"

enum { SHORT_MS = 30 };

static inline HANDLE new_port(DWORD limit)
{
    HANDLE port = CreateIoCompletionPort(INVALID_HANDLE_VALUE, NULL, 0, limit);

    EXPECT_NE(port, NULL);
    return port;
}

static inline void post(HANDLE port, DWORD number)
{
    EXPECT_OK(PostQueuedCompletionStatus(port, number, 0, NULL));
}

/* The packet's number; 0: none, with the last error. */
static inline DWORD taken_from(HANDLE port, DWORD milliseconds)
{
    DWORD number = 0;
    ULONG_PTR key;
    LPOVERLAPPED overlapped;

    return GetQueuedCompletionStatus(port, &number, &key, &overlapped, milliseconds) ? number : 0;
}

static inline void spin(DWORD milliseconds)
{
    for (ULONGLONG started = stopwatch(); stopwatch() - started < milliseconds;)
        YieldProcessor();
}

#endif
