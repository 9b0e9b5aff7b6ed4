/* SPDX-License-Identifier: MIT
 *
 * modules.c - the two modules there are: the program, and this library under the names of the
 * system libraries whose calls it has.
 *
 * GetProcAddress finds what umsshim.map exports and Win32 knows: names that begin with a capital.
 * So a program that looks the UMS calls up in kernel32 finds them, and never libc's functions.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "winapi/linux/text.h"

static const char program_module, system_module;

static HMODULE const program = (HMODULE)&program_module;
static HMODULE const ours = (HMODULE)&system_module;

static bool is_system_name(const char *name)
{
    static const char *const names[] = {"kernel32", "kernelbase", "ntdll"};
    static const char api_set[] = "api-ms-win-core-";
    size_t length = strlen(name);
    if (length > 4 && !strcasecmp(name + length - 4, ".dll"))
        length -= 4;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncasecmp(name, names[i], length))
            return true;
    return length >= sizeof api_set && !strncasecmp(name, api_set, sizeof api_set - 1);
}

static HMODULE find_module(const char *name)
{
    const char *last = strrchr(name, '\\');
    if (is_system_name(last ? last + 1 : name))
        return ours;
    win__fail(ERROR_MOD_NOT_FOUND);
    return NULL;
}

static HMODULE find_module_wide(const WCHAR *name)
{
    char *narrow = win__narrow(name, win__wide_length(name), NULL);
    HMODULE module = narrow ? find_module(narrow) : NULL;
    if (!narrow)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    free(narrow);
    return module;
}

HMODULE WINAPI GetModuleHandleA(LPCSTR lpModuleName)
{
    return lpModuleName ? find_module(lpModuleName) : program;
}

HMODULE WINAPI GetModuleHandleW(LPCWSTR lpModuleName)
{
    return lpModuleName ? find_module_wide(lpModuleName) : program;
}

HMODULE WINAPI LoadLibraryA(LPCSTR lpLibFileName)
{
    if (lpLibFileName)
        return find_module(lpLibFileName);
    win__fail(ERROR_INVALID_PARAMETER);
    return NULL;
}

HMODULE WINAPI LoadLibraryW(LPCWSTR lpLibFileName)
{
    if (lpLibFileName)
        return find_module_wide(lpLibFileName);
    win__fail(ERROR_INVALID_PARAMETER);
    return NULL;
}

/* Neither module ever goes. */
BOOL WINAPI FreeLibrary(HMODULE hLibModule)
{
    if (hLibModule == ours || hLibModule == program)
        return TRUE;
    return win__fail(hLibModule ? ERROR_MOD_NOT_FOUND : ERROR_INVALID_HANDLE);
}

VOID WINAPI FreeLibraryAndExitThread(HMODULE hLibModule, DWORD dwExitCode)
{
    FreeLibrary(hLibModule);
    ExitThread(dwExitCode);
}

/* Nothing is called in a module when threads begin and end. */
BOOL WINAPI DisableThreadLibraryCalls(HMODULE hLibModule)
{
    return FreeLibrary(hLibModule);
}

/* A handle on this library for dlsym. It is never unloaded (-z nodelete). */
static void *own_library(const char **path)
{
    Dl_info info;
    if (!dladdr(&system_module, &info))
        return NULL;
    *path = info.dli_fname;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* dlsym goes on to the libraries that ours needs: look where the symbol lies. */
static void *own_symbol(const char *name)
{
    Dl_info symbol, self;
    const char *path;
    void *library = own_library(&path);
    void *address = library ? dlsym(library, name) : NULL;
    if (library)
        dlclose(library);
    if (!address || !dladdr(address, &symbol) || !dladdr(&system_module, &self))
        return NULL;
    return symbol.dli_fbase == self.dli_fbase ? address : NULL;
}

FARPROC WINAPI GetProcAddress(HMODULE hModule, LPCSTR lpProcName)
{
    void *address = NULL;
    if (hModule && hModule != ours && hModule != program) {
        win__fail(ERROR_MOD_NOT_FOUND);
    } else if ((uintptr_t)lpProcName < 0x10000) {
        win__fail(lpProcName ? ERROR_INVALID_ORDINAL : ERROR_INVALID_PARAMETER);
    } else {
        bool exported = hModule != ours || (*lpProcName >= 'A' && *lpProcName <= 'Z');
        if (exported)
            address = hModule == ours ? own_symbol(lpProcName) : dlsym(RTLD_DEFAULT, lpProcName);
        if (!address)
            win__fail(ERROR_PROC_NOT_FOUND);
    }
    return (FARPROC)address;
}

DWORD WINAPI GetModuleFileNameA(HMODULE hModule, LPSTR lpFilename, DWORD nSize)
{
    char path[4096] = "";
    const char *text = path;
    if (hModule == ours) {
        void *library = own_library(&text);
        if (library)
            dlclose(library);
    } else if (!hModule || hModule == program) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = 0;
    } else {
        win__fail(ERROR_MOD_NOT_FOUND);
        return 0;
    }
    size_t length = strlen(text), given = length < nSize ? length : nSize ? nSize - 1 : 0;
    if (nSize) {
        memcpy(lpFilename, text, given);
        lpFilename[given] = 0;
    }
    plat_set_last_error(length < nSize ? ERROR_SUCCESS : ERROR_INSUFFICIENT_BUFFER);
    return length < nSize ? (DWORD)length : nSize;
}
