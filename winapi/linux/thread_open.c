/* SPDX-License-Identifier: MIT
 *
 * thread_open.c - OpenThread, which makes a handle for a thread's id; QueueUserAPC2.
 */
#include <unistd.h>

#include "platform/linux/dispatch/apc.h"
#include "winapi/linux/surface.h"

HANDLE WINAPI OpenThread(DWORD dwDesiredAccess, BOOL bInheritHandle, DWORD dwThreadId)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    void *handle = NULL;
    if (dwThreadId == GetCurrentThreadId())
        thread_current(); /* makes the calling thread's object, if it has none */
    struct plat_thread *thread = thread_by_id((pid_t)dwThreadId);
    if (!thread) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    int error = handle_create(&thread->object, &handle);
    object_drop(&thread->object);
    if (error)
        win__fail((DWORD)error);
    return handle;
}

DWORD WINAPI GetProcessIdOfThread(HANDLE Thread)
{
    struct plat_thread *thread = win__thread(Thread);
    if (!thread)
        return 0;
    object_drop(&thread->object);
    return GetCurrentProcessId();
}

/* Refuses flags by which a procedure would run at once or get its data in another way. */
BOOL WINAPI QueueUserAPC2(PAPCFUNC ApcRoutine, HANDLE Thread, ULONG_PTR Data,
                          QUEUE_USER_APC_FLAGS Flags)
{
    if (Flags != QUEUE_USER_APC_FLAGS_NONE)
        return win__fail(ERROR_NOT_SUPPORTED);
    return QueueUserAPC(ApcRoutine, Thread, Data) != 0;
}
