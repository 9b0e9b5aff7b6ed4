/* SPDX-License-Identifier: MIT
 *
 * process_enum.c - <psapi.h>'s calls that list the machine's processes and this process's modules.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/child_process.h"
#include "winapi/linux/module_list.h"
#include "winapi/linux/process_counters.h"
#include "winapi/linux/process_list.h"
#include "winapi/linux/psapi_names.h"
#include "winapi/linux/text.h"

/* ---- Processes ------------------------------------------------------------------------------- */

BOOL WINAPI K32EnumProcesses(DWORD *lpidProcess, DWORD cb, DWORD *lpcbNeeded)
{
    struct process_list list;
    if (!lpcbNeeded || (cb && !lpidProcess))
        return win__fail(ERROR_NOACCESS);
    if (!process_list_read(&list))
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    DWORD room = cb / sizeof *lpidProcess;
    DWORD count = list.count < room ? (DWORD)list.count : room;
    for (DWORD i = 0; i < count; i++)
        lpidProcess[i] = (DWORD)list.entries[i].pid;
    free(list.entries);
    *lpcbNeeded = count * (DWORD)sizeof *lpidProcess;
    return TRUE;
}
PSAPI_NAME(BOOL, EnumProcesses, DWORD *, DWORD, DWORD *);

/* Every process is in session 0. */
BOOL WINAPI ProcessIdToSessionId(DWORD dwProcessId, DWORD *pSessionId)
{
    struct process_entry entry;
    if (!pSessionId)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!process_entry_read((pid_t)dwProcessId, &entry))
        return win__fail(ERROR_INVALID_PARAMETER);
    *pSessionId = 0;
    return TRUE;
}

/* The path is the system's, as everywhere here. */
DWORD WINAPI K32GetProcessImageFileNameA(HANDLE hProcess, LPSTR lpImageFileName, DWORD nSize)
{
    DWORD size = nSize;
    return QueryFullProcessImageNameA(hProcess, 0, lpImageFileName, &size) ? size : 0;
}
PSAPI_NAME(DWORD, GetProcessImageFileNameA, HANDLE, LPSTR, DWORD);

DWORD WINAPI K32GetProcessImageFileNameW(HANDLE hProcess, LPWSTR lpImageFileName, DWORD nSize)
{
    DWORD size = nSize;
    return QueryFullProcessImageNameW(hProcess, 0, lpImageFileName, &size) ? size : 0;
}
PSAPI_NAME(DWORD, GetProcessImageFileNameW, HANDLE, LPWSTR, DWORD);

/* ---- Modules --------------------------------------------------------------------------------- */

/* The modules of this process. For another process ERROR_ACCESS_DENIED, as its memory cannot be
 * read. */
static bool modules_of(HANDLE process, struct module_entries *modules)
{
    struct child_process *other = child_of(process);
    if (other) {
        object_drop(&other->object);
        return win__fail(ERROR_ACCESS_DENIED);
    }
    if (!win__this_process(process))
        return win__fail(ERROR_INVALID_HANDLE);
    return win__modules(modules) || win__fail(ERROR_NOT_ENOUGH_MEMORY);
}

BOOL WINAPI K32EnumProcessModules(HANDLE hProcess, HMODULE *lphModule, DWORD cb, LPDWORD lpcbNeeded)
{
    struct module_entries modules;
    if (!lpcbNeeded || (cb && !lphModule))
        return win__fail(ERROR_NOACCESS);
    if (!modules_of(hProcess, &modules))
        return FALSE;
    DWORD room = cb / sizeof(void *);
    for (size_t i = 0; i < modules.count && i < room; i++)
        lphModule[i] = modules.entries[i].handle;
    *lpcbNeeded = (DWORD)(modules.count * sizeof(void *));
    free(modules.entries);
    return TRUE;
}
PSAPI_NAME(BOOL, EnumProcessModules, HANDLE, HMODULE *, DWORD, LPDWORD);

/* With LIST_MODULES_32BIT alone the list is empty: there are no 32-bit modules. */
BOOL WINAPI K32EnumProcessModulesEx(HANDLE hProcess, HMODULE *lphModule, DWORD cb,
                                    LPDWORD lpcbNeeded, DWORD dwFilterFlag)
{
    if (dwFilterFlag & ~(DWORD)LIST_MODULES_ALL)
        return win__fail(ERROR_INVALID_PARAMETER);
    if (dwFilterFlag != LIST_MODULES_32BIT)
        return K32EnumProcessModules(hProcess, lphModule, cb, lpcbNeeded);
    return K32EnumProcessModules(hProcess, NULL, 0, lpcbNeeded) && (*lpcbNeeded = 0, TRUE);
}
PSAPI_NAME(BOOL, EnumProcessModulesEx, HANDLE, HMODULE *, DWORD, LPDWORD, DWORD);

/* Finds the module with this handle in the process. NULL: the program. */
static bool find_module(HANDLE process, HMODULE handle, struct module_entry *found)
{
    struct module_entries modules;
    if (!modules_of(process, &modules))
        return false;
    size_t at = 0;
    while (handle && at < modules.count && modules.entries[at].handle != handle)
        at++;
    bool known = at < modules.count;
    if (known)
        *found = modules.entries[at];
    free(modules.entries);
    return known || win__fail(ERROR_INVALID_HANDLE);
}

BOOL WINAPI K32GetModuleInformation(HANDLE hProcess, HMODULE hModule, LPMODULEINFO lpmodinfo,
                                    DWORD cb)
{
    struct module_entry module;
    if (cb < sizeof *lpmodinfo)
        return win__fail(ERROR_INSUFFICIENT_BUFFER);
    if (!find_module(hProcess, hModule, &module))
        return FALSE;
    *lpmodinfo = (MODULEINFO){.lpBaseOfDll = (void *)module.base,
                              .SizeOfImage = (DWORD)module.size,
                              .EntryPoint = module.entry};
    return TRUE;
}
PSAPI_NAME(BOOL, GetModuleInformation, HANDLE, HMODULE, LPMODULEINFO, DWORD);

/* Copies a text, and returns its length. If it does not fit, it is cut, and the size is
 * returned. */
static DWORD give(const char *text, char *buffer, DWORD size)
{
    size_t length = strlen(text), given = length < size ? length : size ? size - 1 : 0;
    if (!size || !buffer)
        return (DWORD)win__fail(ERROR_INSUFFICIENT_BUFFER);
    memcpy(buffer, text, given);
    buffer[given] = 0;
    if (given < length)
        win__fail(ERROR_INSUFFICIENT_BUFFER);
    return given < length ? size : (DWORD)length;
}

static DWORD give_w(const char *text, WCHAR *buffer, DWORD size)
{
    SIZE_T length;
    if (!size || !buffer)
        return (DWORD)win__fail(ERROR_INSUFFICIENT_BUFFER);
    WCHAR *wide = win__widen(text, strlen(text), &length);
    if (!wide)
        return (DWORD)win__fail(ERROR_NOT_ENOUGH_MEMORY);
    SIZE_T given = length < size ? length : size - 1;
    memcpy(buffer, wide, given * sizeof *wide);
    buffer[given] = 0;
    free(wide);
    if (given < length)
        win__fail(ERROR_INSUFFICIENT_BUFFER);
    return given < length ? size : (DWORD)length;
}

DWORD WINAPI K32GetModuleBaseNameA(HANDLE hProcess, HMODULE hModule, LPSTR lpBaseName, DWORD nSize)
{
    struct module_entry module;
    bool known = find_module(hProcess, hModule, &module);
    return known ? give(win__base_name(module.path), lpBaseName, nSize) : 0;
}
PSAPI_NAME(DWORD, GetModuleBaseNameA, HANDLE, HMODULE, LPSTR, DWORD);

DWORD WINAPI K32GetModuleBaseNameW(HANDLE hProcess, HMODULE hModule, LPWSTR lpBaseName, DWORD nSize)
{
    struct module_entry module;
    bool known = find_module(hProcess, hModule, &module);
    return known ? give_w(win__base_name(module.path), lpBaseName, nSize) : 0;
}
PSAPI_NAME(DWORD, GetModuleBaseNameW, HANDLE, HMODULE, LPWSTR, DWORD);

DWORD WINAPI K32GetModuleFileNameExA(HANDLE hProcess, HMODULE hModule, LPSTR lpFilename,
                                     DWORD nSize)
{
    struct module_entry module;
    return find_module(hProcess, hModule, &module) ? give(module.path, lpFilename, nSize) : 0;
}
PSAPI_NAME(DWORD, GetModuleFileNameExA, HANDLE, HMODULE, LPSTR, DWORD);

DWORD WINAPI K32GetModuleFileNameExW(HANDLE hProcess, HMODULE hModule, LPWSTR lpFilename,
                                     DWORD nSize)
{
    struct module_entry module;
    return find_module(hProcess, hModule, &module) ? give_w(module.path, lpFilename, nSize) : 0;
}
PSAPI_NAME(DWORD, GetModuleFileNameExW, HANDLE, HMODULE, LPWSTR, DWORD);
