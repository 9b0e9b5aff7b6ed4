/* SPDX-License-Identifier: MIT
 *
 * fls.c - FlsAlloc and its kin, by slots.h. Each fiber has a set of values, and so has a thread
 * that is no fiber.
 */
#include "winapi/linux/slots.h"

DWORD WINAPI FlsAlloc(PFLS_CALLBACK_FUNCTION lpCallback)
{
    return slot_alloc(SLOTS_FLS, lpCallback);
}

BOOL WINAPI FlsFree(DWORD dwFlsIndex)
{
    return slot_free(SLOTS_FLS, dwFlsIndex);
}

PVOID WINAPI FlsGetValue(DWORD dwFlsIndex)
{
    return slot_value(SLOTS_FLS, dwFlsIndex);
}

BOOL WINAPI FlsSetValue(DWORD dwFlsIndex, PVOID lpFlsData)
{
    return slot_set(SLOTS_FLS, dwFlsIndex, lpFlsData);
}
