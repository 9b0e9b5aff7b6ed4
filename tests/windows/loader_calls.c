/* SPDX-License-Identifier: MIT
 *
 * loader_calls.c - while the engine calls the loader other threads begin, load, free and end.
 *
 * The hazard: the loader tells the engine of modules and of threads that end, with its lock held,
 * and the engine takes locks of its own for that. If it called the loader with one of these taken,
 * the two threads would wait for each other, and the process for both. So each call that
 * umsshim.dll makes into the loader, from the first UMS call on, waits here for a thread that does
 * all of that.
 */
#include "bare.h"
#include "gtest_c.h"

#include <stdint.h>
#include <string.h>

enum { LIMIT_MS = 15000, WORKERS = 3, LEAST_CALLS = 50 };

static DWORD first_thread;
static int calls;
static bool off;

static DWORD WINAPI load_and_free(LPVOID param)
{
    HMODULE probe = LoadLibraryA("probe0.dll");

    (void)param;
    return probe && FreeLibrary(probe);
}

/* Nothing of this file's calls comes here: only the imports of umsshim.dll lead to it. */
static void others_go_on(const char *what)
{
    HANDLE thread;
    DWORD error = GetLastError(), code = 0;

    if (off || GetCurrentThreadId() != first_thread)
        return;
    calls++;
    thread = CreateThread(NULL, 0, load_and_free, NULL, 0, NULL);
    EXPECT_OK(thread != NULL);
    if (WaitForSingleObject(thread, LIMIT_MS) != WAIT_OBJECT_0) {
        /* Neither thread goes on from here. */
        tc_note("call %d of the loader, %s, is made with a lock that a load needs", calls, what);
        TerminateProcess(GetCurrentProcess(), 1);
    }
    EXPECT_OK(GetExitCodeThread(thread, &code) && code == 1);
    EXPECT_OK(CloseHandle(thread));
    SetLastError(error);
}

/* The system's own: this program's imports may lead to umsshim.dll, and from there to here. */
static FARPROC(WINAPI *address)(HMODULE, LPCSTR);
static HMODULE(WINAPI *handle)(LPCWSTR);
static BOOL(WINAPI *handle_ex)(DWORD, LPCWSTR, HMODULE *);
static DWORD(WINAPI *file_name)(HMODULE, LPWSTR, DWORD);

static FARPROC WINAPI on_address(HMODULE module, LPCSTR name)
{
    others_go_on("GetProcAddress");
    return address(module, name);
}

static HMODULE WINAPI on_handle(LPCWSTR name)
{
    others_go_on("GetModuleHandleW");
    return handle(name);
}

static BOOL WINAPI on_handle_ex(DWORD flags, LPCWSTR name, HMODULE *module)
{
    others_go_on("GetModuleHandleExW");
    return handle_ex(flags, name, module);
}

static DWORD WINAPI on_file_name(HMODULE module, LPWSTR name, DWORD room)
{
    others_go_on("GetModuleFileNameW");
    return file_name(module, name, room);
}

static const struct lead {
    const char *name;
    void *to;
    void **original;
} leads[] = {
    {"GetProcAddress", (void *)on_address, (void **)&address},
    {"GetModuleHandleW", (void *)on_handle, (void **)&handle},
    {"GetModuleHandleExW", (void *)on_handle_ex, (void **)&handle_ex},
    {"GetModuleFileNameW", (void *)on_file_name, (void **)&file_name},
};
enum { LEADS = sizeof leads / sizeof leads[0] };

static int lead_slot(void **slot, const char *name)
{
    DWORD before;

    for (int i = 0; i < LEADS; i++)
        if (strcmp(name, leads[i].name) == 0 &&
            TC_OK(VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &before))) {
            *leads[i].original = *slot;
            *slot = leads[i].to;
            return VirtualProtect(slot, sizeof *slot, before, &before);
        }
    return 0;
}

static int lead_imports(HMODULE module)
{
    char *base = (char *)module;
    const IMAGE_NT_HEADERS *headers =
        (const void *)(base + ((const IMAGE_DOS_HEADER *)module)->e_lfanew);
    const IMAGE_IMPORT_DESCRIPTOR *import =
        (const void *)(base + headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT]
                                  .VirtualAddress);
    int led = 0;

    for (; import->Name; import++) {
        const IMAGE_THUNK_DATA *lookup = (const void *)(base + import->OriginalFirstThunk);
        void **slots = (void *)(base + import->FirstThunk);

        for (int i = 0; lookup[i].u1.AddressOfData; i++)
            if (!IMAGE_SNAP_BY_ORDINAL(lookup[i].u1.Ordinal))
                led += lead_slot(&slots[i], (const char *)base + lookup[i].u1.AddressOfData +
                                                offsetof(IMAGE_IMPORT_BY_NAME, Name));
    }
    return led;
}

/* win32u is there before the first worker is: its calls are hooked when that is made. */
TEST(LoaderCalls, no_lock_of_ours_is_held_in_the_loader)
{
    PUMS_COMPLETION_LIST list;
    struct bare workers[WORKERS];

    first_thread = GetCurrentThreadId();
    ASSERT_OK(LoadLibraryA("user32.dll") != NULL);
    ASSERT_GE(lead_imports(GetModuleHandleA("umsshim.dll")), LEADS);
    ASSERT_OK(CreateUmsCompletionList(&list));
    for (int i = 0; i < WORKERS; i++)
        ASSERT_OK(bare_create(&workers[i], list, routine_yield_once, NULL, 0));
    EXPECT_OK(bare_drive(list, NULL, 0, WORKERS));
    for (int i = 0; i < WORKERS; i++)
        bare_delete(&workers[i]);
    EXPECT_OK(DeleteUmsCompletionList(list));
    EXPECT_GE(calls, LEAST_CALLS);
    off = true;
}
