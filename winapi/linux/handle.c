/* SPDX-License-Identifier: MIT
 *
 * handle.c - CloseHandle, DuplicateHandle and their kin, and the last error.
 */
#include <fcntl.h>

#include "winapi/linux/file.h"

HANDLE WINAPI GetCurrentThread(VOID)
{
    return (HANDLE)(LONG_PTR)-2;
}

HANDLE WINAPI GetCurrentProcess(VOID)
{
    return (HANDLE)(LONG_PTR)-1;
}

struct object *win__object(HANDLE handle)
{
    struct object *object = handle_object(handle);
    if (!object)
        win__fail(ERROR_INVALID_HANDLE);
    return object;
}

struct plat_thread *win__thread(HANDLE handle)
{
    struct object *object = win__object(handle);
    if (object && object->type != OBJECT_THREAD) {
        object_drop(object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return (struct plat_thread *)object;
}

bool win__this_process(HANDLE handle)
{
    if (handle == GetCurrentProcess())
        return true;
    struct object *object = handle_object(handle);
    bool is = object && object->type == OBJECT_PROCESS;
    if (object)
        object_drop(object);
    return is;
}

STOP_LOOKS BOOL WINAPI CloseHandle(HANDLE hObject)
{
    if (hObject == GetCurrentThread() || hObject == GetCurrentProcess())
        return TRUE; /* to close a pseudo-handle does nothing */
    return win__acted(handle_close(hObject));
}

BOOL WINAPI DuplicateHandle(HANDLE hSourceProcessHandle, HANDLE hSourceHandle,
                            HANDLE hTargetProcessHandle, LPHANDLE lpTargetHandle,
                            DWORD dwDesiredAccess, BOOL bInheritHandle, DWORD dwOptions)
{
    (void)dwDesiredAccess;
    if (!win__this_process(hSourceProcessHandle) || !win__this_process(hTargetProcessHandle))
        return win__fail(ERROR_INVALID_HANDLE);
    struct object *object = win__object(hSourceHandle);
    if (!object)
        return FALSE;
    int error = lpTargetHandle ? handle_create(object, lpTargetHandle) : 0;
    /* Both handles have one descriptor. A program that duplicates a handle to change its
     * inheritance closes the source next, so the descriptor gets the copy's. */
    const struct file *file = object->type == OBJECT_FILE ? (struct file *)object : NULL;
    if (!error && lpTargetHandle && file && !file->borrowed)
        fcntl(file->fd, F_SETFD, bInheritHandle ? 0 : FD_CLOEXEC);
    object_drop(object);
    /* The source is closed even if no duplicate was made, as documented. */
    if (dwOptions & DUPLICATE_CLOSE_SOURCE)
        CloseHandle(hSourceHandle);
    return win__result(error);
}

BOOL WINAPI CompareObjectHandles(HANDLE hFirstObjectHandle, HANDLE hSecondObjectHandle)
{
    struct object *first = win__object(hFirstObjectHandle);
    struct object *second = first ? win__object(hSecondObjectHandle) : NULL;
    bool same = first == second;
    if (first)
        object_drop(first);
    if (!second)
        return FALSE;
    object_drop(second);
    return same ? TRUE : win__fail(ERROR_NOT_SAME_OBJECT);
}

DWORD WINAPI GetLastError(void)
{
    return plat_tls.teb.last_error;
}

void WINAPI SetLastError(DWORD dwErrCode)
{
    plat_tls.teb.last_error = dwErrCode;
}

/* dwType was for Windows 95's debugger. */
void WINAPI SetLastErrorEx(DWORD dwErrCode, DWORD dwType)
{
    (void)dwType;
    SetLastError(dwErrCode);
}
