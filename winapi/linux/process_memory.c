/* SPDX-License-Identifier: MIT
 *
 * process_memory.c - ReadProcessMemory, VirtualAllocEx and other calls for another process's
 * memory. Here they only take this process.
 */
#include "platform/linux/os/copy.h"
#include "winapi/linux/address_space.h"

static bool is_us(HANDLE process)
{
    return win__this_process(process) || win__fail(ERROR_INVALID_HANDLE);
}

LPVOID WINAPI VirtualAllocEx(HANDLE hProcess, LPVOID lpAddress, SIZE_T dwSize,
                             DWORD flAllocationType, DWORD flProtect)
{
    return is_us(hProcess) ? VirtualAlloc(lpAddress, dwSize, flAllocationType, flProtect) : NULL;
}

BOOL WINAPI VirtualFreeEx(HANDLE hProcess, LPVOID lpAddress, SIZE_T dwSize, DWORD dwFreeType)
{
    return is_us(hProcess) ? VirtualFree(lpAddress, dwSize, dwFreeType) : FALSE;
}

BOOL WINAPI VirtualProtectEx(HANDLE hProcess, LPVOID lpAddress, SIZE_T dwSize, DWORD flNewProtect,
                             DWORD *lpflOldProtect)
{
    return is_us(hProcess) ? VirtualProtect(lpAddress, dwSize, flNewProtect, lpflOldProtect)
                           : FALSE;
}

SIZE_T WINAPI VirtualQueryEx(HANDLE hProcess, LPCVOID lpAddress, PMEMORY_BASIC_INFORMATION lpBuffer,
                             SIZE_T dwLength)
{
    return is_us(hProcess) ? VirtualQuery(lpAddress, lpBuffer, dwLength) : 0;
}

/* Copies page by page of `pages`, the side that may be inaccessible. Returns the number of
 * bytes. */
static SIZE_T copy_pages(int (*copy)(void *, const void *, size_t), char *to, const char *from,
                         const char *pages, SIZE_T bytes)
{
    SIZE_T done = 0;
    while (done < bytes) {
        SIZE_T rest = PAGE_BYTES - ((uintptr_t)pages + done) % PAGE_BYTES;
        SIZE_T part = rest < bytes - done ? rest : bytes - done;
        if (copy(to + done, from + done, part))
            break;
        done += part;
    }
    return done;
}

BOOL WINAPI ReadProcessMemory(HANDLE hProcess, LPCVOID lpBaseAddress, LPVOID lpBuffer, SIZE_T nSize,
                              SIZE_T *lpNumberOfBytesRead)
{
    if (!is_us(hProcess))
        return FALSE;
    SIZE_T done = copy_pages(copy_in, lpBuffer, lpBaseAddress, lpBaseAddress, nSize);
    if (lpNumberOfBytesRead)
        *lpNumberOfBytesRead = done;
    return done == nSize ? TRUE : win__fail(ERROR_PARTIAL_COPY);
}

/* Writes nothing to pages that are not writable. */
BOOL WINAPI WriteProcessMemory(HANDLE hProcess, LPVOID lpBaseAddress, LPCVOID lpBuffer,
                               SIZE_T nSize, SIZE_T *lpNumberOfBytesWritten)
{
    if (!is_us(hProcess))
        return FALSE;
    SIZE_T done = copy_pages(copy_out, lpBaseAddress, lpBuffer, lpBaseAddress, nSize);
    if (lpNumberOfBytesWritten)
        *lpNumberOfBytesWritten = done;
    return done == nSize ? TRUE : win__fail(done ? ERROR_PARTIAL_COPY : ERROR_NOACCESS);
}
