/* SPDX-License-Identifier: MIT
 *
 * win32_console.c - console calls on a real terminal: modes reach the terminal's settings, text
 * goes out in UTF-8.
 *
 * modes: default
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static int master;
static char terminal_path[64];

static void make_terminal(void)
{
    struct termios settings;
    int terminal;

    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(master, 0);
    ASSERT_EQ(grantpt(master), 0);
    ASSERT_EQ(unlockpt(master), 0);
    ASSERT_EQ(ptsname_r(master, terminal_path, sizeof terminal_path), 0);
    terminal = open(terminal_path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal, 0);
    EXPECT_EQ(tcgetattr(terminal, &settings), 0);
    settings.c_oflag &= ~(tcflag_t)OPOST;
    EXPECT_EQ(tcsetattr(terminal, TCSANOW, &settings), 0);
    close(terminal);
}

static HANDLE open_terminal(void)
{
    return CreateFileA(terminal_path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0,
                       NULL);
}

static void expect_out(const char *wanted)
{
    char buffer[64] = "";

    EXPECT_EQ(read(master, buffer, sizeof buffer - 1), strlen(wanted));
    EXPECT_STREQ(buffer, wanted);
}

static void write_to_console(void *unused)
{
    static const WCHAR wide[] = {'w', 0x20AC, '!', 0};
    HANDLE console = open_terminal();
    DWORD count = 0;
    DWORD mode = 0;

    ASSERT_NE(console, INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetFileType(console), FILE_TYPE_CHAR);
    EXPECT_OK(WriteConsoleA(console, "hello", 5, &count, NULL));
    EXPECT_EQ(count, 5);
    expect_out("hello");
    EXPECT_OK(WriteConsoleW(console, wide, 3, &count, NULL));
    EXPECT_EQ(count, 3);
    expect_out("w\xE2\x82\xAC!");
    EXPECT_OK(GetConsoleMode(console, &mode));
    EXPECT_EQ(mode & ENABLE_PROCESSED_OUTPUT, ENABLE_PROCESSED_OUTPUT);
    EXPECT_OK(SetConsoleMode(console, ENABLE_PROCESSED_OUTPUT));
    EXPECT_OK(GetConsoleMode(console, &mode));
    EXPECT_EQ(mode, ENABLE_PROCESSED_OUTPUT);
    EXPECT_OK(CloseHandle(console));
}

TEST(Win32Console, output)
{
    make_terminal();
    in_each_kind(write_to_console, NULL);
    close(master);
}

static void change_input_mode(void *unused)
{
    HANDLE console = GetStdHandle(STD_INPUT_HANDLE);
    struct termios settings;
    DWORD before = 0;
    DWORD mode = 0;
    CONSOLE_SCREEN_BUFFER_INFO info;

    EXPECT_FAILS(GetConsoleScreenBufferInfo(console, &info), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetConsoleTextAttribute(console, 7), ERROR_INVALID_HANDLE);
    EXPECT_OK(GetConsoleMode(console, &before));
    EXPECT_EQ(before & (ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT),
              ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT);
    EXPECT_OK(SetConsoleMode(console, ENABLE_PROCESSED_INPUT));
    EXPECT_OK(GetConsoleMode(console, &mode));
    EXPECT_EQ(mode, ENABLE_PROCESSED_INPUT);
    EXPECT_EQ(tcgetattr(0, &settings), 0);
    EXPECT_EQ(settings.c_lflag & (ICANON | ECHO), 0);
    EXPECT_EQ(settings.c_lflag & ISIG, ISIG);
    EXPECT_FAILS(SetConsoleMode(console, ENABLE_ECHO_INPUT), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetConsoleMode(console, before));
    EXPECT_EQ(tcgetattr(0, &settings), 0);
    EXPECT_EQ(settings.c_lflag & (ICANON | ECHO), ICANON | ECHO);
}

TEST(Win32Console, input_modes_of_standard_input)
{
    int terminal;

    make_terminal();
    terminal = open(terminal_path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_EQ(dup2(terminal, 0), 0);
    in_each_kind(change_input_mode, NULL);
    close(terminal);
    close(master);
}
