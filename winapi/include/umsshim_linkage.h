/* SPDX-License-Identifier: MIT
 *
 * umsshim_linkage.h - how the functions of umsshim.h are linked. Included by umsshim.h alone.
 *
 * On Windows kernel32's import library has all these names too, for functions that fail. So this
 * header gives the functions symbols that only umsshim's import library has: then the order of
 * libraries does not matter. The program's import table has umsshim.dll and the usual names. The
 * header declares the four functions around worker creation once more, because the system's headers
 * have declared them by their old symbols.
 */
#ifndef UMSSHIM_LINKAGE_H
#define UMSSHIM_LINKAGE_H

#if defined(_WIN32) && defined(UMSSHIM_BUILDING)
#define UMSSHIM_API /* the DLL itself, which defines the functions */
#else
#define UMSSHIM_API WINBASEAPI
#endif

#if defined(_WIN32) && !defined(UMSSHIM_BUILDING)
#define CreateUmsCompletionList umsshim_CreateUmsCompletionList
#define CreateUmsThreadContext umsshim_CreateUmsThreadContext
#define DeleteUmsCompletionList umsshim_DeleteUmsCompletionList
#define DeleteUmsThreadContext umsshim_DeleteUmsThreadContext
#define DequeueUmsCompletionListItems umsshim_DequeueUmsCompletionListItems
#define EnterUmsSchedulingMode umsshim_EnterUmsSchedulingMode
#define ExecuteUmsThread umsshim_ExecuteUmsThread
#define GetCurrentUmsThread umsshim_GetCurrentUmsThread
#define GetNextUmsListItem umsshim_GetNextUmsListItem
#define GetUmsCompletionListEvent umsshim_GetUmsCompletionListEvent
#define GetUmsSystemThreadInformation umsshim_GetUmsSystemThreadInformation
#define QueryUmsThreadInformation umsshim_QueryUmsThreadInformation
#define SetUmsThreadInformation umsshim_SetUmsThreadInformation
#define UmsThreadYield umsshim_UmsThreadYield
#define CreateRemoteThreadEx umsshim_CreateRemoteThreadEx
#define DeleteProcThreadAttributeList umsshim_DeleteProcThreadAttributeList
#define InitializeProcThreadAttributeList umsshim_InitializeProcThreadAttributeList
#define UpdateProcThreadAttribute umsshim_UpdateProcThreadAttribute

#ifdef __cplusplus
extern "C" {
#endif
WINBASEAPI BOOL WINAPI InitializeProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST, DWORD, DWORD,
                                                         PSIZE_T);
WINBASEAPI BOOL WINAPI UpdateProcThreadAttribute(LPPROC_THREAD_ATTRIBUTE_LIST, DWORD, DWORD_PTR,
                                                 PVOID, SIZE_T, PVOID, PSIZE_T);
WINBASEAPI VOID WINAPI DeleteProcThreadAttributeList(LPPROC_THREAD_ATTRIBUTE_LIST);
WINBASEAPI HANDLE WINAPI CreateRemoteThreadEx(HANDLE, LPSECURITY_ATTRIBUTES, SIZE_T,
                                              LPTHREAD_START_ROUTINE, LPVOID, DWORD,
                                              LPPROC_THREAD_ATTRIBUTE_LIST, LPDWORD);
#ifdef __cplusplus
}
#endif
#endif

#endif
