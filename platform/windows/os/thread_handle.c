/* SPDX-License-Identifier: MIT
 *
 * thread_handle.c - see thread_handle.h.
 *
 * To ask for a thread's id takes a right that a handle need not have: with another right alone a
 * program can suspend the thread, end it or give it a token. If the engine took such a handle of a
 * worker for a plain thread's, the call would hit the worker's home and not the worker. So the
 * engine duplicates the handle into one that may ask. If the thread's security descriptor forbids
 * that, it compares the handle with handles of all threads that have a context.
 */
#include "platform/windows/os/thread_handle.h"

#include "platform/platform.h"
#include "platform/windows/os/ntapi.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/plat_types.h"

static uint32_t ask_a_duplicate(HANDLE thread)
{
    HANDLE asks;
    if (!DuplicateHandle(GetCurrentProcess(), thread, GetCurrentProcess(), &asks,
                         THREAD_QUERY_LIMITED_INFORMATION, FALSE, 0))
        return 0;
    uint32_t id = GetThreadId(asks);
    CloseHandle(asks);
    return id;
}

/* Opens a handle only to compare it, so any right will do. The system always grants a thread's
 * owner READ_CONTROL, whatever the thread's descriptor says. */
static bool is_same(HANDLE thread, uint32_t thread_id)
{
    HANDLE other = OpenThread(READ_CONTROL, FALSE, thread_id);
    if (!other)
        return false;
    bool same = nt.NtCompareObjects(thread, other) == 0;
    CloseHandle(other);
    return same;
}

/* Called without the map's lock: in these system calls a plain thread may be suspended. */
static uint32_t find_by_comparing(HANDLE thread)
{
    uint32_t id = 0;
    if (nt.NtCompareObjects)
        while ((id = thread_map_next(id)) != 0 && !is_same(thread, id))
            ;
    return id;
}

uint32_t thread_handle_id(HANDLE thread)
{
    uint32_t id = GetThreadId(thread);
    if (id || GetLastError() != ERROR_ACCESS_DENIED)
        return id;
    id = ask_a_duplicate(thread);
    if (!id)
        id = find_by_comparing(thread);
    if (!id)
        SetLastError(ERROR_ACCESS_DENIED);
    return id;
}

int plat_thread_context(void *handle, struct plat_context **context)
{
    *context = NULL;
    uint32_t id = thread_handle_id(handle);
    if (!id)
        return (int)GetLastError(); /* 6: no thread handle; 5: no right to ask */
    *context = thread_map_find(id);
    return 0;
}
