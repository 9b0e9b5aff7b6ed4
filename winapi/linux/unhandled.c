/* SPDX-License-Identifier: MIT
 *
 * unhandled.c - exceptions that no handler takes: the program's filter, and the end of the process.
 *
 * The process ends by the signal of such a fault, so that a shell, a core file and
 * GetExitCodeProcess (child_process.c) show the kind of fault. For an exception code of the
 * program's own it ends by SIGABRT, as an exit status has no room for the code. A line on stderr
 * has the code then.
 */
#include <string.h>
#include <sys/prctl.h>

#include "platform/platform.h"
#include "winapi/linux/error_mode.h"
#include "winapi/linux/exception.h"

static _Atomic(LPTOP_LEVEL_EXCEPTION_FILTER) filter;

LPTOP_LEVEL_EXCEPTION_FILTER win__filter_set(LPTOP_LEVEL_EXCEPTION_FILTER own)
{
    return atomic_exchange(&filter, own);
}

LONG win__filter_call(EXCEPTION_POINTERS *exception)
{
    LPTOP_LEVEL_EXCEPTION_FILTER own = filter;
    return own ? own(exception) : EXCEPTION_CONTINUE_SEARCH;
}

/* ---- The end --------------------------------------------------------------------------------- */

static int signal_of(DWORD code)
{
    switch (code) {
    case (DWORD)EXCEPTION_ACCESS_VIOLATION:
    case (DWORD)EXCEPTION_STACK_OVERFLOW:
        return SIGSEGV;
    case (DWORD)EXCEPTION_IN_PAGE_ERROR:
    case (DWORD)EXCEPTION_DATATYPE_MISALIGNMENT:
        return SIGBUS;
    case (DWORD)EXCEPTION_ILLEGAL_INSTRUCTION:
    case (DWORD)EXCEPTION_PRIV_INSTRUCTION:
        return SIGILL;
    case (DWORD)EXCEPTION_BREAKPOINT:
    case (DWORD)EXCEPTION_SINGLE_STEP:
        return SIGTRAP;
    default:
        return code >= (DWORD)EXCEPTION_ARRAY_BOUNDS_EXCEEDED &&
                       code <= (DWORD)EXCEPTION_INT_OVERFLOW
                   ? SIGFPE
                   : SIGABRT;
    }
}

/* With EXCEPTION_EXECUTE_HANDLER the filter says that no message is needed. */
struct exception_end win__exception_end(const EXCEPTION_RECORD *record, LONG filtered)
{
    struct exception_end end = {signal_of(record->ExceptionCode),
                                filtered == EXCEPTION_EXECUTE_HANDLER || win__errors_are_silent()};
    return end;
}

void win__exception_raise_end(const EXCEPTION_RECORD *record, struct exception_end end)
{
    sigset_t open;
    if (end.silent) {
        prctl(PR_SET_DUMPABLE, 0);
    } else {
        plat_log("unhandled exception 0x%08X at %p: the process ends",
                 (unsigned)record->ExceptionCode, record->ExceptionAddress);
    }
    signal(end.signal, SIG_DFL);
    sigemptyset(&open);
    sigaddset(&open, end.signal);
    pthread_sigmask(SIG_UNBLOCK, &open, NULL);
    raise(end.signal);
    _exit(3);
}
