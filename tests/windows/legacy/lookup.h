/* SPDX-License-Identifier: MIT
 *
 * lookup.h - makes a source find the UMS functions by GetProcAddress on kernel32, as the Concurrency
 * Runtime does: put before it by the compiler's -include.
 */
#ifndef UMSSHIM_TESTS_WINDOWS_LEGACY_LOOKUP_H
#define UMSSHIM_TESTS_WINDOWS_LEGACY_LOOKUP_H

#include <windows.h>

#define FOUND(name)                                                                                \
    (*(__typeof__(&name))(void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), #name))

#define CreateUmsCompletionList FOUND(CreateUmsCompletionList)
#define CreateUmsThreadContext FOUND(CreateUmsThreadContext)
#define DeleteUmsCompletionList FOUND(DeleteUmsCompletionList)
#define DeleteUmsThreadContext FOUND(DeleteUmsThreadContext)
#define DequeueUmsCompletionListItems FOUND(DequeueUmsCompletionListItems)
#define EnterUmsSchedulingMode FOUND(EnterUmsSchedulingMode)
#define ExecuteUmsThread FOUND(ExecuteUmsThread)
#define GetNextUmsListItem FOUND(GetNextUmsListItem)
#define QueryUmsThreadInformation FOUND(QueryUmsThreadInformation)
#define UmsThreadYield FOUND(UmsThreadYield)
#define CreateRemoteThreadEx FOUND(CreateRemoteThreadEx)
#define DeleteProcThreadAttributeList FOUND(DeleteProcThreadAttributeList)
#define InitializeProcThreadAttributeList FOUND(InitializeProcThreadAttributeList)
#define UpdateProcThreadAttribute FOUND(UpdateProcThreadAttribute)

#endif
