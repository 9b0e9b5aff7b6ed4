/* SPDX-License-Identifier: MIT
 *
 * pipe_state.c - GetNamedPipeInfo, GetNamedPipeHandleState, GetNamedPipeClientProcessId and their
 * kin.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/pipe_server.h"
#include "winapi/linux/text.h"

static bool is_server(const struct pipe_end *end)
{
    return end->ready >= 0;
}

BOOL WINAPI GetNamedPipeInfo(HANDLE hNamedPipe, LPDWORD lpFlags, LPDWORD lpOutBufferSize,
                             LPDWORD lpInBufferSize, LPDWORD lpMaxInstances)
{
    struct file *file = win__pipe(hNamedPipe);
    if (!file)
        return FALSE;
    const struct pipe_end *end = win__pipe_end(file);
    if (lpFlags)
        *lpFlags = (is_server(end) ? PIPE_SERVER_END : PIPE_CLIENT_END) | end->facts.messages;
    if (lpOutBufferSize)
        *lpOutBufferSize = end->facts.out_bytes;
    if (lpInBufferSize)
        *lpInBufferSize = end->facts.in_bytes;
    if (lpMaxInstances)
        *lpMaxInstances = end->facts.limit;
    object_drop(&file->object);
    return TRUE;
}

BOOL WINAPI SetNamedPipeHandleState(HANDLE hNamedPipe, LPDWORD lpMode, LPDWORD lpMaxCollectionCount,
                                    LPDWORD lpCollectDataTimeout)
{
    enum { KNOWN = PIPE_READMODE_MESSAGE | PIPE_NOWAIT };
    struct file *file = win__pipe(hNamedPipe);
    if (!file)
        return FALSE;
    struct pipe_end *end = win__pipe_end(file);
    /* The other two parameters are for a server on another computer. */
    bool bad = lpMaxCollectionCount || lpCollectDataTimeout ||
               (lpMode && (*lpMode & ~(DWORD)KNOWN ||
                           (*lpMode & PIPE_READMODE_MESSAGE && !end->facts.messages)));
    if (!bad && lpMode)
        end->mode = *lpMode;
    object_drop(&file->object);
    return bad ? win__fail(ERROR_INVALID_PARAMETER) : TRUE;
}

static DWORD count_instances(const struct pipe_end *end, DWORD *count)
{
    struct pipe_facts facts;
    if (is_server(end)) {
        *count = win__pipe_instances(end);
        return 0;
    }
    DWORD error = win__pipe_query(end->key, &facts);
    *count = error ? 0 : facts.instances;
    return error == ERROR_FILE_NOT_FOUND ? 0 : error; /* the server has closed all instances */
}

/* The client's user is this process's: other users cannot connect. */
static DWORD user_name(const struct pipe_end *end, LPSTR name, DWORD size)
{
    if (!is_server(end))
        return ERROR_INVALID_PARAMETER;
    return GetUserNameA(name, &size) ? 0 : GetLastError();
}

BOOL WINAPI GetNamedPipeHandleStateA(HANDLE hNamedPipe, LPDWORD lpState, LPDWORD lpCurInstances,
                                     LPDWORD lpMaxCollectionCount, LPDWORD lpCollectDataTimeout,
                                     LPSTR lpUserName, DWORD nMaxUserNameSize)
{
    struct file *file = win__pipe(hNamedPipe);
    if (!file)
        return FALSE;
    const struct pipe_end *end = win__pipe_end(file);
    DWORD error = lpMaxCollectionCount || lpCollectDataTimeout ? ERROR_INVALID_PARAMETER : 0;
    if (!error && lpState)
        *lpState = end->mode;
    if (!error && lpCurInstances)
        error = count_instances(end, lpCurInstances);
    if (!error && lpUserName)
        error = user_name(end, lpUserName, nMaxUserNameSize);
    object_drop(&file->object);
    return win__result((int)error);
}

BOOL WINAPI GetNamedPipeHandleStateW(HANDLE hNamedPipe, LPDWORD lpState, LPDWORD lpCurInstances,
                                     LPDWORD lpMaxCollectionCount, LPDWORD lpCollectDataTimeout,
                                     LPWSTR lpUserName, DWORD nMaxUserNameSize)
{
    char name[257]; /* as long as UNLEN and a zero */
    if (!GetNamedPipeHandleStateA(hNamedPipe, lpState, lpCurInstances, lpMaxCollectionCount,
                                  lpCollectDataTimeout, lpUserName ? name : NULL, sizeof name))
        return FALSE;
    if (lpUserName && win__give_wide(name, lpUserName, nMaxUserNameSize) >= nMaxUserNameSize)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    return TRUE;
}

/* The process at the server's or the client's end. The handle may be either end's. */
static BOOL process_of(HANDLE handle, ULONG *process, bool servers)
{
    struct file *file = win__pipe(handle);
    if (!file)
        return FALSE;
    const struct pipe_end *end = win__pipe_end(file);
    DWORD error = 0;
    if (!process) {
        error = ERROR_INVALID_PARAMETER;
    } else if (is_server(end) == servers) { /* the process that made the end */
        *process = GetCurrentProcessId();
    } else {
        struct pipe_link *link = win__pipe_hold(file, &error);
        if (link) {
            *process = link->peer;
            object_drop(&link->object);
        }
    }
    object_drop(&file->object);
    return win__result((int)error);
}

BOOL WINAPI GetNamedPipeClientProcessId(HANDLE Pipe, PULONG ClientProcessId)
{
    return process_of(Pipe, ClientProcessId, false);
}

BOOL WINAPI GetNamedPipeServerProcessId(HANDLE Pipe, PULONG ServerProcessId)
{
    return process_of(Pipe, ServerProcessId, true);
}
