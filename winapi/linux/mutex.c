/* SPDX-License-Identifier: MIT
 *
 * mutex.c - mutex objects.
 */
#include "winapi/linux/surface.h"

/* Owned before anybody can open it by its name. If the name is taken this mutex goes unused. */
static struct object *new_mutex(BOOL initial_owner)
{
    struct mutex *mutex = object_create(OBJECT_MUTEX, sizeof *mutex);
    if (!mutex)
        return NULL;
    mutex->object.signal = 1;
    if (initial_owner && !mutex_own(mutex)) {
        object_drop(&mutex->object);
        return NULL;
    }
    return &mutex->object;
}

HANDLE WINAPI CreateMutexA(LPSECURITY_ATTRIBUTES lpMutexAttributes, BOOL bInitialOwner,
                           LPCSTR lpName)
{
    (void)lpMutexAttributes;
    return win__create_named(new_mutex(bInitialOwner), FAMILY_MUTEX, lpName);
}

HANDLE WINAPI CreateMutexW(LPSECURITY_ATTRIBUTES lpMutexAttributes, BOOL bInitialOwner,
                           LPCWSTR lpName)
{
    (void)lpMutexAttributes;
    return win__create_named_w(new_mutex(bInitialOwner), FAMILY_MUTEX, lpName);
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
