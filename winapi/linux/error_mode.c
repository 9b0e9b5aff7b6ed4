/* SPDX-License-Identifier: MIT
 *
 * error_mode.c - the error modes of the process and of each thread, which say which errors the
 * system shows.
 *
 * Here no error opens a window. An unhandled exception looks at SEM_NOGPFAULTERRORBOX.
 */
#include "winapi/linux/error_mode.h"

enum {
    KNOWN_TO_PROCESS = SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOALIGNMENTFAULTEXCEPT |
                       SEM_NOOPENFILEERRORBOX,
    KNOWN_TO_THREAD = SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX
};

static _Atomic UINT process_mode;
static __thread DWORD thread_mode __attribute__((tls_model("initial-exec")));

UINT WINAPI SetErrorMode(UINT uMode)
{
    /* As on Windows, no call takes SEM_NOALIGNMENTFAULTEXCEPT back. */
    UINT before = process_mode, after;
    do
        after = (uMode & KNOWN_TO_PROCESS) | (before & SEM_NOALIGNMENTFAULTEXCEPT);
    while (!atomic_compare_exchange_weak(&process_mode, &before, after));
    return before;
}

UINT WINAPI GetErrorMode(VOID)
{
    return process_mode;
}

BOOL WINAPI SetThreadErrorMode(DWORD dwNewMode, LPDWORD lpOldMode)
{
    if (dwNewMode & ~(DWORD)KNOWN_TO_THREAD)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (lpOldMode)
        *lpOldMode = thread_mode;
    thread_mode = dwNewMode;
    return TRUE;
}

DWORD WINAPI GetThreadErrorMode(VOID)
{
    return thread_mode;
}

bool win__errors_are_silent(void)
{
    return (process_mode | thread_mode) & SEM_NOGPFAULTERRORBOX;
}
