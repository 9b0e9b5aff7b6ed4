/* SPDX-License-Identifier: MIT
 *
 * ums_names.h - IMPORTED(name) for each UMS function that Wine's kernel32 exports, as well. No guard: it is
 * included with different meanings.
 */
IMPORTED(CreateUmsCompletionList)
IMPORTED(CreateUmsThreadContext)
IMPORTED(DeleteUmsCompletionList)
IMPORTED(DeleteUmsThreadContext)
IMPORTED(DequeueUmsCompletionListItems)
IMPORTED(EnterUmsSchedulingMode)
IMPORTED(ExecuteUmsThread)
IMPORTED(GetCurrentUmsThread)
IMPORTED(GetNextUmsListItem)
IMPORTED(GetUmsCompletionListEvent)
IMPORTED(QueryUmsThreadInformation)
IMPORTED(SetUmsThreadInformation)
IMPORTED(UmsThreadYield)
IMPORTED(CreateRemoteThreadEx)
IMPORTED(Sleep)
