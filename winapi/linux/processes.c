/* SPDX-License-Identifier: MIT
 *
 * processes.c - calls with a process's handle: of this process, its children, and other processes
 * of the user.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/child_process.h"
#include "winapi/linux/deletion.h"
#include "winapi/linux/drive.h"
#include "winapi/linux/file.h"
#include "winapi/linux/text.h"

BOOL WINAPI GetExitCodeProcess(HANDLE hProcess, LPDWORD lpExitCode)
{
    DWORD code = STILL_ACTIVE;
    if (!lpExitCode)
        return win__fail(ERROR_INVALID_PARAMETER);
    struct child_process *child = child_of(hProcess);
    if (!child && !win__this_process(hProcess))
        return win__fail(ERROR_INVALID_HANDLE);
    if (child) {
        code = child_code(child);
        object_drop(&child->object);
    }
    *lpExitCode = code;
    return TRUE;
}

/* If the process is this one, no destructor and no exit handler runs. */
BOOL WINAPI TerminateProcess(HANDLE hProcess, DWORD uExitCode)
{
    struct child_process *child = child_of(hProcess);
    if (!child && !win__this_process(hProcess))
        return win__fail(ERROR_INVALID_HANDLE);
    if (!child) {
        win__delete_rest();
        _exit((int)uExitCode);
    }
    DWORD error = child_kill(child, uExitCode);
    object_drop(&child->object);
    return error ? win__fail(error) : TRUE;
}

DWORD WINAPI GetProcessId(HANDLE Process)
{
    struct child_process *child = child_of(Process);
    if (!child)
        return win__this_process(Process) ? GetCurrentProcessId()
                                          : (DWORD)win__fail(ERROR_INVALID_HANDLE);
    DWORD id = (DWORD)child->pid;
    object_drop(&child->object);
    return id;
}

HANDLE WINAPI OpenProcess(DWORD dwDesiredAccess, BOOL bInheritHandle, DWORD dwProcessId)
{
    (void)dwDesiredAccess, (void)bInheritHandle;
    void *handle = NULL;
    struct child_process *other =
        dwProcessId == GetCurrentProcessId() ? NULL : process_by_id(dwProcessId);
    struct object *object = other ? &other->object : NULL;
    if (dwProcessId == GetCurrentProcessId())
        object = handle_object(GetCurrentProcess());
    if (!object)
        return NULL;
    int error = handle_create(object, &handle);
    object_drop(object);
    if (error)
        win__fail((DWORD)error);
    return error ? NULL : handle;
}

/* ---- The paths of their programs ------------------------------------------------------------- */

/* The path in malloc's memory. NULL with the last error. */
static char *image_of(HANDLE process)
{
    char path[4096];
    struct child_process *child = child_of(process);
    if (!child && !win__this_process(process)) {
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    DWORD length = child ? 0 : GetModuleFileNameA(NULL, path, sizeof path);
    char *copy = child ? strdup(child->path) : strndup(path, length);
    if (child)
        object_drop(&child->object);
    if (!copy)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return child ? win__shown_path(copy, 0) : copy;
}

/* Writes it to one of the two buffers. */
static BOOL give_image(HANDLE process, DWORD flags, LPSTR narrow, LPWSTR wide, PDWORD size)
{
    if (flags & ~(DWORD)PROCESS_NAME_NATIVE || !(narrow || wide) || !size)
        return win__fail(ERROR_INVALID_PARAMETER);
    char *path = image_of(process);
    if (!path)
        return FALSE;
    DWORD length = wide ? win__give_wide(path, wide, *size) : win__give_text(path, narrow, *size);
    free(path);
    if (wide && !length)
        return FALSE;
    if (length >= *size)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    *size = length;
    return TRUE;
}

BOOL WINAPI QueryFullProcessImageNameA(HANDLE hProcess, DWORD dwFlags, LPSTR lpExeName,
                                       PDWORD lpdwSize)
{
    return give_image(hProcess, dwFlags, lpExeName, NULL, lpdwSize);
}

BOOL WINAPI QueryFullProcessImageNameW(HANDLE hProcess, DWORD dwFlags, LPWSTR lpExeName,
                                       PDWORD lpdwSize)
{
    return give_image(hProcess, dwFlags, NULL, lpExeName, lpdwSize);
}
