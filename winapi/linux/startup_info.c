/* SPDX-License-Identifier: MIT
 *
 * startup_info.c - GetStartupInfo, and the inheritance of handles.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "winapi/linux/error.h"
#include "winapi/linux/file.h"

/* A parent gives only the standard descriptors. Both forms differ in their texts, which are
 * NULL. */
VOID WINAPI GetStartupInfoA(LPSTARTUPINFOA lpStartupInfo)
{
    memset(lpStartupInfo, 0, sizeof *lpStartupInfo);
    lpStartupInfo->cb = sizeof *lpStartupInfo;
    lpStartupInfo->dwFlags = STARTF_USESTDHANDLES;
    lpStartupInfo->hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    lpStartupInfo->hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    lpStartupInfo->hStdError = GetStdHandle(STD_ERROR_HANDLE);
}

VOID WINAPI GetStartupInfoW(LPSTARTUPINFOW lpStartupInfo)
{
    GetStartupInfoA((LPSTARTUPINFOA)lpStartupInfo);
}

/* ---- Inheritance: only files have it, by their descriptors ----------------------------------- */

BOOL WINAPI GetHandleInformation(HANDLE hObject, LPDWORD lpdwFlags)
{
    if (!lpdwFlags)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct object *object = win__object(hObject);
    if (!object)
        return FALSE;
    int flags = FD_CLOEXEC;
    if (object->type == OBJECT_FILE)
        flags = fcntl(((struct file *)object)->fd, F_GETFD);
    object_drop(object);
    *lpdwFlags = flags & FD_CLOEXEC ? 0 : HANDLE_FLAG_INHERIT;
    return TRUE;
}

BOOL WINAPI SetHandleInformation(HANDLE hObject, DWORD dwMask, DWORD dwFlags)
{
    if (dwMask & ~(DWORD)(HANDLE_FLAG_INHERIT | HANDLE_FLAG_PROTECT_FROM_CLOSE))
        return win__fail(ERROR_INVALID_PARAMETER);
    struct object *object = win__object(hObject);
    if (!object)
        return FALSE;
    bool inherit = dwFlags & HANDLE_FLAG_INHERIT, is_file = object->type == OBJECT_FILE;
    DWORD error = ERROR_SUCCESS;
    if (dwMask & dwFlags & HANDLE_FLAG_PROTECT_FROM_CLOSE ||
        (dwMask & HANDLE_FLAG_INHERIT && inherit && !is_file))
        error = ERROR_NOT_SUPPORTED;
    else if (dwMask & HANDLE_FLAG_INHERIT && is_file &&
             fcntl(((struct file *)object)->fd, F_SETFD, inherit ? 0 : FD_CLOEXEC))
        error = win__error_of(errno);
    object_drop(object);
    return error ? win__fail(error) : TRUE;
}
