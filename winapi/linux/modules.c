/* SPDX-License-Identifier: MIT
 *
 * modules.c - the two modules: the program, and this library, which has the names of the system
 * libraries whose calls it has.
 *
 * GetProcAddress finds what umsshim.map exports and Win32 knows: names that begin with a capital,
 * and some families that do not. So a program that looks in kernel32 finds the UMS calls, but no
 * functions of libc.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "winapi/linux/drive.h"
#include "winapi/linux/path_steps.h"
#include "winapi/linux/text.h"

static const char program_module, system_module;

static HMODULE const program = (HMODULE)&program_module;
static HMODULE const ours = (HMODULE)&system_module;

static bool is_system_name(const char *name)
{
    static const char *const names[] = {"kernel32", "kernelbase", "ntdll", "user32",
                                        "advapi32", "shell32",    "winmm", "psapi"};
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
    if (is_system_name(win__last_step(name)))
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

/* Neither module is ever unloaded. */
BOOL WINAPI FreeLibrary(HMODULE hLibModule)
{
    if (hLibModule == ours || hLibModule == program)
        return TRUE;
    return win__fail(hLibModule ? ERROR_MOD_NOT_FOUND : ERROR_INVALID_HANDLE);
}

VOID WINAPI FreeLibraryAndExitThread(HINSTANCE hLibModule, DWORD dwExitCode)
{
    FreeLibrary(hLibModule);
    ExitThread(dwExitCode);
}

/* No call of a module's marks the begin or end of a thread on Linux, so there is nothing to
 * disable. */
BOOL WINAPI DisableThreadLibraryCalls(HMODULE hModule)
{
    if (hModule == ours || hModule == program)
        return TRUE;
    return win__fail(ERROR_MOD_NOT_FOUND);
}

/* A handle of this library for dlsym. The library is never unloaded (-z nodelete). */
static void *own_library(const char **path)
{
    Dl_info info;
    if (!dladdr(&system_module, &info))
        return NULL;
    *path = info.dli_fname;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* dlsym also searches the libraries that this one needs: accepts only a symbol that lies in this
 * one. */
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

static bool is_win32_name(const char *name)
{
    static const char *const families[] = {"lstr",      "wsprintf", "wvsprintf", "timeGet",
                                           "timeBegin", "timeEnd",  "timeSet",   "timeKill"};
    bool found = *name >= 'A' && *name <= 'Z';
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        found |= !strncmp(name, families[i], strlen(families[i]));
    return found;
}

FARPROC WINAPI GetProcAddress(HMODULE hModule, LPCSTR lpProcName)
{
    void *address = NULL;
    if (hModule && hModule != ours && hModule != program) {
        win__fail(ERROR_MOD_NOT_FOUND);
    } else if ((uintptr_t)lpProcName < 0x10000) {
        win__fail(lpProcName ? ERROR_INVALID_ORDINAL : ERROR_INVALID_PARAMETER);
    } else {
        bool exported = hModule != ours || is_win32_name(lpProcName);
        if (exported)
            address = hModule == ours ? own_symbol(lpProcName) : dlsym(RTLD_DEFAULT, lpProcName);
        if (!address)
            win__fail(ERROR_PROC_NOT_FOUND);
    }
    return (FARPROC)address;
}

/* The path of this library or of the program. NULL with the last error. */
static const char *path_of(HMODULE module, char *room, size_t size)
{
    const char *text = room;
    *room = 0;
    if (module == ours) {
        void *library = own_library(&text);
        if (library)
            dlclose(library);
        return text;
    }
    if (module && module != program) {
        win__fail(ERROR_MOD_NOT_FOUND);
        return NULL;
    }
    ssize_t length = readlink("/proc/self/exe", room, size - 1);
    room[length > 0 ? length : 0] = 0;
    return room;
}

/* The same as the program sees it, in malloc's memory. NULL with the last error. */
static char *shown_path_of(HMODULE module)
{
    char room[4096];
    const char *text = path_of(module, room, sizeof room);
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    return win__shown_path(copy, 0);
}

/* The return value of a call that gives a path: the buffer's size if the path was cut. */
static DWORD given_path(size_t length, DWORD size)
{
    plat_set_last_error(length < size ? ERROR_SUCCESS : ERROR_INSUFFICIENT_BUFFER);
    return length < size ? (DWORD)length : size;
}

DWORD WINAPI GetModuleFileNameA(HMODULE hModule, LPSTR lpFilename, DWORD nSize)
{
    char *text = shown_path_of(hModule);
    if (!text)
        return 0;
    size_t length = strlen(text), given = length < nSize ? length : nSize ? nSize - 1 : 0;
    if (nSize) {
        memcpy(lpFilename, text, given);
        lpFilename[given] = 0;
    }
    free(text);
    return given_path(length, nSize);
}

DWORD WINAPI GetModuleFileNameW(HMODULE hModule, LPWSTR lpFilename, DWORD nSize)
{
    char *text = shown_path_of(hModule);
    SIZE_T length;
    WCHAR *wide = text ? win__widen(text, strlen(text), &length) : NULL;
    bool named = text;
    free(text);
    if (!wide)
        return named ? (DWORD)win__fail(ERROR_NOT_ENOUGH_MEMORY) : 0;
    SIZE_T given = length < nSize ? length : nSize ? nSize - 1 : 0;
    if (nSize) {
        memcpy(lpFilename, wide, given * sizeof *wide);
        lpFilename[given] = 0;
    }
    free(wide);
    return given_path(length, nSize);
}

/* ---- The Ex calls ---------------------------------------------------------------------------- */

/* Neither module counts its users, so of the flags only the one for an address has an effect. */
enum {
    HANDLE_FLAGS = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT |
                   GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
    BOTH = GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
};

static HMODULE module_at(const void *address)
{
    Dl_info there, self;
    char path[4096];
    if (address && dladdr(address, &there) && dladdr(&system_module, &self)) {
        if (there.dli_fbase == self.dli_fbase)
            return ours;
        char *whole = realpath(there.dli_fname, NULL);
        bool own = whole && !strcmp(whole, path_of(program, path, sizeof path));
        free(whole);
        if (own)
            return program;
    }
    win__fail(ERROR_MOD_NOT_FOUND);
    return NULL;
}

static bool good_handle_call(DWORD flags, const void *name, HMODULE *module)
{
    if (module)
        *module = NULL;
    bool good = module && !(flags & ~(DWORD)HANDLE_FLAGS) && (flags & BOTH) != BOTH &&
                (name || !(flags & GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS));
    return good || win__fail(ERROR_INVALID_PARAMETER);
}

BOOL WINAPI GetModuleHandleExA(DWORD dwFlags, LPCSTR lpModuleName, HMODULE *phModule)
{
    if (!good_handle_call(dwFlags, lpModuleName, phModule))
        return FALSE;
    bool by_address = dwFlags & GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    *phModule = by_address ? module_at(lpModuleName) : GetModuleHandleA(lpModuleName);
    return *phModule != NULL;
}

BOOL WINAPI GetModuleHandleExW(DWORD dwFlags, LPCWSTR lpModuleName, HMODULE *phModule)
{
    if (!good_handle_call(dwFlags, lpModuleName, phModule))
        return FALSE;
    bool by_address = dwFlags & GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS;
    *phModule = by_address ? module_at(lpModuleName) : GetModuleHandleW(lpModuleName);
    return *phModule != NULL;
}

HMODULE WINAPI LoadLibraryExA(LPCSTR lpLibFileName, HANDLE hFile, DWORD dwFlags)
{
    (void)dwFlags;
    if (!hFile)
        return LoadLibraryA(lpLibFileName);
    win__fail(ERROR_INVALID_PARAMETER);
    return NULL;
}

HMODULE WINAPI LoadLibraryExW(LPCWSTR lpLibFileName, HANDLE hFile, DWORD dwFlags)
{
    (void)dwFlags;
    if (!hFile)
        return LoadLibraryW(lpLibFileName);
    win__fail(ERROR_INVALID_PARAMETER);
    return NULL;
}
