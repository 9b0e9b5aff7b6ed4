/* SPDX-License-Identifier: MIT
 *
 * handle.c - handles as programs see them, and the last error.
 */
#include "winapi/linux/surface.h"

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
    struct object *object;
    if (handle == GetCurrentThread()) {
        struct plat_thread *self = thread_current();
        object = self ? &self->object : NULL;
        if (object)
            object_hold(object);
    } else {
        object = handle_object(handle);
    }
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

BOOL WINAPI CloseHandle(HANDLE hObject)
{
    if (hObject == GetCurrentThread() || hObject == GetCurrentProcess())
        return TRUE; /* pseudo-handles need no closing and do not mind it */
    return handle_close(hObject) ? TRUE : win__fail(ERROR_INVALID_HANDLE);
}

DWORD WINAPI GetLastError(void)
{
    return plat_tls.last_error;
}

void WINAPI SetLastError(DWORD dwErrCode)
{
    plat_tls.last_error = dwErrCode;
}
