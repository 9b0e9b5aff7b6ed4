/* SPDX-License-Identifier: MIT
 *
 * loader_calls.c - while the engine calls the loader other threads begin, load, free and end.
 *
 * The hazard: the loader tells the engine of modules and of threads that end, with its lock held,
 * and the engine takes locks of its own for that. If it called the loader with one of these taken,
 * the two threads would wait for each other, and the process for both. So each call that
 * umsshim.dll makes into the loader, from the first UMS call on, waits here for a thread that does
 * all of that. Where the engine starts it has a lock that every first UMS call wants, also one in a
 * DllMain: so while it starts somebody loads such a module (first_call.c).
 *
 * Whether in place was tried here is a question that names modules.
 *
 * modes: default, UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=inplace
 * modes: UMSSHIM_TEST_AS_WINDOWS=all UMSSHIM_SWITCH=tried
 */
#include "bare.h"
#include "gtest_c.h"

#include <stdint.h>
#include <string.h>

enum { LIMIT_MS = 15000, WORKERS = 3, LEAST_CALLS = 3 };

static DWORD first_thread;
static int calls;
static bool off;

static DWORD WINAPI load_and_free(LPVOID param)
{
    HMODULE probe = LoadLibraryA("probe0.dll");

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

struct lead {
    const char *name;
    void *to;
    void **original;
};
static const struct lead leads[] = {
    {"GetProcAddress", (void *)on_address, (void **)&address},
    {"GetModuleHandleW", (void *)on_handle, (void **)&handle},
    {"GetModuleHandleExW", (void *)on_handle_ex, (void **)&handle_ex},
    {"GetModuleFileNameW", (void *)on_file_name, (void **)&file_name},
};
enum { LEADS = sizeof leads / sizeof leads[0] };

static int lead_slot(void **slot, const char *name, const struct lead *lead, int count)
{
    DWORD before;

    for (; count--; lead++)
        if (strcmp(name, lead->name) == 0 &&
            EXPECT_OK(VirtualProtect(slot, sizeof *slot, PAGE_READWRITE, &before))) {
            *lead->original = *slot;
            *slot = lead->to;
            return VirtualProtect(slot, sizeof *slot, before, &before);
        }
    return 0;
}

static int lead_imports(const struct lead *lead, int count)
{
    char *base = (char *)GetModuleHandleA("umsshim.dll");
    const IMAGE_NT_HEADERS *headers =
        (const void *)(base + ((const IMAGE_DOS_HEADER *)base)->e_lfanew);
    const IMAGE_IMPORT_DESCRIPTOR *import =
        (const void *)(base + headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT]
                                  .VirtualAddress);
    int led = 0;

    for (; import->Name; import++) {
        const IMAGE_THUNK_DATA *lookup = (const void *)(base + import->OriginalFirstThunk);
        void **slots = (void *)(base + import->FirstThunk);

        for (int i = 0; lookup[i].u1.AddressOfData; i++)
            if (!IMAGE_SNAP_BY_ORDINAL(lookup[i].u1.Ordinal))
                led += lead_slot(&slots[i],
                                 (const char *)base + lookup[i].u1.AddressOfData +
                                     offsetof(IMAGE_IMPORT_BY_NAME, Name),
                                 lead, count);
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
    ASSERT_GE(lead_imports(leads, LEADS), LEADS);
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

/* ---- The start ------------------------------------------------------------------------------- */

static BOOL(WINAPI *affinity)(HANDLE, DWORD_PTR *, DWORD_PTR *);
static HANDLE starts, loads;

/* Asked for in the middle of the start. */
static BOOL WINAPI on_affinity(HANDLE process, DWORD_PTR *ours, DWORD_PTR *all)
{
    SetEvent(starts);
    EXPECT_EQ(WaitForSingleObject(loads, LIMIT_MS), WAIT_OBJECT_0);
    return affinity(process, ours, all);
}

static BOOL call_ums(void)
{
    PUMS_COMPLETION_LIST list;

    return CreateUmsCompletionList(&list) && DeleteUmsCompletionList(list);
}

static DWORD WINAPI make_the_first_call(LPVOID param)
{
    return (DWORD)call_ums();
}

__declspec(dllexport) BOOL call_while_loading(void);

BOOL call_while_loading(void)
{
    SetEvent(loads);
    return call_ums();
}

static DWORD WINAPI load_a_caller(LPVOID param)
{
    HMODULE caller = LoadLibraryA("first_call.dll");

    return caller && FreeLibrary(caller);
}

static void expect_end(HANDLE thread, const char *who)
{
    DWORD code = 0;

    if (WaitForSingleObject(thread, LIMIT_MS) != WAIT_OBJECT_0) {
        tc_note("%s waits for the other one for good", who);
        TerminateProcess(GetCurrentProcess(), 1);
    }
    EXPECT_OK(GetExitCodeThread(thread, &code) && code == 1);
    EXPECT_OK(CloseHandle(thread));
}

TEST(LoaderCalls, none_is_made_where_a_first_call_in_a_dll_main_waits)
{
    static const struct lead lead = {"GetProcessAffinityMask", (void *)on_affinity,
                                     (void **)&affinity};
    HANDLE caller, loader;

    ASSERT_EQ(lead_imports(&lead, 1), 1);
    starts = CreateEventW(NULL, TRUE, FALSE, NULL);
    loads = CreateEventW(NULL, TRUE, FALSE, NULL);
    caller = CreateThread(NULL, 0, make_the_first_call, NULL, 0, NULL);
    ASSERT_OK(starts && loads && caller);
    EXPECT_EQ(WaitForSingleObject(starts, LIMIT_MS), WAIT_OBJECT_0);
    loader = CreateThread(NULL, 0, load_a_caller, NULL, 0, NULL);
    ASSERT_OK(loader != NULL);
    expect_end(caller, "the thread that starts the engine");
    expect_end(loader, "the thread that loads a DLL");
}
