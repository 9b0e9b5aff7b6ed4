/* SPDX-License-Identifier: MIT
 *
 * calls.h - the calls under test, by way of a table that the provider fills.
 *
 * After this header ExecuteUmsThread and its kin are members of that table, whatever the linker
 * would have made of the names; so the clauses read as any UMS program does. The one file that
 * wants the linked functions (linked.c) defines CALLS_AS_LINKED first.
 */
#ifndef UMSSHIM_TESTS_CONFORMANCE_CALLS_H
#define UMSSHIM_TESTS_CONFORMANCE_CALLS_H

#include <windows.h>

#include <stdbool.h>

#include "../support/ums_calls.h"

/* The four that create a worker. */
#define CREATION_CALLS(X)                                                                          \
    X(BOOL, InitializeProcThreadAttributeList,                                                     \
      (LPPROC_THREAD_ATTRIBUTE_LIST, DWORD, DWORD, PSIZE_T))                                       \
    X(BOOL, UpdateProcThreadAttribute,                                                             \
      (LPPROC_THREAD_ATTRIBUTE_LIST, DWORD, DWORD_PTR, PVOID, SIZE_T, PVOID, PSIZE_T))             \
    X(VOID, DeleteProcThreadAttributeList, (LPPROC_THREAD_ATTRIBUTE_LIST))                         \
    X(HANDLE, CreateRemoteThreadEx,                                                                \
      (HANDLE, LPSECURITY_ATTRIBUTES, SIZE_T, LPTHREAD_START_ROUTINE, LPVOID, DWORD,               \
       LPPROC_THREAD_ATTRIBUTE_LIST, LPDWORD))

#define CALLS_MEMBER(result, name, arguments) result(WINAPI *p_##name) arguments;
struct calls {
    UMS_CALLS(CALLS_MEMBER)
    CREATION_CALLS(CALLS_MEMBER)
};
#undef CALLS_MEMBER

extern struct calls calls;
extern const char *calls_provider; /* its name, for the head of a report */

/* Fills the table. "linked" is what the program was linked with, if it was; any other name is a
 * module that LoadLibrary knows. False: it said on stderr what is missing. */
bool calls_load(const char *provider);
const char *calls_default_provider(void);
/* linked.c, or its stand-in in a program that is linked with none. */
bool calls_from_linker(struct calls *table);

#ifndef CALLS_AS_LINKED
#undef CreateUmsCompletionList
#undef CreateUmsThreadContext
#undef DeleteUmsCompletionList
#undef DeleteUmsThreadContext
#undef DequeueUmsCompletionListItems
#undef EnterUmsSchedulingMode
#undef ExecuteUmsThread
#undef GetCurrentUmsThread
#undef GetNextUmsListItem
#undef GetUmsCompletionListEvent
#undef GetUmsSystemThreadInformation
#undef QueryUmsThreadInformation
#undef SetUmsThreadInformation
#undef UmsThreadYield
#undef InitializeProcThreadAttributeList
#undef UpdateProcThreadAttribute
#undef DeleteProcThreadAttributeList
#undef CreateRemoteThreadEx
#define CreateUmsCompletionList calls.p_CreateUmsCompletionList
#define CreateUmsThreadContext calls.p_CreateUmsThreadContext
#define DeleteUmsCompletionList calls.p_DeleteUmsCompletionList
#define DeleteUmsThreadContext calls.p_DeleteUmsThreadContext
#define DequeueUmsCompletionListItems calls.p_DequeueUmsCompletionListItems
#define EnterUmsSchedulingMode calls.p_EnterUmsSchedulingMode
#define ExecuteUmsThread calls.p_ExecuteUmsThread
#define GetCurrentUmsThread calls.p_GetCurrentUmsThread
#define GetNextUmsListItem calls.p_GetNextUmsListItem
#define GetUmsCompletionListEvent calls.p_GetUmsCompletionListEvent
#define GetUmsSystemThreadInformation calls.p_GetUmsSystemThreadInformation
#define QueryUmsThreadInformation calls.p_QueryUmsThreadInformation
#define SetUmsThreadInformation calls.p_SetUmsThreadInformation
#define UmsThreadYield calls.p_UmsThreadYield
#define InitializeProcThreadAttributeList calls.p_InitializeProcThreadAttributeList
#define UpdateProcThreadAttribute calls.p_UpdateProcThreadAttribute
#define DeleteProcThreadAttributeList calls.p_DeleteProcThreadAttributeList
#define CreateRemoteThreadEx calls.p_CreateRemoteThreadEx
#endif

#endif
