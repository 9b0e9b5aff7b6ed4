/* SPDX-License-Identifier: MIT
 *
 * exception.h - structured exceptions: how a fault or RaiseException comes to the program's
 * handlers, and what becomes of it.
 *
 * An exception is its thread's alone. The thread calls, in this order, until one goes on:
 *   1. the vectored handlers (vectored.c)
 *   2. the handler of the signal that was there before this library's, if the exception is a fault
 *      and there was one (exception_signal.c): it has the last word then
 *   3. the filter of SetUnhandledExceptionFilter (unhandled.c)
 * Where one goes on, the vectored continue handlers are told, and the thread goes on with the
 * registers in the CONTEXT. Else the process ends (unhandled.c).
 *
 * The handlers run on the thread that has the exception, on top of its stack: nothing of this
 * library's is held meanwhile, and so they may wait, raise, or jump out. All records are on that
 * stack.
 */
#ifndef UMSSHIM_WINAPI_LINUX_EXCEPTION_H
#define UMSSHIM_WINAPI_LINUX_EXCEPTION_H

#include <signal.h>
#include <ucontext.h>

#include "winapi/linux/surface.h"

enum vectored_list { VECTORED_EXCEPTION, VECTORED_CONTINUE };

/* The handlers of a list in their order, until one goes on: EXCEPTION_CONTINUE_EXECUTION. */
LONG win__vectored_call(enum vectored_list list, EXCEPTION_POINTERS *exception);
/* NULL and the last error: there is no memory. The handle is for the next. */
void *win__vectored_add(enum vectored_list list, bool first, PVECTORED_EXCEPTION_HANDLER handler);
bool win__vectored_take(enum vectored_list list, const void *handle);
void vectored_forget(void); /* in a child after fork */

/* Faults are exceptions from now on: before the first handler is there. */
void win__faults_begin(void);

LPTOP_LEVEL_EXCEPTION_FILTER win__filter_set(LPTOP_LEVEL_EXCEPTION_FILTER own);
/* The filter's answer; EXCEPTION_CONTINUE_SEARCH: there is none. */
LONG win__filter_call(EXCEPTION_POINTERS *exception);
/* How the process ends. */
struct exception_end {
    int signal;  /* by this signal */
    bool silent; /* without a line, and without a core file */
};
struct exception_end win__exception_end(const EXCEPTION_RECORD *record, LONG filtered);
_Noreturn void win__exception_raise_end(const EXCEPTION_RECORD *record, struct exception_end end);

/* exception_of_signal.c: what a fault is; false: the signal was sent, and is none. A breakpoint's
 * address is that of its instruction. */
bool win__exception_of_signal(int number, const siginfo_t *info, const ucontext_t *interrupted,
                              EXCEPTION_RECORD *record);

/* exception_registers.c */
void win__registers_told(const ucontext_t *interrupted, CONTEXT *context);
/* What ContextFlags names. Selectors stay. */
void win__registers_changed(ucontext_t *interrupted, const CONTEXT *context);
_Noreturn void win__registers_resume(CONTEXT *context);

#endif
