/* SPDX-License-Identifier: MIT
 *
 * tls.c - TlsAlloc and its kin, by slots.h.
 */
#include "winapi/linux/slots.h"

DWORD WINAPI TlsAlloc(VOID)
{
    return slot_alloc(SLOTS_TLS, NULL);
}

BOOL WINAPI TlsFree(DWORD dwTlsIndex)
{
    return slot_free(SLOTS_TLS, dwTlsIndex);
}

PVOID WINAPI TlsGetValue(DWORD dwTlsIndex)
{
    return slot_value(SLOTS_TLS, dwTlsIndex);
}

/* Like TlsGetValue, but success leaves the last error as it is. */
PVOID WINAPI TlsGetValue2(DWORD dwTlsIndex)
{
    void *value;
    if (!slot_get(SLOTS_TLS, dwTlsIndex, &value))
        plat_set_last_error(ERROR_INVALID_PARAMETER);
    return value;
}

BOOL WINAPI TlsSetValue(DWORD dwTlsIndex, PVOID lpTlsValue)
{
    return slot_set(SLOTS_TLS, dwTlsIndex, lpTlsValue);
}
