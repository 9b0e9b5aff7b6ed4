/* SPDX-License-Identifier: MIT
 *
 * debug.c - OutputDebugString and DebugBreak.
 *
 * On Windows a debugger shows the text of OutputDebugString; without one nobody sees it. Here it
 * goes to stderr if UMSSHIM_LOG names `debug`.
 */
#include <stdlib.h>
#include <string.h>

#include "platform/linux/os/own_write.h"
#include "winapi/linux/text.h"

static bool somebody_listens(void)
{
    static _Atomic int known; /* 0 not yet, 1 no, 2 yes */
    if (!known) {
        const char *log = secure_getenv("UMSSHIM_LOG");
        known = log && strstr(log, "debug") ? 2 : 1;
    }
    return known == 2;
}

VOID WINAPI OutputDebugStringA(LPCSTR lpOutputString)
{
    if (lpOutputString && somebody_listens())
        own_write(2, lpOutputString, strlen(lpOutputString));
}

VOID WINAPI OutputDebugStringW(LPCWSTR lpOutputString)
{
    if (!lpOutputString || !somebody_listens())
        return;
    char *text = win__narrow(lpOutputString, win__wide_length(lpOutputString), NULL);
    if (text)
        OutputDebugStringA(text);
    free(text);
}

VOID WINAPI DebugBreak(VOID)
{
    __asm__ volatile("int3");
}

BOOL WINAPI CheckRemoteDebuggerPresent(HANDLE hProcess, PBOOL pbDebuggerPresent)
{
    if (!hProcess || !pbDebuggerPresent)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!win__this_process(hProcess))
        return win__fail(ERROR_INVALID_HANDLE);
    *pbDebuggerPresent = IsDebuggerPresent();
    return TRUE;
}

static DWORD WINAPI stop_here(LPVOID unused)
{
    (void)unused;
    DebugBreak();
    return 0;
}

/* Stops on a new thread, as on Windows. */
BOOL WINAPI DebugBreakProcess(HANDLE Process)
{
    if (!win__this_process(Process))
        return win__fail(ERROR_INVALID_HANDLE);
    HANDLE thread = CreateThread(NULL, 0, stop_here, NULL, 0, NULL);
    return thread ? CloseHandle(thread) : FALSE;
}
