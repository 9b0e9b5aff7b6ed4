/* SPDX-License-Identifier: MIT
 *
 * lock_file.c - LockFile, LockFileEx, UnlockFile, UnlockFileEx.
 */
#include "winapi/linux/file_lock.h"

static uint64_t both(DWORD low, DWORD high)
{
    return (uint64_t)high << 32 | low;
}

static BOOL finish(struct file *file, DWORD error)
{
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI LockFile(HANDLE hFile, DWORD dwFileOffsetLow, DWORD dwFileOffsetHigh,
                     DWORD nNumberOfBytesToLockLow, DWORD nNumberOfBytesToLockHigh)
{
    struct file *file = win__file_for(hFile, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    return finish(file, win__lock_range(file, both(dwFileOffsetLow, dwFileOffsetHigh),
                                        both(nNumberOfBytesToLockLow, nNumberOfBytesToLockHigh),
                                        true, LOCK_AT_ONCE));
}

BOOL WINAPI UnlockFile(HANDLE hFile, DWORD dwFileOffsetLow, DWORD dwFileOffsetHigh,
                       DWORD nNumberOfBytesToUnlockLow, DWORD nNumberOfBytesToUnlockHigh)
{
    struct file *file = win__file_for(hFile, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    return finish(file,
                  win__unlock_range(file, both(dwFileOffsetLow, dwFileOffsetHigh),
                                    both(nNumberOfBytesToUnlockLow, nNumberOfBytesToUnlockHigh)));
}

/* The call has ended when it returns, also for a handle that is asynchronous on Windows. */
static void complete(LPOVERLAPPED overlapped)
{
    overlapped->Internal = 0;
    overlapped->InternalHigh = 0;
    if (overlapped->hEvent)
        SetEvent((HANDLE)((uintptr_t)overlapped->hEvent & ~(uintptr_t)1));
}

BOOL WINAPI LockFileEx(HANDLE hFile, DWORD dwFlags, DWORD dwReserved, DWORD nNumberOfBytesToLockLow,
                       DWORD nNumberOfBytesToLockHigh, LPOVERLAPPED lpOverlapped)
{
    if (dwReserved || !lpOverlapped ||
        dwFlags & ~(DWORD)(LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY))
        return win__fail(ERROR_INVALID_PARAMETER);
    struct file *file = win__file_for(hFile, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    DWORD error = win__lock_range(file, both(lpOverlapped->Offset, lpOverlapped->OffsetHigh),
                                  both(nNumberOfBytesToLockLow, nNumberOfBytesToLockHigh),
                                  dwFlags & LOCKFILE_EXCLUSIVE_LOCK,
                                  dwFlags & LOCKFILE_FAIL_IMMEDIATELY ? LOCK_AT_ONCE : LOCK_WAITS);
    if (!error)
        complete(lpOverlapped);
    return finish(file, error);
}

BOOL WINAPI UnlockFileEx(HANDLE hFile, DWORD dwReserved, DWORD nNumberOfBytesToUnlockLow,
                         DWORD nNumberOfBytesToUnlockHigh, LPOVERLAPPED lpOverlapped)
{
    if (dwReserved || !lpOverlapped)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct file *file = win__file_for(hFile, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    DWORD error = win__unlock_range(file, both(lpOverlapped->Offset, lpOverlapped->OffsetHigh),
                                    both(nNumberOfBytesToUnlockLow, nNumberOfBytesToUnlockHigh));
    if (!error)
        complete(lpOverlapped);
    return finish(file, error);
}
