/* SPDX-License-Identifier: MIT
 *
 * win32_twins.c - the environment, the command line and the modules, in A and in W forms.
 *
 * modes: win32
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <shellapi.h>
#include <string.h>

static int same(const WCHAR *left, const WCHAR *right)
{
    return CompareStringOrdinal(left, -1, right, -1, FALSE) == CSTR_EQUAL;
}

TEST_IN_EACH_KIND(Win32Twins, variables)
{
    WCHAR wide[16];
    char narrow[16];

    EXPECT_OK(SetEnvironmentVariableW(u"TWINS_ONE", u"value"));
    EXPECT_EQ(GetEnvironmentVariableA("TWINS_ONE", narrow, sizeof narrow), 5);
    EXPECT_STREQ(narrow, "value");
    EXPECT_EQ(GetEnvironmentVariableW(u"TWINS_ONE", wide, 16), 5);
    EXPECT_OK(same(wide, u"value"));
    EXPECT_EQ(GetEnvironmentVariableW(u"TWINS_ONE", wide, 5), 6);
    EXPECT_OK(SetEnvironmentVariableW(u"TWINS_ONE", NULL));
    EXPECT_FAILS(GetEnvironmentVariableW(u"TWINS_ONE", wide, 16), ERROR_ENVVAR_NOT_FOUND);
    EXPECT_FAILS(SetEnvironmentVariableW(u"A=B", u"x"), ERROR_INVALID_PARAMETER);
}

TEST_IN_EACH_KIND(Win32Twins, expanded)
{
    WCHAR wide[32];
    char narrow[32] = "";

    EXPECT_OK(SetEnvironmentVariableA("TWINS_TWO", "longer than its name"));
    EXPECT_EQ(ExpandEnvironmentStringsW(u"<%TWINS_TWO%>", wide, 32), 23);
    EXPECT_OK(same(wide, u"<longer than its name>"));
    EXPECT_EQ(ExpandEnvironmentStringsW(u"%TWINS_NONE%%", wide, 32), 14);
    EXPECT_OK(same(wide, u"%TWINS_NONE%%"));
    EXPECT_EQ(ExpandEnvironmentStringsW(u"<%TWINS_TWO%>", wide, 4), 23);
    EXPECT_EQ(ExpandEnvironmentStringsW(u"100%", NULL, 0), 5);
    EXPECT_GE(ExpandEnvironmentStringsA("<%TWINS_TWO%>", narrow, sizeof narrow), 23);
    EXPECT_STREQ(narrow, "<longer than its name>");
    EXPECT_OK(SetEnvironmentVariableA("TWINS_TWO", NULL));
}

TEST_IN_EACH_KIND(Win32Twins, the_whole_environment)
{
    WCHAR *wide;
    int found = 0;

    EXPECT_OK(SetEnvironmentVariableA("TWINS_THREE", "3"));
    wide = GetEnvironmentStringsW();
    ASSERT_OK(wide != NULL);
    for (const WCHAR *at = wide; *at; at += lstrlenW(at) + 1)
        found += same(at, u"TWINS_THREE=3");
    EXPECT_EQ(found, 1);
    EXPECT_OK(FreeEnvironmentStringsW(wide));
    EXPECT_OK(SetEnvironmentVariableA("TWINS_THREE", NULL));
}

TEST_IN_EACH_KIND(Win32Twins, the_command_line)
{
    WCHAR wide[4096];

    EXPECT_OK(MultiByteToWideChar(CP_ACP, 0, GetCommandLineA(), -1, wide, 4096));
    EXPECT_OK(same(GetCommandLineW(), wide));
    EXPECT_EQ(GetCommandLineW(), GetCommandLineW());
}

static void expect_arguments(const WCHAR *line, int count, const WCHAR *const *wanted)
{
    int found = 0;
    WCHAR **arguments = CommandLineToArgvW(line, &found);

    ASSERT_OK(arguments != NULL);
    EXPECT_EQ(found, count);
    for (int i = 0; i < found && i < count; i++)
        EXPECT_THAT(same(arguments[i], wanted[i]), "argument %d of %d", i, count);
    EXPECT_EQ(LocalFree(arguments), NULL);
}

TEST_IN_EACH_KIND(Win32Twins, arguments)
{
    expect_arguments(u"prog a  b\tc", 4, (const WCHAR *[]){u"prog", u"a", u"b", u"c"});
    expect_arguments(u"\"C:\\a b\\\" \"x y\" z", 3, (const WCHAR *[]){u"C:\\a b\\", u"x y", u"z"});
    expect_arguments(u"p a\\\\b \\\"q\\\" \"\\\\\" \"\"", 5,
                     (const WCHAR *[]){u"p", u"a\\\\b", u"\"q\"", u"\\", u""});
}

TEST_IN_EACH_KIND(Win32Twins, modules)
{
    static const char here;
    HMODULE module = NULL;
    WCHAR path[1024];
    WCHAR small[4];

    EXPECT_OK(GetModuleFileNameW(NULL, path, 1024) > 4);
    SetLastError(SENTINEL);
    EXPECT_EQ(GetModuleFileNameW(NULL, small, 4), 4);
    EXPECT_EQ(GetLastError(), ERROR_INSUFFICIENT_BUFFER);
    EXPECT_EQ(memcmp(small, path, 3 * sizeof *small), 0);
    EXPECT_OK(GetModuleHandleExA(0, NULL, &module));
    EXPECT_EQ(module, GetModuleHandleA(NULL));
    EXPECT_OK(
        GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, u"kernel32.dll", &module));
    EXPECT_EQ(module, GetModuleHandleA("kernel32"));
    EXPECT_OK(GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                     GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                                 &here, &module));
    EXPECT_EQ(module, GetModuleHandleA(NULL));
    EXPECT_FAILS(GetModuleHandleExA(0, "no-such-module", &module), ERROR_MOD_NOT_FOUND);
    EXPECT_EQ(module, NULL);
#ifndef _WIN32 /* Wine writes to it */
    EXPECT_FAILS(GetModuleHandleExA(0, NULL, NULL), ERROR_INVALID_PARAMETER);
#endif
    module = LoadLibraryExA("kernel32.dll", NULL, 0);
    EXPECT_EQ(module, GetModuleHandleA("kernel32"));
    EXPECT_FAILS(LoadLibraryExW(u"no-such-module.dll", NULL, 0), ERROR_MOD_NOT_FOUND);
    EXPECT_OK(GetProcAddress(module, "lstrlenA"));
}

#ifndef _WIN32 /* Wine reads it */
TEST_IN_EACH_KIND(Win32Twins, no_command_line)
{
    int count;

    EXPECT_FAILS(CommandLineToArgvW(NULL, &count), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(CommandLineToArgvW(u"a", NULL), ERROR_INVALID_PARAMETER);
}
#endif
