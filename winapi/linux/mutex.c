/* SPDX-License-Identifier: MIT
 *
 * mutex.c - mutex objects.
 */
#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/named_sync.h"

static struct object *make(const struct sync_request *request)
{
    struct plat_thread *self = thread_current();
    return self ? mutex_create(request->owned ? self : NULL) : NULL;
}

/* If the name exists, no mutex is made, and `owned` has no effect. */
static struct sync_request request_of(BOOL owned)
{
    return (struct sync_request){
        .family = FAMILY_MUTEX, .shared = OBJECT_SHARED_MUTEX, .owned = owned != 0, .make = make};
}

HANDLE WINAPI CreateMutexA(LPSECURITY_ATTRIBUTES lpMutexAttributes, BOOL bInitialOwner,
                           LPCSTR lpName)
{
    (void)lpMutexAttributes;
    struct sync_request request = request_of(bInitialOwner);
    return win__create_sync(&request, lpName);
}

HANDLE WINAPI CreateMutexW(LPSECURITY_ATTRIBUTES lpMutexAttributes, BOOL bInitialOwner,
                           LPCWSTR lpName)
{
    (void)lpMutexAttributes;
    struct sync_request request = request_of(bInitialOwner);
    return win__create_sync_w(&request, lpName);
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
    return win__open_sync(FAMILY_MUTEX, lpName);
}

HANDLE WINAPI OpenMutexW(DWORD dwDesiredAccess, BOOL bInheritHandle, LPCWSTR lpName)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    return win__open_sync_w(FAMILY_MUTEX, lpName);
}

STOP_LOOKS BOOL WINAPI ReleaseMutex(HANDLE hMutex)
{
    return win__acted(handle_act(hMutex, MUTEX_GIVE, 0, NULL));
}
