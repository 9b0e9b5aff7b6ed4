/* SPDX-License-Identifier: MIT
 *
 * com_memory.c - the calls of ole32 that need no COM: identifiers, and its allocator, which is
 * malloc here.
 */
#include <stdio.h>
#include <stdlib.h>

#include "winapi/linux/text.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <objbase.h>
#include <rpc.h>
#pragma GCC visibility pop

LPVOID WINAPI CoTaskMemAlloc(SIZE_T size)
{
    return malloc(size ? size : 1);
}

LPVOID WINAPI CoTaskMemRealloc(LPVOID ptr, SIZE_T size)
{
    if (ptr && !size) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, size ? size : 1);
}

void WINAPI CoTaskMemFree(LPVOID ptr)
{
    free(ptr);
}

HRESULT WINAPI CoCreateGuid(GUID *pguid)
{
    if (!pguid)
        return E_INVALIDARG;
    return HRESULT_FROM_WIN32((DWORD)UuidCreate(pguid));
}

INT WINAPI StringFromGUID2(REFGUID id, LPOLESTR str, INT cmax)
{
    char text[40];
    const unsigned char *rest = id->Data4;
    int length = snprintf(text, sizeof text, "{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}",
                          (unsigned)id->Data1, id->Data2, id->Data3, rest[0], rest[1], rest[2],
                          rest[3], rest[4], rest[5], rest[6], rest[7]);
    if (cmax <= length)
        return 0;
    for (int i = 0; i <= length; i++)
        str[i] = (WCHAR)text[i];
    return length + 1;
}
