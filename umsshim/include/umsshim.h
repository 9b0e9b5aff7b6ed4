/* SPDX-License-Identifier: MIT
 *
 * umsshim.h - the User-Mode Scheduling declarations that the installed Windows headers lack.
 *
 * Include <windows.h>; the wrapper shipped beside this file pulls this one in. Everything here is
 * guarded: Wine's headers (native Linux builds) already have most types and thirteen of the
 * fourteen prototypes, MinGW-w64 before 11 has only the enumerations, MinGW-w64 from 11 on and
 * Microsoft's own have all.
 *
 * The comments state the contract in our words: what a call does, what it returns, which last-error
 * value it sets and which threads may call it. Where UMS cannot be had (umsshim(7) says when) each
 * call fails with 50, which is not repeated below. "Scheduler" is a thread inside
 * EnterUmsSchedulingMode, "worker" a thread created with PROC_THREAD_ATTRIBUTE_UMS_THREAD, "plain"
 * any other thread. Each names its page on learn.microsoft.com/windows/win32/api/winbase/
 * (nf-winbase-<name in lower case>). The manual pages in docs/man say the same at length; a test
 * (tests/tools/manual_test.py) holds prototypes and error codes of both against each other, so
 * write the codes after "FALSE:" or "NULL and".
 */
#ifndef UMSSHIM_UMSSHIM_H
#define UMSSHIM_UMSSHIM_H

#ifdef _MSC_VER /* Microsoft's winbase.h does not stand alone */
#include <windows.h>
#else
#include <windef.h>
#include <winbase.h>
#endif

/* ---- Constants and types ------------------------------------------------------------------ */

#ifndef RTL_UMS_VERSION
#define RTL_UMS_VERSION (0x0100)
#endif

#ifdef UMS_VERSION
#define UMSSHIM_HEADERS_HAVE_UMS /* MinGW-w64 11 and later: complete on its own */
#else
#define UMS_VERSION RTL_UMS_VERSION
#endif

#if !defined(UMSSHIM_HEADERS_HAVE_UMS) && !defined(__WINE_WINBASE_H)
/* MinGW-w64 10 has the enumerations and UMS_CREATE_THREAD_ATTRIBUTES in winnt.h, no more. */
typedef void *PUMS_CONTEXT;
typedef void *PUMS_COMPLETION_LIST;
typedef enum _RTL_UMS_SCHEDULER_REASON UMS_SCHEDULER_REASON;
typedef enum _RTL_UMS_THREAD_INFO_CLASS UMS_THREAD_INFO_CLASS, *PUMS_THREAD_INFO_CLASS;
typedef PRTL_UMS_SCHEDULER_ENTRY_POINT PUMS_SCHEDULER_ENTRY_POINT;

typedef struct _UMS_SCHEDULER_STARTUP_INFO {
    ULONG UmsVersion;                         /* UMS_VERSION */
    PUMS_COMPLETION_LIST CompletionList;      /* the scheduler's own list */
    PUMS_SCHEDULER_ENTRY_POINT SchedulerProc; /* called at Startup, Blocked and Yield */
    PVOID SchedulerParam;                     /* handed to the Startup activation */
} UMS_SCHEDULER_STARTUP_INFO, *PUMS_SCHEDULER_STARTUP_INFO;
#endif

#ifndef UMSSHIM_HEADERS_HAVE_UMS
#ifdef __WINE_WINBASE_H
/* The value of PROC_THREAD_ATTRIBUTE_UMS_THREAD points to one of these. It must stay valid until
 * the attribute list is deleted. UpdateProcThreadAttribute copies it all the same, for programs
 * that let it go out of scope. */
typedef struct _UMS_CREATE_THREAD_ATTRIBUTES {
    DWORD UmsVersion;        /* UMS_VERSION */
    PVOID UmsContext;        /* from CreateUmsThreadContext, bound to no live thread */
    PVOID UmsCompletionList; /* where the worker arrives: when new, unblocked or terminated */
} UMS_CREATE_THREAD_ATTRIBUTES, *PUMS_CREATE_THREAD_ATTRIBUTES;
#endif

#ifdef __GNUC__
#define UMSSHIM_NAMELESS __extension__
#else
#define UMSSHIM_NAMELESS /* Microsoft's compilers have them */
#endif
typedef struct _UMS_SYSTEM_THREAD_INFORMATION {
    ULONG UmsVersion; /* in: UMS_VERSION */
    UMSSHIM_NAMELESS union {
        UMSSHIM_NAMELESS struct {
            ULONG IsUmsSchedulerThread : 1;
            ULONG IsUmsWorkerThread : 1;
        };
        ULONG ThreadUmsFlags; /* out: 1 scheduler, 2 worker, 0 neither */
    };
} UMS_SYSTEM_THREAD_INFORMATION, *PUMS_SYSTEM_THREAD_INFORMATION;
#endif

/* ---- Functions ---------------------------------------------------------------------------- */

#include "umsshim_linkage.h" /* UMSSHIM_API, and on Windows the symbols behind the names */

#ifdef UMSSHIM_BUILDING /* the library defines these functions, though the system's headers may call
                         * them imported */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Creates an empty completion list. Any thread. FALSE: 8 out of memory, 87 NULL argument. */
UMSSHIM_API BOOL WINAPI CreateUmsCompletionList(PUMS_COMPLETION_LIST *UmsCompletionList);

/* Deletes a list. Windows asks that it be empty. A list that is not empty, or that live workers
 * still name, serves no call from now on; its memory stays until the last of them lets go. Any
 * thread. FALSE: 87 NULL or not a list. */
UMSSHIM_API BOOL WINAPI DeleteUmsCompletionList(PUMS_COMPLETION_LIST UmsCompletionList);

/* Stores a new handle to the list's auto-reset event, which is signalled when something arrives on
 * an empty list. Every call makes a handle of its own: close each with CloseHandle.
 * Any thread. FALSE: 87 NULL argument or not a list, 8 out of memory. */
UMSSHIM_API BOOL WINAPI GetUmsCompletionListEvent(PUMS_COMPLETION_LIST UmsCompletionList,
                                                  PHANDLE UmsCompletionEvent);

/* Takes everything off the list and stores the first context of the chain, or NULL when WaitTimeOut
 * milliseconds (0: at once, INFINITE: never) passed and nothing arrived. Then the result is TRUE
 * all the same, and the last error is ERROR_TIMEOUT; with UMSSHIM_STRICT=1 the result is FALSE.
 * Walk the chain with GetNextUmsListItem and drain it before any of its members is executed. Any
 * thread; a worker that waits here blocks like in any other wait. FALSE: 87 NULL argument or not a
 * list. */
UMSSHIM_API BOOL WINAPI DequeueUmsCompletionListItems(PUMS_COMPLETION_LIST UmsCompletionList,
                                                      DWORD WaitTimeOut,
                                                      PUMS_CONTEXT *UmsThreadList);

/* The context that follows in a dequeued chain, or NULL after the last. The call uses the link up:
 * the second call with the same context gives NULL. Any thread. NULL and 87: NULL or no context. */
UMSSHIM_API PUMS_CONTEXT WINAPI GetNextUmsListItem(PUMS_CONTEXT UmsContext);

/* Creates a context for a worker to come. UmsThreadIsTerminated reads true until a thread is bound
 * to it. Any thread. FALSE: 8 out of memory, 87 NULL argument. */
UMSSHIM_API BOOL WINAPI CreateUmsThreadContext(PUMS_CONTEXT *lpUmsThread);

/* Frees a context that has no thread, or whose thread has terminated.
 * Any thread. FALSE: 87 NULL, no context, or its thread lives. */
UMSSHIM_API BOOL WINAPI DeleteUmsThreadContext(PUMS_CONTEXT UmsThread);

/* Turns the calling plain thread into a scheduler: SchedulerProc is called with Startup, and again
 * on the same stack position each time a worker yields, blocks or ends. Returns TRUE when
 * SchedulerProc returns from any of its activations; the thread is a plain one again.
 * FALSE: 87 wrong version, NULL argument or no list, 50 called by a scheduler or a worker, or UMS
 * cannot be had here (a line on stderr says why), 8 out of memory. */
UMSSHIM_API BOOL WINAPI EnterUmsSchedulingMode(PUMS_SCHEDULER_STARTUP_INFO SchedulerStartupInfo);

/* Runs a worker on the calling scheduler and does not return: the activation and everything on its
 * stack is gone, without unwinding. A worker that no thread dequeued yet is taken off its list.
 * Scheduler only. FALSE: 87 NULL, no worker, terminated or suspended, 50 the caller is no
 * scheduler, 1359 the worker is running elsewhere or blocked. */
UMSSHIM_API BOOL WINAPI ExecuteUmsThread(PUMS_CONTEXT UmsThread);

/* Gives the processor to the scheduler, which is called with Yield, this worker's context and
 * SchedulerParam. Returns TRUE once executed again. Worker only. FALSE: 87 the caller is none. */
UMSSHIM_API BOOL WINAPI UmsThreadYield(PVOID SchedulerParam);

/* The calling worker's context, or the scheduler's own. NULL and 50 on a plain thread. */
UMSSHIM_API PUMS_CONTEXT WINAPI GetCurrentUmsThread(VOID);

/* Reads UmsThreadUserContext or UmsThreadTeb (pointer), UmsThreadIsSuspended or
 * UmsThreadIsTerminated (BOOLEAN). The length must be exactly that of the class. ReturnLength may
 * be NULL; it reads 0 after a failure. Any thread, any state of the target. FALSE: 50 any other
 * class, 24 wrong length, 87 NULL or no context. */
UMSSHIM_API BOOL WINAPI QueryUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                                  UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                                  PVOID UmsThreadInformation,
                                                  ULONG UmsThreadInformationLength,
                                                  PULONG ReturnLength);

/* Sets UmsThreadUserContext, the only class that can be set. It may be set before the thread is
 * created, and on a scheduler's own context. Any thread. FALSE: 50 any other class, 24 wrong
 * length, 87 NULL or no context. */
UMSSHIM_API BOOL WINAPI SetUmsThreadInformation(PUMS_CONTEXT UmsThread,
                                                UMS_THREAD_INFO_CLASS UmsThreadInfoClass,
                                                PVOID UmsThreadInformation,
                                                ULONG UmsThreadInformationLength);

/* Tells whether a thread is a scheduler (1), a worker (2) or neither (0). Any thread.
 * FALSE: 87 wrong version or NULL, 6 not a thread handle, 5 a handle without the right
 * (Windows). */
UMSSHIM_API BOOL WINAPI
GetUmsSystemThreadInformation(HANDLE ThreadHandle, PUMS_SYSTEM_THREAD_INFORMATION SystemThreadInfo);

#ifdef __cplusplus
}
#endif

#ifdef UMSSHIM_BUILDING
#pragma GCC diagnostic pop
#endif

#endif
