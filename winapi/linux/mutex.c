/* SPDX-License-Identifier: MIT
 *
 * mutex.c - mutex objects.
 */
#include "winapi/linux/surface.h"

static struct object *new_mutex(void)
{
    struct mutex *mutex = object_create(OBJECT_MUTEX, sizeof *mutex);
    if (!mutex)
        return NULL;
    mutex->object.signal = 1;
    return &mutex->object;
}

/* The creator takes it by waiting for it: a new mutex is free, and nobody else has its handle. One
 * that was there already is not taken. */
static HANDLE owned(HANDLE mutex, BOOL initial_owner)
{
    DWORD error = GetLastError();
    if (mutex && initial_owner && error != ERROR_ALREADY_EXISTS) {
        WaitForSingleObject(mutex, 0);
        SetLastError(error);
    }
    return mutex;
}

HANDLE WINAPI CreateMutexA(LPSECURITY_ATTRIBUTES lpMutexAttributes, BOOL bInitialOwner,
                           LPCSTR lpName)
{
    (void)lpMutexAttributes;
    return owned(win__create_named(new_mutex(), FAMILY_MUTEX, lpName), bInitialOwner);
}

HANDLE WINAPI CreateMutexW(LPSECURITY_ATTRIBUTES lpMutexAttributes, BOOL bInitialOwner,
                           LPCWSTR lpName)
{
    (void)lpMutexAttributes;
    return owned(win__create_named_w(new_mutex(), FAMILY_MUTEX, lpName), bInitialOwner);
}

HANDLE WINAPI CreateMutexExA(LPSECURITY_ATTRIBUTES lpMutexAttributes, LPCSTR lpName, DWORD dwFlags,
                             DWORD dwDesiredAccess)
{
    (void)dwDesiredAccess;
    return CreateMutexA(lpMutexAttributes, dwFlags & CREATE_MUTEX_INITIAL_OWNER, lpName);
}

HANDLE WINAPI CreateMutexExW(LPSECURITY_ATTRIBUTES lpMutexAttributes, LPCWSTR lpName,
                             DWORD dwFlags, DWORD dwDesiredAccess)
{
    (void)dwDesiredAccess;
    return CreateMutexW(lpMutexAttributes, dwFlags & CREATE_MUTEX_INITIAL_OWNER, lpName);
}

HANDLE WINAPI OpenMutexA(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named(FAMILY_MUTEX, lpName);
}

HANDLE WINAPI OpenMutexW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_named_w(FAMILY_MUTEX, lpName);
}

BOOL WINAPI ReleaseMutex(HANDLE hMutex)
{
    return win__result(handle_act(hMutex, MUTEX_GIVE, 0, NULL));
}
