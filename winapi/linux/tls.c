/* SPDX-License-Identifier: MIT
 *
 * tls.c - TlsAlloc and its kin, over the slots.
 */
#include "winapi/linux/slots.h"

DWORD WINAPI TlsAlloc(VOID)
{
    DWORD index = slot_alloc(SLOTS_TLS, NULL);
    if (index == TLS_OUT_OF_INDEXES)
        win__fail(ERROR_NO_MORE_ITEMS);
    return index;
}

BOOL WINAPI TlsFree(DWORD dwTlsIndex)
{
    return slot_free(SLOTS_TLS, dwTlsIndex) ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

PVOID WINAPI TlsGetValue(DWORD dwTlsIndex)
{
    /* NULL may be a value: success says so in the last error. */
    void *value;
    plat_set_last_error(slot_get(SLOTS_TLS, dwTlsIndex, &value) ? ERROR_SUCCESS
                                                                : ERROR_INVALID_PARAMETER);
    return value;
}

/* The same, but for the last error, which success leaves alone. */
PVOID WINAPI TlsGetValue2(DWORD dwTlsIndex)
{
    void *value;
    if (!slot_get(SLOTS_TLS, dwTlsIndex, &value))
        plat_set_last_error(ERROR_INVALID_PARAMETER);
    return value;
}

BOOL WINAPI TlsSetValue(DWORD dwTlsIndex, PVOID lpTlsValue)
{
    DWORD error = slot_set(SLOTS_TLS, dwTlsIndex, lpTlsValue);
    return error ? win__fail(error) : TRUE;
}
