/* SPDX-License-Identifier: MIT
 *
 * late.c - a DLL that imports UMS functions from kernel32 and is loaded when umsshim.dll is there.
 */
#include <windows.h>

__declspec(dllexport) BOOL try_ums(void);

__declspec(dllexport) BOOL try_ums(void)
{
    PUMS_COMPLETION_LIST list;

    return CreateUmsCompletionList(&list) && DeleteUmsCompletionList(list);
}
