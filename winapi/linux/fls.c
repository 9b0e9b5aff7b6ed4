/* SPDX-License-Identifier: MIT
 *
 * fls.c - FlsAlloc and its kin, over the slots. Each fiber has a set of values; a thread that is
 * none, too.
 */
#include "winapi/linux/slots.h"

DWORD WINAPI FlsAlloc(PFLS_CALLBACK_FUNCTION lpCallback)
{
    DWORD index = slot_alloc(SLOTS_FLS, lpCallback);
    if (index == FLS_OUT_OF_INDEXES)
        win__fail(ERROR_NO_MORE_ITEMS);
    return index;
}

BOOL WINAPI FlsFree(DWORD dwFlsIndex)
{
    return slot_free(SLOTS_FLS, dwFlsIndex) ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

PVOID WINAPI FlsGetValue(DWORD dwFlsIndex)
{
    void *value;
    plat_set_last_error(slot_get(SLOTS_FLS, dwFlsIndex, &value) ? ERROR_SUCCESS
                                                                : ERROR_INVALID_PARAMETER);
    return value;
}

BOOL WINAPI FlsSetValue(DWORD dwFlsIndex, PVOID lpFlsData)
{
    DWORD error = slot_set(SLOTS_FLS, dwFlsIndex, lpFlsData);
    return error ? win__fail(error) : TRUE;
}
