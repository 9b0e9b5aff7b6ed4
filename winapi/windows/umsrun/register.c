/* SPDX-License-Identifier: MIT
 *
 * register.c - see register.h. umsrun writes the value OURS before Debugger, and deletes it after
 * Debugger. So umsrun's Debugger always has OURS beside it, and a call that is interrupted in
 * between can be undone.
 */
#include "winapi/windows/umsrun/register.h"

#include <stdio.h>
#include <wchar.h>

#include "winapi/windows/umsrun/program.h"

#define OPTIONS L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options"
#define OURS L"umsshim"
enum { PATH_CHARS = 32768, KEY_CHARS = 256, OLD_KEY = 1, NEW_KEY = 2 /* values of OURS */ };

static const wchar_t *base_name(const wchar_t *path)
{
    const wchar_t *base = path;
    for (; *path; path++)
        if (*path == L'\\' || *path == L'/' || *path == L':')
            base = path + 1;
    return base;
}

static LSTATUS open_options(const wchar_t *name, REGSAM access, HKEY *key)
{
    wchar_t path[KEY_CHARS + 128];
    if (wcslen(name) >= KEY_CHARS)
        return ERROR_FILE_NOT_FOUND;
    swprintf(path, KEY_CHARS + 128, L"%ls\\%ls", OPTIONS, name);
    return RegOpenKeyExW(HKEY_LOCAL_MACHINE, path, 0, access | KEY_WOW64_64KEY, key);
}

static DWORD ours_in(HKEY key)
{
    DWORD value = 0, bytes = sizeof value, type = 0;
    return RegQueryValueExW(key, OURS, NULL, &type, (BYTE *)&value, &bytes) == 0 &&
                   type == REG_DWORD
               ? value
               : 0;
}

static bool has_debugger(HKEY key)
{
    return RegQueryValueExW(key, L"Debugger", NULL, NULL, NULL, NULL) == 0;
}

/* Another program may have put its own Debugger there since. */
static bool debugger_is_ours(HKEY key)
{
    static wchar_t text[PATH_CHARS];
    DWORD bytes = sizeof text - sizeof *text, type = 0;
    if (RegQueryValueExW(key, L"Debugger", NULL, &type, (BYTE *)text, &bytes) || type != REG_SZ)
        return false;
    text[bytes / sizeof *text] = 0;
    return wcsstr(text, L" " AS_REGISTERED) != NULL;
}

static const char *problem_of(LSTATUS status, DWORD *error)
{
    *error = (DWORD)status;
    return status == ERROR_ACCESS_DENIED
               ? "takes an administrator: open a console as one, and say it there"
               : "cannot be changed in the registry";
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool is_part_of_windows(const wchar_t *base)
{
    wchar_t path[MAX_PATH + KEY_CHARS + 2];
    UINT length = GetSystemDirectoryW(path, MAX_PATH);
    if (!length || length >= MAX_PATH)
        return true;
    swprintf(path + length, KEY_CHARS + 2, L"\\%ls", base);
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

static const char *name_objection(const wchar_t *name, const wchar_t *base)
{
    size_t length = wcslen(base);
    if (length < 5 || length >= KEY_CHARS || _wcsicmp(base + length - 4, L".exe") != 0)
        return "is not the name of a program (program.exe)";
    if (_wcsicmp(base, L"umsrun.exe") == 0)
        return "would have to start itself";
    if (is_part_of_windows(base))
        return "is a part of Windows, which may not start without it";
    return base == name ? NULL : program_objection(name);
}

/* Whether the path is in a folder where, as a rule, only an administrator may write. In other
 * folders any user could replace the file, and so decide what services run. */
static bool is_guarded(const wchar_t *path)
{
    static const wchar_t *const folders[] = {L"ProgramW6432", L"ProgramFiles", L"SystemRoot"};
    wchar_t folder[MAX_PATH];
    for (int i = 0; i < 3; i++) {
        DWORD length = GetEnvironmentVariableW(folders[i], folder, MAX_PATH);
        if (length && length < MAX_PATH && _wcsnicmp(path, folder, length) == 0 &&
            path[length] == L'\\')
            return true;
    }
    return false;
}

/* ---- Registering ----------------------------------------------------------------------------- */

static LSTATUS put_values(HKEY key, DWORD ours, const wchar_t *command)
{
    LSTATUS status = RegSetValueExW(key, OURS, 0, REG_DWORD, (const BYTE *)&ours, sizeof ours);
    if (status)
        return status;
    status = RegSetValueExW(key, L"Debugger", 0, REG_SZ, (const BYTE *)command,
                            (DWORD)((wcslen(command) + 1) * sizeof *command));
    if (status)
        RegDeleteValueW(key, OURS);
    return status;
}

static void delete_key_if_empty(const wchar_t *base)
{
    DWORD keys = 1, values = 1;
    HKEY options, key;
    if (open_options(base, KEY_READ, &key))
        return;
    RegQueryInfoKeyW(key, NULL, NULL, NULL, &keys, NULL, NULL, &values, NULL, NULL, NULL, NULL);
    RegCloseKey(key);
    if (keys || values ||
        RegOpenKeyExW(HKEY_LOCAL_MACHINE, OPTIONS, 0, KEY_WRITE | KEY_WOW64_64KEY, &options))
        return;
    RegDeleteKeyExW(options, base, KEY_WOW64_64KEY, 0);
    RegCloseKey(options);
}

const char *register_program(const wchar_t *name, DWORD *error)
{
    static wchar_t umsrun[PATH_CHARS], command[PATH_CHARS + 64];
    const wchar_t *base = base_name(name);
    const char *why = name_objection(name, base);
    HKEY options, key;
    DWORD made;
    *error = 0;
    if (why)
        return why;
    if (!GetModuleFileNameW(NULL, umsrun, PATH_CHARS)) {
        *error = GetLastError();
        return "cannot be registered: umsrun does not know its own path";
    }
    swprintf(command, PATH_CHARS + 64, L"\"%ls\" %ls", umsrun, AS_REGISTERED);
    printf("every program %ls is started by %ls from now on, until umsrun --unregister %ls\n"
           "(HKLM\\%ls\\%ls, value Debugger)\n",
           base, umsrun, base, OPTIONS, base);
    if (!is_guarded(umsrun))
        printf("note: whoever may write to the folder of umsrun decides what is started, services "
               "among it: a folder below Program Files is safe\n");
    fflush(stdout);
    LSTATUS status =
        RegOpenKeyExW(HKEY_LOCAL_MACHINE, OPTIONS, 0, KEY_WRITE | KEY_WOW64_64KEY, &options);
    if (status)
        return problem_of(status, error);
    status = RegCreateKeyExW(options, base, 0, NULL, 0, KEY_READ | KEY_WRITE | KEY_WOW64_64KEY,
                             NULL, &key, &made);
    RegCloseKey(options);
    if (status)
        return problem_of(status, error);
    DWORD ours = ours_in(key);
    if (has_debugger(key) && !(ours && debugger_is_ours(key))) {
        RegCloseKey(key);
        return "is registered for another program already (value Debugger): that stays";
    }
    if (!ours)
        ours = made == REG_CREATED_NEW_KEY ? NEW_KEY : OLD_KEY;
    status = put_values(key, ours, command);
    RegCloseKey(key);
    if (!status)
        return NULL;
    if (ours == NEW_KEY)
        delete_key_if_empty(base);
    return problem_of(status, error);
}

const char *unregister_program(const wchar_t *name, DWORD *error)
{
    const wchar_t *base = base_name(name);
    HKEY key;
    *error = 0;
    LSTATUS status = open_options(base, KEY_READ, &key);
    DWORD ours = status ? 0 : ours_in(key);
    if (!status)
        RegCloseKey(key);
    if (!ours)
        return "is not registered";
    printf("%ls is started by itself again\n", base);
    fflush(stdout);
    status = open_options(base, KEY_READ | KEY_WRITE, &key);
    if (status)
        return problem_of(status, error);
    if (debugger_is_ours(key))
        status = RegDeleteValueW(key, L"Debugger");
    if (!status)
        status = RegDeleteValueW(key, OURS);
    RegCloseKey(key);
    if (status)
        return problem_of(status, error);
    if (ours == NEW_KEY)
        delete_key_if_empty(base);
    return NULL;
}

/* ---- The registered programs ----------------------------------------------------------------- */

const char *registered_programs(DWORD *error)
{
    wchar_t name[KEY_CHARS];
    HKEY options, key;
    *error = 0;
    LSTATUS status =
        RegOpenKeyExW(HKEY_LOCAL_MACHINE, OPTIONS, 0, KEY_READ | KEY_WOW64_64KEY, &options);
    if (status == ERROR_FILE_NOT_FOUND)
        return NULL;
    for (DWORD i = 0; !status; i++) {
        DWORD length = KEY_CHARS;
        status = RegEnumKeyExW(options, i, name, &length, NULL, NULL, NULL, NULL);
        if (status || open_options(name, KEY_READ, &key))
            continue;
        if (ours_in(key))
            printf("%ls\n", name);
        RegCloseKey(key);
    }
    RegCloseKey(options);
    if (status == ERROR_NO_MORE_ITEMS)
        return NULL;
    *error = (DWORD)status;
    return "cannot be read in the registry";
}

bool is_registered(const wchar_t *path)
{
    HKEY key;
    if (open_options(base_name(path), KEY_READ, &key))
        return false;
    bool ours = ours_in(key) && debugger_is_ours(key);
    RegCloseKey(key);
    return ours;
}
