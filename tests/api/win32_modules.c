/* SPDX-License-Identifier: MIT
 *
 * win32_modules.c - programs that look the UMS calls up by name find the same functions.
 *
 * modes: win32
 * except: file_name
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"
#include "ums_calls.h"

#include <stdint.h>
#include <string.h>

static const char *const ums_names[] = {UMS_CALLS(UMS_NAME)};
enum { UMS_NAMES = sizeof ums_names / sizeof ums_names[0] };

static void find_them_in(const char *module_name)
{
    HMODULE module = GetModuleHandleA(module_name);

    EXPECT_THAT(module, "module %s", module_name);
    for (int i = 0; i < UMS_NAMES; i++)
        EXPECT_THAT(GetProcAddress(module, ums_names[i]), "%s in %s", ums_names[i], module_name);
}

TEST_IN_EACH_KIND(Win32Modules, the_ums_calls_in_kernel32)
{
    BOOL(WINAPI * create)(PUMS_COMPLETION_LIST *);
    BOOL(WINAPI * delete)(PUMS_COMPLETION_LIST);
    PUMS_COMPLETION_LIST list = NULL;
    HMODULE module = GetModuleHandleA("kernel32.dll");

    find_them_in("kernel32.dll");
    find_them_in("KERNEL32");
    create = (void *)(uintptr_t)GetProcAddress(module, "CreateUmsCompletionList");
    delete = (void *)(uintptr_t)GetProcAddress(module, "DeleteUmsCompletionList");
    ASSERT_OK(create && delete);
    EXPECT_OK(create(&list));
    EXPECT_OK(delete (list));
}

TEST_IN_EACH_KIND(Win32Modules, handles)
{
    static const WCHAR wide[] = {'k', 'e', 'r', 'n', 'e', 'l', '3', '2', 0};

    EXPECT_NE(GetModuleHandleA(NULL), NULL);
    EXPECT_NE(GetModuleHandleA("ntdll.dll"), NULL);
    EXPECT_NE(GetModuleHandleA("KernelBase"), NULL);
    EXPECT_EQ(GetModuleHandleW(wide), GetModuleHandleA("kernel32"));
    EXPECT_NE(GetModuleHandleW(NULL), NULL);
    EXPECT_FAILS(GetModuleHandleA("no-such-module.dll"), ERROR_MOD_NOT_FOUND);
    EXPECT_FAILS(GetModuleHandleA(""), ERROR_MOD_NOT_FOUND);
}

TEST_IN_EACH_KIND(Win32Modules, missing_names)
{
    HMODULE module = GetModuleHandleA("kernel32");

    EXPECT_FAILS(GetProcAddress(module, "NoSuchFunction"), ERROR_PROC_NOT_FOUND);
    EXPECT_FAILS(GetProcAddress(module, ""), ERROR_PROC_NOT_FOUND);
    EXPECT_FAILS(GetProcAddress(module, "printf"), ERROR_PROC_NOT_FOUND); /* the C library's */
    EXPECT_FAILS(GetProcAddress(module, "read"), ERROR_PROC_NOT_FOUND);
}

TEST_IN_EACH_KIND(Win32Modules, loading)
{
    static const WCHAR wide[] = {'n', 't', 'd', 'l', 'l', '.', 'd', 'l', 'l', 0};
    HMODULE module = LoadLibraryA("kernel32.dll");

    EXPECT_EQ(module, GetModuleHandleA("kernel32.dll"));
    EXPECT_OK(FreeLibrary(module));
    EXPECT_NE(GetModuleHandleA("kernel32.dll"), NULL);
    module = LoadLibraryW(wide);
    EXPECT_NE(module, NULL);
    EXPECT_OK(FreeLibrary(module));
    EXPECT_FAILS(LoadLibraryA("no-such-module.dll"), ERROR_MOD_NOT_FOUND);
    EXPECT_FAILS(FreeLibrary(NULL), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32Modules, file_name)
{
    char path[1024] = "";
    char small[8];
    DWORD length = GetModuleFileNameA(NULL, path, sizeof path);

    EXPECT_EQ(length, strlen(path));
    EXPECT_THAT(strstr(path, "win32_modules"), "it is \"%s\"", path);
    SetLastError(SENTINEL);
    EXPECT_EQ(GetModuleFileNameA(NULL, small, sizeof small), sizeof small);
    EXPECT_EQ(GetLastError(), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(small[7], 0);
    EXPECT_EQ(memcmp(small, path, 7), 0);
}

#ifndef _WIN32 /* a program of Windows may have resources */
TEST_IN_EACH_KIND(Win32Modules, there_are_no_resources)
{
    char text[8] = "kept";

    EXPECT_FAILS(FindResourceA(NULL, "name", "type"), ERROR_RESOURCE_DATA_NOT_FOUND);
    EXPECT_FAILS(FindResourceW(NULL, u"name", u"type"), ERROR_RESOURCE_DATA_NOT_FOUND);
    EXPECT_FAILS(LoadStringA(NULL, 1, text, sizeof text), ERROR_RESOURCE_DATA_NOT_FOUND);
    EXPECT_STREQ(text, "");
    EXPECT_EQ(LoadResource(NULL, NULL), NULL);
    EXPECT_EQ(LockResource(NULL), NULL);
    EXPECT_EQ(SizeofResource(NULL, NULL), 0);
}
#endif

static DWORD WINAPI leaves_its_module(void *unused)
{
    FreeLibraryAndExitThread(LoadLibraryA("kernel32.dll"), 17);
}

TEST_IN_EACH_KIND(Win32Modules, a_thread_that_leaves_its_module)
{
    DWORD code = 0;
    HANDLE thread = CreateThread(NULL, 0, leaves_its_module, NULL, 0, NULL);

    ASSERT_OK(thread != NULL);
    EXPECT_EQ(WaitForSingleObject(thread, 30000), WAIT_OBJECT_0);
    EXPECT_OK(GetExitCodeThread(thread, &code));
    EXPECT_EQ(code, 17);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_FAILS(DisableThreadLibraryCalls((HMODULE)(ULONG_PTR)0x12340), ERROR_MOD_NOT_FOUND);
}
