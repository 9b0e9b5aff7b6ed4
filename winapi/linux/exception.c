/* SPDX-License-Identifier: MIT
 *
 * exception.c - RaiseException (exception.h).
 */
#include <string.h>

#include "winapi/linux/exception.h"

static LONG handlers(EXCEPTION_POINTERS *exception)
{
    LONG verdict = win__vectored_call(VECTORED_EXCEPTION, exception);
    return verdict == EXCEPTION_CONTINUE_EXECUTION ? verdict : win__filter_call(exception);
}

static _Noreturn void end(const EXCEPTION_RECORD *record, LONG verdict)
{
    win__exception_raise_end(record, win__exception_end(record, verdict));
}

/* A handler wants to continue an exception that cannot be continued: that is another exception. */
static _Noreturn void cannot_continue(EXCEPTION_RECORD *cause, CONTEXT *context)
{
    EXCEPTION_RECORD record = {.ExceptionCode = (DWORD)EXCEPTION_NONCONTINUABLE_EXCEPTION,
                               .ExceptionFlags = EXCEPTION_NONCONTINUABLE,
                               .ExceptionRecord = cause,
                               .ExceptionAddress = cause->ExceptionAddress};
    EXCEPTION_POINTERS exception = {&record, context};
    LONG verdict = handlers(&exception);
    end(&record, verdict == EXCEPTION_CONTINUE_EXECUTION ? EXCEPTION_CONTINUE_SEARCH : verdict);
}

/* RaiseException calls it (exception_context.S). The CONTEXT has the registers; its other bytes are
 * not set yet. */
_Noreturn void win__raise(DWORD code, DWORD flags, DWORD count, const ULONG_PTR *arguments,
                          CONTEXT *context);
_Noreturn void win__raise(DWORD code, DWORD flags, DWORD count, const ULONG_PTR *arguments,
                          CONTEXT *context)
{
    memset(context, 0, offsetof(CONTEXT, ContextFlags));
    memset(&context->Dr0, 0, offsetof(CONTEXT, Rax) - offsetof(CONTEXT, Dr0));
    memset(context->VectorRegister, 0, sizeof *context - offsetof(CONTEXT, VectorRegister));
    EXCEPTION_RECORD record = {.ExceptionCode = code,
                               .ExceptionFlags = flags & EXCEPTION_NONCONTINUABLE,
                               .ExceptionAddress = (void *)context->Rip};
    if (arguments) {
        record.NumberParameters =
            count < EXCEPTION_MAXIMUM_PARAMETERS ? count : EXCEPTION_MAXIMUM_PARAMETERS;
        memcpy(record.ExceptionInformation, arguments, record.NumberParameters * sizeof *arguments);
    }
    EXCEPTION_POINTERS exception = {&record, context};
    LONG verdict = handlers(&exception);
    if (verdict != EXCEPTION_CONTINUE_EXECUTION)
        end(&record, verdict);
    if (record.ExceptionFlags & EXCEPTION_NONCONTINUABLE)
        cannot_continue(&record, context);
    win__vectored_call(VECTORED_CONTINUE, &exception);
    win__registers_resume(context);
}
