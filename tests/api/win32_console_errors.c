/* SPDX-License-Identifier: MIT
 *
 * win32_console_errors.c - console calls without a terminal, and those that need none. The calls on
 * a terminal are in tests/linux.
 *
 * Under Wine there is no console.
 *
 * modes: win32
 * except: code_pages, title
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

static const COORD corner = {0, 0};

static void expect_no_console(HANDLE handle)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    char text[8];
    DWORD count = 0;

    EXPECT_FAILS(GetConsoleScreenBufferInfo(handle, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetConsoleTextAttribute(handle, FOREGROUND_RED), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetConsoleCursorPosition(handle, corner), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FlushConsoleInputBuffer(handle), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReadConsoleA(handle, text, 1, &count, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReadConsoleW(handle, text, 1, &count, NULL), ERROR_INVALID_HANDLE);
}

TEST_IN_EACH_KIND(Win32ConsoleErrors, what_is_no_console)
{
    HANDLE null = CreateFileA("NUL", GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    ASSERT_NE(null, INVALID_HANDLE_VALUE);
    expect_no_console(null);
    expect_no_console(event);
    expect_no_console((HANDLE)0x7777770);
    expect_no_console(NULL);
    EXPECT_OK(CloseHandle(null));
    EXPECT_OK(CloseHandle(event));
}

TEST_IN_EACH_KIND(Win32ConsoleErrors, no_window)
{
    EXPECT_EQ(GetConsoleWindow(), NULL);
}

TEST_IN_EACH_KIND(Win32ConsoleErrors, code_pages)
{
    EXPECT_OK(SetConsoleCP(CP_UTF8));
    EXPECT_OK(SetConsoleOutputCP(CP_UTF8));
    EXPECT_FAILS(SetConsoleCP(12345), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetConsoleOutputCP(12345), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(GetConsoleCP(), CP_UTF8);
    EXPECT_EQ(GetConsoleOutputCP(), CP_UTF8);
}

TEST_IN_EACH_KIND(Win32ConsoleErrors, title)
{
    static const WCHAR wide[] = {'t', 0x20AC, 0xD83D, 0xDE00, '!', 0};
    WCHAR units[8];
    char text[16];

    EXPECT_OK(SetConsoleTitleW(wide));
    memset(units, 0xEE, sizeof units);
    EXPECT_EQ(GetConsoleTitleW(units, 8), 5);
    EXPECT_EQ(memcmp(units, wide, sizeof wide), 0);
    EXPECT_EQ(GetConsoleTitleW(units, 4), 5);
    EXPECT_EQ(units[1], 0x20AC); /* no half of a pair */
    EXPECT_EQ(units[2], 0);
    EXPECT_EQ(GetConsoleTitleA(text, sizeof text), 9);
    EXPECT_STREQ(text, "t\xE2\x82\xAC\xF0\x9F\x98\x80!");
    EXPECT_EQ(GetConsoleTitleA(text, 4), 9);
    EXPECT_STREQ(text, "t");
    EXPECT_OK(SetConsoleTitleA("plain"));
    EXPECT_EQ(GetConsoleTitleA(text, 3), 5);
    EXPECT_STREQ(text, "pl");
    EXPECT_OK(SetConsoleTitleA(""));
    SetLastError(SENTINEL);
    EXPECT_EQ(GetConsoleTitleA(text, sizeof text), 0);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    EXPECT_STREQ(text, "");
    EXPECT_FAILS(SetConsoleTitleA(NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(SetConsoleTitleW(NULL), ERROR_INVALID_PARAMETER);
}
