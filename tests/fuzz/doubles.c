/* SPDX-License-Identifier: MIT
 *
 * doubles.c - what stands in for the neighbours of the files that are tried: memory is the heap's,
 * the program is at one place, and nothing is logged.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/surface.h"

__thread struct plat_tls plat_tls;

static const char program[] = "/opt/program";

void plat_log(const char *format, ...)
{
    (void)format;
}

HLOCAL WINAPI LocalAlloc(UINT uFlags, SIZE_T uBytes)
{
    return uFlags & LMEM_ZEROINIT ? calloc(1, uBytes) : malloc(uBytes);
}

HLOCAL WINAPI LocalFree(HLOCAL hMem)
{
    free(hMem);
    return NULL;
}

DWORD WINAPI GetFileAttributesA(LPCSTR lpFileName)
{
    (void)lpFileName;
    return INVALID_FILE_ATTRIBUTES;
}

DWORD WINAPI GetFileAttributesW(LPCWSTR lpFileName)
{
    (void)lpFileName;
    return INVALID_FILE_ATTRIBUTES;
}

BOOL WINAPI SetEnvironmentVariableA(LPCSTR lpName, LPCSTR lpValue)
{
    (void)lpName, (void)lpValue;
    return FALSE;
}

LPSTR WINAPI GetCommandLineA(VOID)
{
    return NULL;
}

DWORD WINAPI GetModuleFileNameA(HMODULE hModule, LPSTR lpFilename, DWORD nSize)
{
    (void)hModule;
    if (nSize < sizeof program)
        return 0;
    memcpy(lpFilename, program, sizeof program);
    return sizeof program - 1;
}

DWORD WINAPI GetModuleFileNameW(HMODULE hModule, LPWSTR lpFilename, DWORD nSize)
{
    (void)hModule;
    if (nSize < sizeof program)
        return 0;
    for (size_t i = 0; i < sizeof program; i++)
        lpFilename[i] = (WCHAR)program[i];
    return sizeof program - 1;
}
