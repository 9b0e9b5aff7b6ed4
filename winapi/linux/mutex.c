/* SPDX-License-Identifier: MIT
 *
 * mutex.c - mutex objects.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/surface.h"

/* Under a name that exists already nothing new comes to be, and nobody owns it. */
static struct object *new_mutex(BOOL owned)
{
    struct plat_thread *self = thread_current();
    return self ? mutex_create(owned ? self : NULL) : NULL;
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

HANDLE WINAPI CreateMutexExW(LPSECURITY_ATTRIBUTES lpMutexAttributes, LPCWSTR lpName, DWORD dwFlags,
                             DWORD dwDesiredAccess)
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

STOP_LOOKS BOOL WINAPI ReleaseMutex(HANDLE hMutex)
{
    return win__acted(handle_act(hMutex, MUTEX_GIVE, 0, NULL));
}
