/* SPDX-License-Identifier: MIT
 *
 * inplace_trial.c - see inplace_trial.h.
 */
#include "platform/windows/inplace_trial.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

#include "platform/windows/calls/calls.h"
#include "platform/windows/calls/wait_hooks.h"
#include "platform/windows/os/system_version.h"

enum { KEY_BYTES = 1024, FILE_BYTES = 64 << 10, PATH_CHARS = 1024, MODULES = 16 };

/* ---- The key --------------------------------------------------------------------------------- */

/* Modules that have hooked calls, by where they begin. The code looks at them as memory, since it
 * may not ask the loader (start.c). */
struct others {
    void *modules[MODULES];
    size_t count;
    bool nowhere; /* a jump leads to memory of no module */
};

static void note_other(struct others *others, const struct hook *hook)
{
    MEMORY_BASIC_INFORMATION region;
    if (!hook->other)
        return;
    if (!VirtualQuery(hook->other, &region, sizeof region) || region.Type != MEM_IMAGE) {
        others->nowhere = true;
        return;
    }
    for (size_t i = 0; i < others->count; i++)
        if (others->modules[i] == region.AllocationBase)
            return;
    if (others->count < MODULES)
        others->modules[others->count++] = region.AllocationBase;
}

static void add_name(char *key, const char *name)
{
    size_t length = strlen(key);
    snprintf(key + length, KEY_BYTES - length, " %s", name);
}

/* Adds them in the order of their names: the order in which they hooked does not matter. */
static void add_others(char *key, const struct others *others)
{
    char names[MODULES][64];
    for (size_t i = 0; i < others->count; i++) {
        char path[MAX_PATH] = "";
        K32GetMappedFileNameA(GetCurrentProcess(), others->modules[i], path, sizeof path);
        const char *name = strrchr(path, '\\');
        snprintf(names[i], sizeof names[i], "%.63s", name ? name + 1 : path);
    }
    for (size_t i = 0; i < others->count; i++) {
        size_t least = i;
        for (size_t k = i + 1; k < others->count; k++)
            if (strcmp(names[k], names[least]) < 0)
                least = k;
        add_name(key, names[least]);
        memmove(names[least], names[i], sizeof names[i]);
    }
    if (others->nowhere)
        add_name(key, "memory");
    if (!others->count && !others->nowhere)
        add_name(key, "nobody");
}

static void make_key(char *key)
{
    struct others others = {.count = 0};
    char system[128];
    for (size_t i = 0; i < call_row_count; i++)
        note_other(&others, &call_rows[i].hook);
    for (size_t i = 0; i < wait_hook_count; i++)
        note_other(&others, &wait_hooks[i]);
    system_version_text(system, sizeof system);
    snprintf(key, KEY_BYTES, "umsshim " UMSSHIM_VERSION_TEXT " on %s, hooked by", system);
    add_others(key, &others);
}

/* ---- The file -------------------------------------------------------------------------------- */

/* The file's path. `make_folder`: makes its folder, too. False: the user has no folder for local
 * data, as is common with services. */
static bool file_name(wchar_t *path, bool make_folder)
{
    static const wchar_t folder[] = L"\\umsshim", file[] = L"\\in-place.txt";
    DWORD length = GetEnvironmentVariableW(L"LOCALAPPDATA", path, PATH_CHARS);
    if (!length || length > PATH_CHARS - 40)
        return false;
    lstrcatW(path, folder);
    if (make_folder)
        CreateDirectoryW(path, NULL);
    lstrcatW(path, file);
    return true;
}

static size_t read_all(const wchar_t *path, char *text)
{
    DWORD got = 0;
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    if (file != INVALID_HANDLE_VALUE) {
        if (!ReadFile(file, text, FILE_BYTES, &got, NULL))
            got = 0;
        CloseHandle(file);
    }
    text[got] = 0;
    return got;
}

/* The line that has a verdict and this key, or NULL. */
static char *find_line(char *text, const char *key)
{
    size_t length = strlen(key);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        char *blank = memchr(line, ' ', (size_t)(end - line));
        if (blank && (size_t)(end - blank - 1) == length && memcmp(blank + 1, key, length) == 0)
            return line;
    }
    return NULL;
}

enum inplace_trial inplace_trial_verdict(void)
{
    char key[KEY_BYTES];
    wchar_t path[PATH_CHARS];
    enum inplace_trial verdict = TRIAL_NONE;
    char *text = file_name(path, false) ? HeapAlloc(GetProcessHeap(), 0, FILE_BYTES + 1) : NULL;
    if (!text)
        return verdict;
    make_key(key);
    const char *line = read_all(path, text) ? find_line(text, key) : NULL;
    if (line)
        verdict = strncmp(line, "passed ", 7) == 0 ? TRIAL_PASSED : TRIAL_FAILED;
    HeapFree(GetProcessHeap(), 0, text);
    return verdict;
}

/* Replaces the file in one step: a process that starts meanwhile reads the old file or the new
 * one. */
static bool write_all(const wchar_t *path, const char *text, size_t bytes)
{
    wchar_t fresh[PATH_CHARS + 8];
    DWORD written = 0;
    lstrcpyW(fresh, path);
    lstrcatW(fresh, L".new");
    HANDLE file = CreateFileW(fresh, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return false;
    bool done = WriteFile(file, text, (DWORD)bytes, &written, NULL) && written == bytes;
    CloseHandle(file);
    return done && MoveFileExW(fresh, path, MOVEFILE_REPLACE_EXISTING);
}

bool inplace_trial_keep(bool passed, char *text, size_t room)
{
    char key[KEY_BYTES];
    wchar_t path[PATH_CHARS] = L"the user's folder";
    bool found = file_name(path, true);
    char *all = HeapAlloc(GetProcessHeap(), 0, FILE_BYTES + KEY_BYTES + 16);
    make_key(key);
    snprintf(text, room, "%ls: %s", path, key);
    if (!all)
        return false;
    size_t bytes = found ? read_all(path, all) : 0;
    char *line = find_line(all, key);
    if (line) {
        char *next = strchr(line, '\n') + 1;
        memmove(line, next, strlen(next) + 1);
        bytes = strlen(all);
    }
    if (bytes > FILE_BYTES - KEY_BYTES - 16)
        bytes = 0; /* hundreds of verdicts, which is absurd: begins anew */
    bytes += (size_t)sprintf(all + bytes, "%s %s\n", passed ? "passed" : "failed", key);
    bool done = found && write_all(path, all, bytes);
    HeapFree(GetProcessHeap(), 0, all);
    return done;
}
