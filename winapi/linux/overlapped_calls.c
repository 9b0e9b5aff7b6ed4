/* SPDX-License-Identifier: MIT
 *
 * overlapped_calls.c - calls for overlapped operations that have begun: GetOverlappedResult,
 * CancelIo and their kin.
 */
#include "winapi/linux/overlapped_end.h"

static ULONG_PTR status_of(const OVERLAPPED *overlapped)
{
    return __atomic_load_n(&overlapped->Internal, __ATOMIC_ACQUIRE);
}

/* Waits until the operation is over. 0, or the error that ends the wait. */
static DWORD wait_for(HANDLE file, OVERLAPPED *overlapped, DWORD milliseconds, BOOL alertable)
{
    HANDLE event = (HANDLE)((uintptr_t)overlapped->hEvent & ~(uintptr_t)1);
    if (!milliseconds)
        return ERROR_IO_INCOMPLETE;
    if (!event && !alertable)
        return overlapped_wait(overlapped, win__deadline(milliseconds)) ? ERROR_SUCCESS
                                                                        : WAIT_TIMEOUT;
    switch (WaitForSingleObjectEx(event ? event : file, milliseconds, alertable)) {
    case WAIT_OBJECT_0:
        return status_of(overlapped) == STATUS_PENDING ? ERROR_IO_INCOMPLETE : ERROR_SUCCESS;
    case WAIT_TIMEOUT:
        return WAIT_TIMEOUT;
    case WAIT_IO_COMPLETION:
        return WAIT_IO_COMPLETION;
    default:
        return GetLastError();
    }
}

BOOL WINAPI GetOverlappedResultEx(HANDLE hFile, LPOVERLAPPED lpOverlapped,
                                  LPDWORD lpNumberOfBytesTransferred, DWORD dwMilliseconds,
                                  BOOL bAlertable)
{
    if (!lpOverlapped || !lpNumberOfBytesTransferred)
        return win__fail(ERROR_INVALID_PARAMETER);
    DWORD error = 0;
    if (status_of(lpOverlapped) == STATUS_PENDING)
        error = wait_for(hFile, lpOverlapped, dwMilliseconds, bAlertable);
    if (error)
        return win__fail(error);
    *lpNumberOfBytesTransferred = (DWORD)lpOverlapped->InternalHigh;
    return win__result((int)overlapped_error(status_of(lpOverlapped)));
}

BOOL WINAPI GetOverlappedResult(HANDLE hFile, LPOVERLAPPED lpOverlapped,
                                LPDWORD lpNumberOfBytesTransferred, BOOL bWait)
{
    return GetOverlappedResultEx(hFile, lpOverlapped, lpNumberOfBytesTransferred,
                                 bWait ? INFINITE : 0, FALSE);
}

BOOL WINAPI CancelIoEx(HANDLE hFile, LPOVERLAPPED lpOverlapped)
{
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    bool any = overlapped_cancel(file, lpOverlapped, NULL);
    object_drop(&file->object);
    return any ? TRUE : win__fail(ERROR_NOT_FOUND);
}

BOOL WINAPI CancelIo(HANDLE hFile)
{
    struct file *file = win__file(hFile);
    if (!file)
        return FALSE;
    struct plat_thread *self = thread_current();
    if (self)
        overlapped_cancel(file, NULL, self);
    object_drop(&file->object);
    return TRUE;
}

BOOL WINAPI SetFileCompletionNotificationModes(HANDLE FileHandle, UCHAR Flags)
{
    enum { KNOWN = FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE };
    struct file *file = win__file(FileHandle);
    if (!file)
        return FALSE;
    bool good = !(Flags & ~KNOWN) && file->overlapped;
    if (good)
        atomic_fetch_or_explicit(&file->notification, Flags, memory_order_relaxed);
    object_drop(&file->object);
    return good ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}
