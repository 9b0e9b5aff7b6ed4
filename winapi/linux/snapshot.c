/* SPDX-License-Identifier: MIT
 *
 * snapshot.c - CreateToolhelp32Snapshot, and the calls that list its entries.
 *
 * CreateToolhelp32Snapshot reads everything. Each of the three lists has an index for the next
 * entry, which all threads that use the handle share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/module_list.h"
#include "winapi/linux/process_list.h"
#include "winapi/linux/text.h"
#include "winapi/linux/tool_help.h"

struct snapshot {
    struct object object;
    struct process_list processes;
    struct task_entries tasks;
    struct module_entries modules;
    _Atomic size_t next_process, next_task, next_module;
};

enum {
    SNAP_MODULES_OF_32_BITS = 0x10, /* a process of 64 bits has none */
    PRIORITY_BASE = 8,              /* of every process and thread with normal priority */
    SERVED = TH32CS_SNAPPROCESS | TH32CS_SNAPTHREAD | TH32CS_SNAPMODULE | SNAP_MODULES_OF_32_BITS,
};

static void destroy(struct object *object)
{
    struct snapshot *snapshot = (struct snapshot *)object;
    free(snapshot->processes.entries);
    free(snapshot->tasks.entries);
    free(snapshot->modules.entries);
}

static DWORD take_modules(struct snapshot *snapshot, DWORD id)
{
    struct process_entry entry;
    if (id && id != GetCurrentProcessId())
        return process_entry_read((pid_t)id, &entry) ? ERROR_ACCESS_DENIED
                                                     : ERROR_INVALID_PARAMETER;
    return win__modules(&snapshot->modules) ? ERROR_SUCCESS : ERROR_NOT_ENOUGH_MEMORY;
}

/* The threads are those of the listed processes. */
static DWORD take_processes(struct snapshot *snapshot, DWORD flags)
{
    if (!process_list_read(&snapshot->processes))
        return ERROR_NOT_ENOUGH_MEMORY;
    if (flags & TH32CS_SNAPTHREAD && !process_list_tasks(&snapshot->processes, &snapshot->tasks))
        return ERROR_NOT_ENOUGH_MEMORY;
    if (!(flags & TH32CS_SNAPPROCESS))
        snapshot->processes.count = 0;
    return ERROR_SUCCESS;
}

static DWORD take(struct snapshot *snapshot, DWORD flags, DWORD id)
{
    DWORD error = flags & TH32CS_SNAPMODULE ? take_modules(snapshot, id) : ERROR_SUCCESS;
    if (!error && flags & (TH32CS_SNAPPROCESS | TH32CS_SNAPTHREAD))
        error = take_processes(snapshot, flags);
    return error;
}

HANDLE WINAPI CreateToolhelp32Snapshot(DWORD dwFlags, DWORD th32ProcessID)
{
    void *handle = NULL;
    DWORD error = dwFlags & SERVED                ? ERROR_SUCCESS
                  : dwFlags & TH32CS_SNAPHEAPLIST ? ERROR_NOT_SUPPORTED
                                                  : ERROR_INVALID_PARAMETER;
    struct snapshot *snapshot = error ? NULL : object_create(OBJECT_SNAPSHOT, sizeof *snapshot);
    if (!snapshot) {
        win__fail(error ? error : ERROR_NOT_ENOUGH_MEMORY);
        return INVALID_HANDLE_VALUE;
    }
    memset(&snapshot->object + 1, 0, sizeof *snapshot - sizeof snapshot->object);
    snapshot->object.signal = 1; /* signalled, so that a wait is refused at once */
    snapshot->object.destroy = destroy;
    error = take(snapshot, dwFlags, th32ProcessID);
    if (!error)
        error = (DWORD)handle_create(&snapshot->object, &handle);
    object_drop(&snapshot->object);
    if (!error)
        return handle;
    win__fail(error);
    return INVALID_HANDLE_VALUE;
}

/* The snapshot of a handle, with a reference. NULL with the last error. `size` is the caller's
 * entry's. */
static struct snapshot *snapshot_of(HANDLE handle, DWORD size, size_t least)
{
    struct object *object = win__object(handle);
    DWORD error = !object                           ? ERROR_INVALID_HANDLE
                  : object->type != OBJECT_SNAPSHOT ? ERROR_INVALID_HANDLE
                  : size < least                    ? ERROR_INSUFFICIENT_BUFFER
                                                    : ERROR_SUCCESS;
    if (!error)
        return (struct snapshot *)object;
    if (object)
        object_drop(object);
    win__fail(error);
    return NULL;
}

/* The next index in a list of `count`. -1 with the last error: there are no more entries. */
static ptrdiff_t due(_Atomic size_t *next, size_t count, bool first)
{
    if (first)
        *next = 0;
    size_t index = (*next)++;
    if (index < count)
        return (ptrdiff_t)index;
    *next = count;
    win__fail(ERROR_NO_MORE_FILES);
    return -1;
}

/* Copies a text into an entry's array, and cuts it to the room; into the W form's array, unless
 * that is NULL. */
static bool give(const char *text, char *narrow, WCHAR *wide, size_t size)
{
    if (!wide) {
        snprintf(narrow, size, "%s", text);
        return true;
    }
    SIZE_T length;
    WCHAR *units = win__widen(text, strlen(text), &length);
    if (!units)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    length = length < size ? length : size - 1;
    memcpy(wide, units, length * sizeof *units);
    wide[length] = 0;
    free(units);
    return true;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* Fills PROCESSENTRY32 or its W form, which begin alike; `wide` is the W form, or NULL. */
static BOOL process(HANDLE handle, LPPROCESSENTRY32 entry, LPPROCESSENTRY32W wide, bool first)
{
    struct snapshot *held = snapshot_of(handle, entry->dwSize, wide ? sizeof *wide : sizeof *entry);
    ptrdiff_t at = held ? due(&held->next_process, held->processes.count, first) : -1;
    bool given = false;
    if (at >= 0) {
        const struct process_entry *found = &held->processes.entries[at];
        entry->cntUsage = 0;
        entry->th32ProcessID = (DWORD)found->pid;
        entry->th32DefaultHeapID = 0;
        entry->th32ModuleID = 0;
        entry->cntThreads = found->threads;
        entry->th32ParentProcessID = (DWORD)found->parent;
        entry->pcPriClassBase = PRIORITY_BASE;
        entry->dwFlags = 0;
        given = give(found->name, entry->szExeFile, wide ? wide->szExeFile : NULL, MAX_PATH);
    }
    if (held)
        object_drop(&held->object);
    return given;
}

BOOL WINAPI Process32First(HANDLE hSnapshot, LPPROCESSENTRY32 lppe)
{
    return process(hSnapshot, lppe, NULL, true);
}

BOOL WINAPI Process32Next(HANDLE hSnapshot, LPPROCESSENTRY32 lppe)
{
    return process(hSnapshot, lppe, NULL, false);
}

BOOL WINAPI Process32FirstW(HANDLE hSnapshot, LPPROCESSENTRY32W lppe)
{
    return process(hSnapshot, (LPPROCESSENTRY32)lppe, lppe, true);
}

BOOL WINAPI Process32NextW(HANDLE hSnapshot, LPPROCESSENTRY32W lppe)
{
    return process(hSnapshot, (LPPROCESSENTRY32)lppe, lppe, false);
}

/* ---- Threads --------------------------------------------------------------------------------- */

static BOOL thread(HANDLE handle, LPTHREADENTRY32 entry, bool first)
{
    struct snapshot *held = snapshot_of(handle, entry->dwSize, sizeof *entry);
    ptrdiff_t at = held ? due(&held->next_task, held->tasks.count, first) : -1;
    if (at >= 0) {
        entry->cntUsage = 0;
        entry->th32ThreadID = (DWORD)held->tasks.entries[at].tid;
        entry->th32OwnerProcessID = (DWORD)held->tasks.entries[at].pid;
        entry->tpBasePri = PRIORITY_BASE;
        entry->tpDeltaPri = 0;
        entry->dwFlags = 0;
    }
    if (held)
        object_drop(&held->object);
    return at >= 0;
}

BOOL WINAPI Thread32First(HANDLE hSnapshot, LPTHREADENTRY32 lpte)
{
    return thread(hSnapshot, lpte, true);
}

BOOL WINAPI Thread32Next(HANDLE hSnapshot, LPTHREADENTRY32 lpte)
{
    return thread(hSnapshot, lpte, false);
}

/* ---- Modules --------------------------------------------------------------------------------- */

/* Fills MODULEENTRY32 or its W form, which begin alike; `wide` is the W form, or NULL. */
static BOOL module(HANDLE handle, LPMODULEENTRY32 entry, LPMODULEENTRY32W wide, bool first)
{
    struct snapshot *held = snapshot_of(handle, entry->dwSize, wide ? sizeof *wide : sizeof *entry);
    ptrdiff_t at = held ? due(&held->next_module, held->modules.count, first) : -1;
    bool given = false;
    if (at >= 0) {
        const struct module_entry *found = &held->modules.entries[at];
        entry->th32ModuleID = 1;
        entry->th32ProcessID = GetCurrentProcessId();
        entry->GlblcntUsage = entry->ProccntUsage = 1;
        entry->modBaseAddr = (BYTE *)found->base;
        entry->modBaseSize = (DWORD)found->size;
        entry->hModule = found->handle;
        given = give(win__base_name(found->path), entry->szModule, wide ? wide->szModule : NULL,
                     MAX_MODULE_NAME32 + 1) &&
                give(found->path, entry->szExePath, wide ? wide->szExePath : NULL, MAX_PATH);
    }
    if (held)
        object_drop(&held->object);
    return given;
}

BOOL WINAPI Module32First(HANDLE hSnapshot, LPMODULEENTRY32 lpme)
{
    return module(hSnapshot, lpme, NULL, true);
}

BOOL WINAPI Module32Next(HANDLE hSnapshot, LPMODULEENTRY32 lpme)
{
    return module(hSnapshot, lpme, NULL, false);
}

BOOL WINAPI Module32FirstW(HANDLE hSnapshot, LPMODULEENTRY32W lpme)
{
    return module(hSnapshot, (LPMODULEENTRY32)lpme, lpme, true);
}

BOOL WINAPI Module32NextW(HANDLE hSnapshot, LPMODULEENTRY32W lpme)
{
    return module(hSnapshot, (LPMODULEENTRY32)lpme, lpme, false);
}
