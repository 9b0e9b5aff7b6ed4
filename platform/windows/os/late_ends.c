/* SPDX-License-Identifier: MIT
 *
 * late_ends.c - see late_ends.h. A thread's id has its place in a table. A later thread with the
 * same place overwrites it; by then the earlier one has had time to end.
 */
#include "platform/windows/os/late_ends.h"

#include <stdatomic.h>
#include <stddef.h>
#include <windows.h>

#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/originals.h"

enum { PLACES = 256, ID_STEP = 4, TICKS_OF_MS = 10000 };

static _Atomic uint32_t ends[PLACES];

void late_ends_note(uint32_t thread_id)
{
    atomic_store_explicit(&ends[thread_id / ID_STEP % PLACES], thread_id, memory_order_relaxed);
}

/* The id may be another thread's by now. If that thread is of this process, the caller waits for
 * the rest of the time in vain. */
static void wait_for(uint32_t thread_id, ULONGLONG until)
{
    HANDLE thread = OpenThread(SYNCHRONIZE | THREAD_QUERY_LIMITED_INFORMATION, FALSE, thread_id);
    ULONGLONG now = GetTickCount64();
    LARGE_INTEGER left = {.QuadPart = now < until ? -(LONGLONG)(until - now) * TICKS_OF_MS : 0};
    if (!thread)
        return;
    if (GetProcessIdOfThread(thread) == GetCurrentProcessId())
        ORIGINAL(NtWaitForSingleObject)(thread, FALSE, &left);
    CloseHandle(thread);
}

void late_ends_wait(void)
{
    ULONGLONG until = GetTickCount64() + LATE_ENDS_MS;
    if (!ntapi_is_wine() || !call_originals[CALL_NtWaitForSingleObject])
        return;
    for (int i = 0; i < PLACES; i++) {
        uint32_t id = atomic_exchange_explicit(&ends[i], 0, memory_order_relaxed);
        if (id && id != GetCurrentThreadId())
            wait_for(id, until);
    }
}
