/* SPDX-License-Identifier: MIT
 *
 * resource.c - a module on Linux has no resources. The calls fail as on Windows for a module
 * without any.
 */
#include "winapi/linux/surface.h"

HRSRC WINAPI FindResourceExA(HMODULE hModule, LPCSTR type, LPCSTR name, WORD lang)
{
    (void)hModule, (void)type, (void)name, (void)lang;
    win__fail(ERROR_RESOURCE_DATA_NOT_FOUND);
    return NULL;
}

HRSRC WINAPI FindResourceExW(HMODULE hModule, LPCWSTR type, LPCWSTR name, WORD lang)
{
    (void)hModule, (void)type, (void)name, (void)lang;
    win__fail(ERROR_RESOURCE_DATA_NOT_FOUND);
    return NULL;
}

HRSRC WINAPI FindResourceA(HMODULE hModule, LPCSTR name, LPCSTR type)
{
    return FindResourceExA(hModule, type, name, 0);
}

HRSRC WINAPI FindResourceW(HMODULE hModule, LPCWSTR name, LPCWSTR type)
{
    return FindResourceExW(hModule, type, name, 0);
}

/* The argument of the following calls is FindResource's result: NULL. */
HGLOBAL WINAPI LoadResource(HMODULE hModule, HRSRC hRsrc)
{
    (void)hModule;
    if (hRsrc)
        win__fail(ERROR_RESOURCE_DATA_NOT_FOUND);
    return NULL;
}

LPVOID WINAPI LockResource(HGLOBAL handle)
{
    (void)handle;
    return NULL;
}

DWORD WINAPI SizeofResource(HMODULE hModule, HRSRC hRsrc)
{
    (void)hModule;
    return hRsrc ? (DWORD)win__fail(ERROR_RESOURCE_DATA_NOT_FOUND) : 0;
}

INT WINAPI LoadStringA(HINSTANCE instance, UINT resource_id, LPSTR buffer, INT buflen)
{
    (void)instance, (void)resource_id;
    if (buffer && buflen > 0)
        *buffer = 0;
    return win__fail(ERROR_RESOURCE_DATA_NOT_FOUND);
}

INT WINAPI LoadStringW(HINSTANCE instance, UINT resource_id, LPWSTR buffer, INT buflen)
{
    (void)instance, (void)resource_id;
    if (buffer && buflen > 0)
        *buffer = 0;
    return win__fail(ERROR_RESOURCE_DATA_NOT_FOUND);
}
