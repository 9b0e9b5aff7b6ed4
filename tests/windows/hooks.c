/* SPDX-License-Identifier: MIT
 *
 * hooks.c - what umsshim.dll changes in a process, when, and that it takes all of it back. The
 * program is not linked with it.
 */
#include "gtest_c.h"

#include <windows.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { STUB_BYTES = 24, LIMIT_MS = 5000 };

static const char *const stubs[] = {"NtWaitForSingleObject", "NtDelayExecution", "NtReadFile",
                                    "NtTerminateThread", "NtWaitForAlertByThreadId"};
enum { STUBS = sizeof stubs / sizeof stubs[0] };

static void *address(const char *module, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(GetModuleHandleA(module), name);
}

static void read_stubs(unsigned char (*bytes)[STUB_BYTES])
{
    for (int i = 0; i < STUBS; i++)
        memcpy(bytes[i], address("ntdll.dll", stubs[i]), STUB_BYTES);
}

static int changed(unsigned char (*before)[STUB_BYTES])
{
    int count = 0;

    for (int i = 0; i < STUBS; i++)
        count += memcmp(before[i], address("ntdll.dll", stubs[i]), STUB_BYTES) != 0;
    return count;
}

/* A UMS call, by the name an old program would use. */
static BOOL create_list(void)
{
    BOOL(WINAPI * create)
    (PUMS_COMPLETION_LIST *) = address("kernel32.dll", "CreateUmsCompletionList");
    PUMS_COMPLETION_LIST list;

    return create && create(&list);
}

TEST(Hooks, wait_for_the_first_call_and_go_with_the_dll)
{
    unsigned char before[STUBS][STUB_BYTES];
    void *const was = address("kernel32.dll", "CreateRemoteThreadEx");
    HMODULE dll;

    read_stubs(before);
    EXPECT_EQ(create_list(), 0);
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    EXPECT_EQ(changed(before), 0);
    EXPECT_NE(address("kernel32.dll", "CreateRemoteThreadEx"), was);
    EXPECT_OK(create_list());
    EXPECT_EQ(changed(before), STUBS);
    ASSERT_OK(FreeLibrary(dll));
    ASSERT_EQ(GetModuleHandleA("umsshim.dll"), NULL);
    EXPECT_EQ(changed(before), 0);
    EXPECT_EQ(address("kernel32.dll", "CreateRemoteThreadEx"), was);
    EXPECT_EQ(create_list(), 0);
    /* And once more: nothing was left that is in the way. */
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    EXPECT_OK(create_list());
    EXPECT_EQ(changed(before), STUBS);
    EXPECT_OK(FreeLibrary(dll));
    EXPECT_EQ(changed(before), 0);
}

static DWORD WINAPI wait_for_it(LPVOID event)
{
    return WaitForSingleObject(event, LIMIT_MS);
}

TEST(Hooks, a_plain_thread_waits_while_the_dll_goes)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HMODULE dll = LoadLibraryA("umsshim.dll");
    DWORD code = 99;
    HANDLE thread;

    ASSERT_OK(dll != NULL);
    EXPECT_OK(create_list());
    thread = CreateThread(NULL, 0, wait_for_it, event, 0, NULL);
    Sleep(100); /* most likely it is in its wait by then; if not, the test still holds */
    ASSERT_OK(FreeLibrary(dll));
    ASSERT_EQ(GetModuleHandleA("umsshim.dll"), NULL);
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
}

/* Somebody else was there first: a stub whose first bytes are not the usual is left alone. */
TEST(Hooks, a_stub_that_is_not_the_usual_is_refused)
{
    static char text[16384];
    unsigned char *stub = address("ntdll.dll", "NtDelayExecution");
    const unsigned char foreign[3] = {0x49, 0x89, 0xCA}; /* mov r10, rcx, in other words */
    unsigned char before[STUB_BYTES], after[STUB_BYTES];
    int (*describe)(char *, size_t);
    DWORD protection;
    HMODULE dll;

    ASSERT_OK(VirtualProtect(stub, sizeof foreign, PAGE_EXECUTE_READWRITE, &protection));
    memcpy(before, stub, sizeof before);
    memcpy(stub, foreign, sizeof foreign);
    memcpy(after, stub, sizeof after);
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    EXPECT_OK(create_list());
    EXPECT_EQ(memcmp(stub, after, sizeof after), 0);
    describe = (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe");
    ASSERT_OK(describe != NULL);
    ASSERT_OK(describe(text, sizeof text));
    EXPECT_THAT(strstr(text, "hook NtDelayExecution (delay, user wait, asked): refused"),
                "it said: %s", text);
    EXPECT_THAT(strstr(text, "hook NtWaitForSingleObject (wait, user wait, home): applied"),
                "it said: %s", text);
    Sleep(1);
    EXPECT_OK(FreeLibrary(dll));
    memcpy(stub, before, 3);
}

/* ---- Somebody else's jump ------------------------------------------------------------------------
 *
 * Whoever watches system calls has put a jump over the stub, in one of the shapes that are known. It is left
 * where it is, ours stands before it, and calls go through both. */

static LONG watched;
static LONG(NTAPI *watched_stub)(BOOLEAN, LARGE_INTEGER *);

static LONG NTAPI watch(BOOLEAN alertable, LARGE_INTEGER *interval)
{
    InterlockedIncrement(&watched);
    return watched_stub(alertable, interval);
}

/* A place near ntdll from which one can get anywhere, as those who hook have it. */
static unsigned char *place_near(unsigned char *code)
{
    for (unsigned char *at = code + (16 << 20); at < code + (1 << 30); at += 1 << 20) {
        void *place = VirtualAlloc((void *)((uintptr_t)at & ~(uintptr_t)0xFFFF), 4096,
                                   MEM_RESERVE | MEM_COMMIT, PAGE_EXECUTE_READWRITE);

        if (place)
            return place;
    }
    return NULL;
}

enum shape {
    NEAR_JUMP,
    NEAR_JUMP_AFTER_FIRST,
    JUMP_BY_MEMORY,
    MOVE_RAX,
    MOVE_RAX_PUSH,
    MOVE_R11,
    PUSHES
};

static size_t shape_bytes(enum shape shape, unsigned char *bytes, unsigned char *stub,
                          unsigned char *place)
{
    void *target = (void *)(uintptr_t)watch;
    uint32_t low = (uint32_t)(uintptr_t)target, high = (uint32_t)((uintptr_t)target >> 32);
    int32_t distance;

    memcpy(place, "\xFF\x25\0\0\0\0", 6); /* jmp [next] */
    memcpy(place + 6, &target, sizeof target);
    switch (shape) {
    case NEAR_JUMP:
        distance = (int32_t)(place - (stub + 5));
        memcpy(bytes, "\xE9", 1);
        memcpy(bytes + 1, &distance, 4);
        return 5;
    case NEAR_JUMP_AFTER_FIRST:
        distance = (int32_t)(place - (stub + 8));
        memcpy(bytes, "\x4C\x8B\xD1\xE9", 4);
        memcpy(bytes + 4, &distance, 4);
        return 8;
    case JUMP_BY_MEMORY:
        distance = (int32_t)(place + 6 - (stub + 6));
        memcpy(bytes, "\xFF\x25", 2);
        memcpy(bytes + 2, &distance, 4);
        return 6;
    case MOVE_RAX:
    case MOVE_RAX_PUSH:
        memcpy(bytes, "\x48\xB8", 2);
        memcpy(bytes + 2, &target, 8);
        memcpy(bytes + 10, shape == MOVE_RAX ? "\xFF\xE0" : "\x50\xC3", 2);
        return 12;
    case MOVE_R11:
        memcpy(bytes, "\x49\xBB", 2);
        memcpy(bytes + 2, &target, 8);
        memcpy(bytes + 10, "\x41\xFF\xE3", 3);
        return 13;
    case PUSHES:
        memcpy(bytes, "\x68", 1);
        memcpy(bytes + 1, &low, 4);
        memcpy(bytes + 5, "\xC7\x44\x24\x04", 4);
        memcpy(bytes + 9, &high, 4);
        memcpy(bytes + 13, "\xC3", 1);
        return 14;
    }
    return 0;
}

static bool in_place_is_wanted(void)
{
    char text[16] = "";

    GetEnvironmentVariableA("UMSSHIM_SWITCH", text, sizeof text);
    return strcmp(text, "inplace") == 0;
}

static void live_with(enum shape shape)
{
    static char text[16384];
    unsigned char *stub = address("ntdll.dll", "NtDelayExecution"), bytes[16], before[STUB_BYTES];
    unsigned char *place = place_near(stub);
    int (*describe)(char *, size_t);
    size_t length;
    DWORD protection;
    HMODULE dll;

    watched = 0;
    ASSERT_OK(place != NULL);
    memcpy(place + 64, stub, 40); /* it refers to nothing relative */
    watched_stub = (void *)(place + 64);
    length = shape_bytes(shape, bytes, stub, place);
    ASSERT_OK(VirtualProtect(stub, sizeof before, PAGE_EXECUTE_READWRITE, &protection));
    memcpy(stub, bytes, length);
    memcpy(before, stub, sizeof before);
    Sleep(0);
    ASSERT_EQ(watched, 1);

    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    EXPECT_OK(create_list());
    describe = (void *)(uintptr_t)GetProcAddress(dll, "umsshim_describe");
    ASSERT_OK(describe != NULL && describe(text, sizeof text));
    EXPECT_THAT(strstr(text, "hook NtDelayExecution (delay, user wait, asked): applied, before "),
                "it said: %s", text);
    EXPECT_THAT(!in_place_is_wanted() || strstr(text, "switching: in place"), "it said: %s", text);
    EXPECT_OK(memcmp(stub, before, sizeof before) != 0);
    Sleep(1);
    EXPECT_EQ(watched, 2);
    EXPECT_OK(FreeLibrary(dll));
    EXPECT_EQ(memcmp(stub, before, sizeof before), 0);
    Sleep(1);
    EXPECT_EQ(watched, 3);
    memcpy(stub, place + 64, sizeof before);
}

TEST(Hooks, before_a_near_jump)
{
    live_with(NEAR_JUMP);
}

TEST(Hooks, before_a_near_jump_after_the_first_instruction)
{
    live_with(NEAR_JUMP_AFTER_FIRST);
}

TEST(Hooks, before_a_jump_by_memory)
{
    live_with(JUMP_BY_MEMORY);
}

TEST(Hooks, before_a_jump_by_rax)
{
    live_with(MOVE_RAX);
}

TEST(Hooks, before_a_return_to_rax)
{
    live_with(MOVE_RAX_PUSH);
}

TEST(Hooks, before_a_jump_by_r11)
{
    live_with(MOVE_R11);
}

TEST(Hooks, before_a_return_to_what_was_pushed)
{
    live_with(PUSHES);
}

TEST(Hooks, names_are_found_in_every_way_there_is)
{
    static const char *const names[] = {"CreateUmsCompletionList",
                                        "CreateUmsThreadContext",
                                        "DeleteUmsCompletionList",
                                        "DeleteUmsThreadContext",
                                        "DequeueUmsCompletionListItems",
                                        "EnterUmsSchedulingMode",
                                        "ExecuteUmsThread",
                                        "GetCurrentUmsThread",
                                        "GetNextUmsListItem",
                                        "GetUmsCompletionListEvent",
                                        "QueryUmsThreadInformation",
                                        "SetUmsThreadInformation",
                                        "UmsThreadYield"};
    LONG(NTAPI * get)
    (HMODULE, void *, ULONG, void **) = address("ntdll.dll", "LdrGetProcedureAddress");
    HMODULE kernel32 = GetModuleHandleA("kernel32.dll");
    HMODULE api_set = LoadLibraryA("api-ms-win-core-ums-l1-1-0.dll");
    void *before[sizeof names / sizeof names[0]];
    HMODULE dll;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        before[i] = address("kernel32.dll", names[i]);
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    ASSERT_OK(get != NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct {
            USHORT length, room;
            const char *text;
        } name = {(USHORT)strlen(names[i]), (USHORT)(strlen(names[i]) + 1), names[i]};
        void *found = address("kernel32.dll", names[i]), *other = NULL;

        EXPECT_THAT(found && found != before[i], "%s", names[i]);
        EXPECT_EQ(get(kernel32, &name, 0, &other), 0);
        EXPECT_EQ(other, found);
        if (api_set)
            EXPECT_EQ(GetProcAddress(api_set, names[i]), found);
    }
    EXPECT_OK(FreeLibrary(dll));
}

/* On a system where all of these functions are one, as they may be where each does nothing but fail: what a
 * module imports goes by its names. */
TEST(Hooks, imports_from_a_system_where_the_functions_are_one)
{
    static const char *const names[] = {
#define IMPORTED(name) #name,
#include "legacy/ums_names.h"
#undef IMPORTED
    };
    enum { NAMES = sizeof names / sizeof names[0], MERGED = NAMES - 2 };
    char *kernel32 = (char *)GetModuleHandleA("kernel32.dll");
    const IMAGE_NT_HEADERS *headers =
        (const void *)(kernel32 + ((const IMAGE_DOS_HEADER *)kernel32)->e_lfanew);
    const IMAGE_EXPORT_DIRECTORY *exports =
        (const void *)(kernel32 + headers->OptionalHeader.DataDirectory[0].VirtualAddress);
    DWORD *functions = (DWORD *)(kernel32 + exports->AddressOfFunctions);
    const DWORD *texts = (const DWORD *)(kernel32 + exports->AddressOfNames);
    const WORD *ordinals = (const WORD *)(kernel32 + exports->AddressOfNameOrdinals);
    DWORD one = (DWORD)((char *)address("kernel32.dll", names[0]) - kernel32), before;
    DWORD bytes = exports->NumberOfFunctions * (DWORD)sizeof *functions;
    void *(*where)(const char *);
    HMODULE importer, dll;
    void *sleep;

    ASSERT_OK(VirtualProtect(functions, bytes, PAGE_READWRITE, &before));
    for (DWORD i = 0; i < exports->NumberOfNames; i++) {
        for (int k = 0; k < MERGED; k++)
            if (strcmp(kernel32 + texts[i], names[k]) == 0)
                functions[ordinals[i]] = one;
    }
    ASSERT_OK(VirtualProtect(functions, bytes, before, &before));
    importer = LoadLibraryA("importer.dll");
    ASSERT_OK(importer != NULL);
    where = (void *)(uintptr_t)GetProcAddress(importer, "where");
    ASSERT_OK(where != NULL);
    EXPECT_EQ(where(names[5]), kernel32 + one);
    sleep = where("Sleep");
    dll = LoadLibraryA("umsshim.dll");
    ASSERT_OK(dll != NULL);
    for (int i = 0; i < MERGED; i++) {
        EXPECT_THAT(where(names[i]) == (void *)(uintptr_t)GetProcAddress(dll, names[i]),
                    "%s leads to %p", names[i], where(names[i]));
    }
    EXPECT_THAT((char *)where("CreateRemoteThreadEx") >= (char *)dll, "not to ours");
    EXPECT_EQ(where("Sleep"), sleep);
    EXPECT_OK(FreeLibrary(dll));
    EXPECT_OK(FreeLibrary(importer));
}

/* A module that comes later and imports the functions from kernel32. */
TEST(Hooks, a_module_loaded_later)
{
    HMODULE dll = LoadLibraryA("umsshim.dll"), late = LoadLibraryA("late.dll");
    BOOL (*try_ums)(void);

    ASSERT_OK(dll != NULL);
    ASSERT_OK(late != NULL);
    try_ums = (void *)(uintptr_t)GetProcAddress(late, "try_ums");
    ASSERT_OK(try_ums != NULL);
    EXPECT_OK(try_ums());
    EXPECT_OK(FreeLibrary(late));
    EXPECT_OK(FreeLibrary(dll));
}
