/* SPDX-License-Identifier: MIT
 *
 * teb.c - who waits in ntdll may find the address of its thread's block in a register afterwards,
 * and use it; and who loads a module is noted in that block meanwhile.
 *
 * Both by the import tables of the modules that are there: kernelbase calls these functions, and so
 * do programs.
 */
#include "as_windows.h"

#include <psapi.h>
#include <stdint.h>

#include "platform/windows/os/export_table.h"

enum { MODULES = 256, LOAD_OWNER = 0x1000, SAME_TEB_FLAGS = 0x17ee };

void teb_was_lost(const char *name);

void teb_was_lost(const char *name)
{
    as_windows_ends("another thread's block is here after a wait in ", name);
}

#define KEPT(X)                                                                                    \
    X(RtlEnterCriticalSection)                                                                     \
    X(RtlAcquireSRWLockExclusive)                                                                  \
    X(RtlAcquireSRWLockShared)                                                                     \
    X(RtlSleepConditionVariableCS)                                                                 \
    X(RtlSleepConditionVariableSRW)                                                                \
    X(RtlWaitOnAddress)                                                                            \
    X(RtlRunOnceExecuteOnce)                                                                       \
    X(RtlAllocateHeap)                                                                             \
    X(RtlFreeHeap)                                                                                 \
    X(LdrUnloadDll)                                                                                \
    X(NtDelayExecution)                                                                            \
    X(NtWaitForSingleObject)                                                                       \
    X(NtWaitForMultipleObjects)                                                                    \
    X(NtSignalAndWaitForSingleObject)                                                              \
    X(NtRemoveIoCompletion)
#define DECLARE(name)                                                                              \
    void keep_##name(void);                                                                        \
    extern void *kept_##name;
KEPT(DECLARE)

static void lead_slots(const char *base, const IMAGE_IMPORT_DESCRIPTOR *import, void *from,
                       void *to)
{
    void **slots = (void *)(uintptr_t)(base + import->FirstThunk);

    for (; *slots; slots++)
        if (*slots == from)
            write_protected(slots, &to, sizeof to);
}

void imports_lead(const char *name, void *to, void **original)
{
    HMODULE modules[MODULES];
    DWORD bytes = 0;
    void *from = (void *)(uintptr_t)GetProcAddress(GetModuleHandleW(L"ntdll.dll"), name);

    *original = from;
    if (!from || !K32EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes))
        as_windows_ends("imports cannot be led elsewhere: ", name);
    for (DWORD i = 0; i < bytes / sizeof modules[0]; i++) {
        const char *base = (const char *)modules[i];
        DWORD at = image_headers(modules[i])
                       ->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT]
                       .VirtualAddress;

        for (const IMAGE_IMPORT_DESCRIPTOR *import = (const void *)(base + at); at && import->Name;
             import++)
            lead_slots(base, import, from, to);
    }
}

void teb_start(void)
{
#define LEAD(name) imports_lead(#name, (void *)(uintptr_t)keep_##name, &kept_##name);
    KEPT(LEAD)
}

/* ---- The note of who loads ------------------------------------------------------------------- */

static NTSTATUS(NTAPI *load)(const WCHAR *, ULONG *, const UNICODE_STRING *, HMODULE *);

static NTSTATUS NTAPI on_load(const WCHAR *path, ULONG *flags, const UNICODE_STRING *name,
                              HMODULE *module)
{
    char *before, *after;

    __asm__ volatile("movq %%gs:0x30, %0" : "=r"(before));
    volatile uint16_t *notes = (void *)(before + SAME_TEB_FLAGS);
    uint16_t owner = *notes & LOAD_OWNER;
    *notes |= LOAD_OWNER;
    NTSTATUS status = load(path, flags, name, module);
    __asm__ volatile("movq %%gs:0x30, %0" : "=r"(after));
    if (before != after)
        teb_was_lost("LdrLoadDll");
    notes = (void *)(before + SAME_TEB_FLAGS);
    if (!(*notes & LOAD_OWNER))
        as_windows_ends("the note of who loads has gone", "");
    if (!owner)
        *notes &= (uint16_t)~LOAD_OWNER;
    return status;
}

void teb_loader_start(void)
{
    imports_lead("LdrLoadDll", (void *)(uintptr_t)on_load, (void **)&load);
}
