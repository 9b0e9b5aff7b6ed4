/* SPDX-License-Identifier: MIT
 *
 * hooks.c - what umsshim.dll changes in ntdll's stubs, when, and that it takes all of it back. The
 * program is not linked with it.
 *
 * modes: unlinked
 * labels: own_system
 */
#include <windows.h>

#include "gtest_c.h"
#include "stubs_seen.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool within(ULONG64 code, const unsigned char *stub)
{
    return code - (uintptr_t)stub < 40;
}

/* A system call of a hooked stub is made in ntdll, where whoever looks at a thread expects it. */
TEST(Hooks, system_calls_are_made_in_ntdll)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HMODULE dll = LoadLibraryA("umsshim.dll");
    ULONGLONG end = GetTickCount64() + LIMIT_MS;
    bool in_stub = false;
    HANDLE thread;

    ASSERT_OK(dll != NULL);
    EXPECT_OK(create_list());
    thread = CreateThread(NULL, 0, wait_for_it, event, 0, NULL);
    while (!in_stub && GetTickCount64() < end) {
        CONTEXT context = {.ContextFlags = CONTEXT_CONTROL};

        Sleep(10);
        EXPECT_NE(SuspendThread(thread), (DWORD)-1);
        EXPECT_OK(GetThreadContext(thread, &context));
        EXPECT_NE(ResumeThread(thread), (DWORD)-1);
        in_stub = within(context.Rip, address("ntdll.dll", "NtWaitForSingleObject")) ||
                  within(context.Rip, address("ntdll.dll", "NtWaitForMultipleObjects"));
    }
    EXPECT_THAT(in_stub, "it was never seen in its stub");
    EXPECT_OK(SetEvent(event));
    EXPECT_EQ(WaitForSingleObject(thread, LIMIT_MS), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(event));
    EXPECT_OK(FreeLibrary(dll));
}

/* Somebody else was there first: a stub whose first bytes are not the usual is left alone, and
 * workers are pinned where in place needs that one. */
static void live_with(const char *name, const char *row, bool needed)
{
    static char text[16384];
    char pinned[128], hook[128];
    const char *wish = getenv("UMSSHIM_SWITCH");
    unsigned char *stub = address("ntdll.dll", name);
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
    snprintf(hook, sizeof hook, "hook %s (%s): refused", name, row);
    snprintf(pinned, sizeof pinned, "switching: pinned (%s could not be hooked)", name);
    if (wish && strcmp(wish, "inplace") == 0) { /* pinned has no use for some */
        EXPECT_THAT(strstr(text, hook), "it said: %s", text);
        EXPECT_THAT(strstr(text, needed ? pinned : "switching: in place\n"), "it said: %s", text);
    }
    EXPECT_THAT(strstr(text, "hook NtWaitForSingleObject (wait, user wait, home): applied"),
                "it said: %s", text);
    Sleep(1);
    EXPECT_OK(FreeLibrary(dll));
    memcpy(stub, before, 3);
}

CALL_TEST(Hooks, a_stub_that_is_not_the_usual_is_refused,
          live_with("NtDelayExecution", "delay, user wait, asked", true))
CALL_TEST(Hooks, the_stub_of_a_rare_call_that_belongs_to_its_thread,
          live_with("NtCancelIoFile", "identity, at once, home", true))
CALL_TEST(Hooks, the_stub_of_a_rare_call_costs_no_more_than_itself,
          live_with("NtNotifyChangeKey", "message, own thread, home", false))
CALL_TEST(Hooks, the_stub_of_a_signal_costs_no_more_than_itself,
          live_with("NtPulseEvent", "signals", false))
