/* SPDX-License-Identifier: MIT
 *
 * exception.h - structured exceptions: from a fault or RaiseException to the program's handlers,
 * and to the end of the exception.
 *
 * The thread that has the exception calls the following, in this order, until a handler answers
 * EXCEPTION_CONTINUE_EXECUTION:
 *   1. the vectored handlers (vectored.c)
 *   2. if the exception is a fault: the handler that its signal had before this library's, if there
 *      was one (exception_signal.c). Then this handler decides, and no further step follows
 *   3. the filter of SetUnhandledExceptionFilter (unhandled.c)
 * Then it calls the vectored continue handlers, and goes on with the registers in the CONTEXT.
 * Without such an answer the process ends (unhandled.c).
 *
 * The handlers run on top of that thread's stack, where all records are. The library holds no lock
 * meanwhile, so a handler may wait, raise an exception, or jump out.
 */
#ifndef UMSSHIM_WINAPI_LINUX_EXCEPTION_H
#define UMSSHIM_WINAPI_LINUX_EXCEPTION_H

#include <signal.h>
#include <ucontext.h>

#include "winapi/linux/surface.h"

enum vectored_list { VECTORED_EXCEPTION, VECTORED_CONTINUE };

/* Calls the handlers of a list in their order, until one answers EXCEPTION_CONTINUE_EXECUTION. */
LONG win__vectored_call(enum vectored_list list, EXCEPTION_POINTERS *exception);
/* NULL with the last error: no memory. The handle is for win__vectored_take. */
void *win__vectored_add(enum vectored_list list, bool first, PVECTORED_EXCEPTION_HANDLER handler);
bool win__vectored_take(enum vectored_list list, const void *handle);
void vectored_forget(void); /* in a child after fork */

/* From now on a fault is an exception. Called before the first handler is set. */
void win__faults_begin(void);

LPTOP_LEVEL_EXCEPTION_FILTER win__filter_set(LPTOP_LEVEL_EXCEPTION_FILTER own);
/* The filter's answer; EXCEPTION_CONTINUE_SEARCH: there is no filter. */
LONG win__filter_call(EXCEPTION_POINTERS *exception);
/* How the process ends. */
struct exception_end {
    int signal;  /* the signal that ends it */
    bool silent; /* without a line on stderr and without a core file */
};
struct exception_end win__exception_end(const EXCEPTION_RECORD *record, LONG filtered);
_Noreturn void win__exception_raise_end(const EXCEPTION_RECORD *record, struct exception_end end);

/* exception_of_signal.c: the exception that a fault is. False: a process sent the signal, so it is
 * no exception. A breakpoint's address is that of its instruction. */
bool win__exception_of_signal(int number, const siginfo_t *info, const ucontext_t *interrupted,
                              EXCEPTION_RECORD *record);

/* exception_registers.c */
void win__registers_told(const ucontext_t *interrupted, CONTEXT *context);
/* Sets the registers that ContextFlags names, but no selectors. */
void win__registers_changed(ucontext_t *interrupted, const CONTEXT *context);
_Noreturn void win__registers_resume(CONTEXT *context);

#endif
