/* SPDX-License-Identifier: MIT
 *
 * exception_handlers.c - the calls by which a program sets its exception handlers.
 */
#include "winapi/linux/exception.h"

static PVOID add(enum vectored_list list, ULONG first, PVECTORED_EXCEPTION_HANDLER handler)
{
    if (!handler) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    win__faults_begin();
    return win__vectored_add(list, first != 0, handler);
}

PVOID WINAPI AddVectoredExceptionHandler(ULONG First, PVECTORED_EXCEPTION_HANDLER Handler)
{
    return add(VECTORED_EXCEPTION, First, Handler);
}

ULONG WINAPI RemoveVectoredExceptionHandler(PVOID Handle)
{
    return win__vectored_take(VECTORED_EXCEPTION, Handle);
}

PVOID WINAPI AddVectoredContinueHandler(ULONG First, PVECTORED_EXCEPTION_HANDLER Handler)
{
    return add(VECTORED_CONTINUE, First, Handler);
}

ULONG WINAPI RemoveVectoredContinueHandler(PVOID Handle)
{
    return win__vectored_take(VECTORED_CONTINUE, Handle);
}

LPTOP_LEVEL_EXCEPTION_FILTER WINAPI
SetUnhandledExceptionFilter(LPTOP_LEVEL_EXCEPTION_FILTER lpTopLevelExceptionFilter)
{
    if (lpTopLevelExceptionFilter)
        win__faults_begin();
    return win__filter_set(lpTopLevelExceptionFilter);
}

/* For a handler of the program's: the result says how the handler has to go on. */
LONG WINAPI UnhandledExceptionFilter(PEXCEPTION_POINTERS ExceptionInfo)
{
    LONG verdict = win__filter_call(ExceptionInfo);
    return verdict == EXCEPTION_CONTINUE_SEARCH ? EXCEPTION_EXECUTE_HANDLER : verdict;
}
