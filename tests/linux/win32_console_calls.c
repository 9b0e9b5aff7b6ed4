/* SPDX-License-Identifier: MIT
 *
 * win32_console_calls.c - the screen, the title and the input of a console, on a pseudo-terminal.
 *
 * modes: default
 */
#include <windows.h>

#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { LIMIT_MS = 10000 };

/* Both ends, for one body; the program's handle is for the second. */
struct pair {
    int master, terminal;
    HANDLE console;
};

static bool open_pair(struct pair *pair, tcflag_t local)
{
    char path[64];
    struct termios settings;

    pair->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (pair->master < 0 || grantpt(pair->master) || unlockpt(pair->master) ||
        ptsname_r(pair->master, path, sizeof path)) {
        FAIL("no pseudo-terminal");
        return false;
    }
    pair->terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_EQ(tcgetattr(pair->terminal, &settings), 0);
    settings.c_oflag &= ~(tcflag_t)OPOST;
    settings.c_lflag = local;
    EXPECT_EQ(tcsetattr(pair->terminal, TCSANOW, &settings), 0);
    pair->console =
        CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    EXPECT_NE(pair->console, INVALID_HANDLE_VALUE);
    return pair->console != INVALID_HANDLE_VALUE;
}

static void close_pair(struct pair *pair)
{
    EXPECT_OK(CloseHandle(pair->console));
    close(pair->terminal);
    close(pair->master);
}

static bool can_read(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    int ready;

    do
        ready = poll(&input, 1, LIMIT_MS);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

/* These bytes come next, in one piece or in several. */
static void expect_out(const struct pair *pair, const char *wanted)
{
    char got[64] = "";
    size_t length = 0;

    while (length < strlen(wanted) && can_read(pair->master)) {
        ssize_t more = read(pair->master, got + length, strlen(wanted) - length);
        if (more <= 0)
            break;
        length += (size_t)more;
    }
    EXPECT_STREQ(got, wanted);
}

/* Types the text at the terminal, and checks that it can be read. */
static void type(const struct pair *pair, const char *text)
{
    EXPECT_EQ(write(pair->master, text, strlen(text)), strlen(text));
    EXPECT_THAT(can_read(pair->terminal), "nothing to read");
}

/* ---- The screen ------------------------------------------------------------------------------ */

static void expect_size(const struct pair *pair, SHORT columns, SHORT lines)
{
    CONSOLE_SCREEN_BUFFER_INFO info;

    memset(&info, 0xEE, sizeof info);
    EXPECT_OK(GetConsoleScreenBufferInfo(pair->console, &info));
    EXPECT_EQ(info.dwSize.X, columns);
    EXPECT_EQ(info.dwSize.Y, lines);
    EXPECT_EQ(info.srWindow.Left, 0);
    EXPECT_EQ(info.srWindow.Top, 0);
    EXPECT_EQ(info.srWindow.Right, columns - 1);
    EXPECT_EQ(info.srWindow.Bottom, lines - 1);
    EXPECT_EQ(info.dwMaximumWindowSize.X, columns);
    EXPECT_EQ(info.dwMaximumWindowSize.Y, lines);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, size)
{
    struct pair pair;
    struct winsize size = {.ws_row = 50, .ws_col = 132};

    if (!open_pair(&pair, ICANON))
        return;
    expect_size(&pair, 80, 24); /* the terminal has not been told its size */
    EXPECT_EQ(ioctl(pair.master, TIOCSWINSZ, &size), 0);
    expect_size(&pair, 132, 50);
    close_pair(&pair);
}

static void set_colours(const struct pair *pair, WORD attributes, const char *sequence)
{
    CONSOLE_SCREEN_BUFFER_INFO info = {.wAttributes = 0xEEEE};

    EXPECT_OK(SetConsoleTextAttribute(pair->console, attributes));
    expect_out(pair, sequence);
    EXPECT_OK(GetConsoleScreenBufferInfo(pair->console, &info));
    EXPECT_EQ(info.wAttributes, attributes);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, colours)
{
    struct pair pair;
    CONSOLE_SCREEN_BUFFER_INFO info = {.wAttributes = 0xEEEE};

    if (!open_pair(&pair, ICANON))
        return;
    EXPECT_OK(GetConsoleScreenBufferInfo(pair.console, &info));
    EXPECT_EQ(info.wAttributes, 7);
    set_colours(&pair, FOREGROUND_RED, "\033[0;31m");
    set_colours(&pair, FOREGROUND_BLUE | FOREGROUND_INTENSITY, "\033[0;94m");
    set_colours(&pair, FOREGROUND_GREEN | BACKGROUND_RED | BACKGROUND_BLUE, "\033[0;32;45m");
    set_colours(&pair, BACKGROUND_INTENSITY, "\033[0;30;100m");
    set_colours(&pair, 7 | COMMON_LVB_UNDERSCORE | COMMON_LVB_REVERSE_VIDEO, "\033[0;4;7m");
    set_colours(&pair, 7, "\033[0m"); /* what the terminal had */
    close_pair(&pair);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, cursor)
{
    struct pair pair;
    CONSOLE_SCREEN_BUFFER_INFO info;
    static const COORD outside[] = {{-1, 0}, {0, -1}, {80, 0}, {0, 24}};

    if (!open_pair(&pair, ICANON))
        return;
    EXPECT_OK(SetConsoleCursorPosition(pair.console, ((COORD){79, 23})));
    expect_out(&pair, "\033[24;80H");
    EXPECT_OK(GetConsoleScreenBufferInfo(pair.console, &info));
    EXPECT_EQ(info.dwCursorPosition.X, 79);
    EXPECT_EQ(info.dwCursorPosition.Y, 23);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        EXPECT_FAILS(SetConsoleCursorPosition(pair.console, outside[i]), ERROR_INVALID_PARAMETER);
    EXPECT_OK(SetConsoleCursorPosition(pair.console, ((COORD){0, 0})));
    expect_out(&pair, "\033[1;1H"); /* and nothing of those outside */
    close_pair(&pair);
}

/* ---- The title ------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32ConsoleCalls, title)
{
    struct pair pair;
    int output;
    BOOL done;

    if (!open_pair(&pair, ICANON))
        return;
    fflush(stdout);
    output = fcntl(1, F_DUPFD_CLOEXEC, 10);
    ASSERT_GE(output, 0);
    EXPECT_EQ(dup2(pair.terminal, 1), 1);
    done = SetConsoleTitleA("a\xE2\x82\xAC\033]b\xC2\x85\ac"); /* controls are left out */
    EXPECT_EQ(dup2(output, 1), 1);
    close(output);
    EXPECT_THAT(done, "no title: %lu", (unsigned long)GetLastError());
    expect_out(&pair, "\033]0;a\xE2\x82\xAC]bc\a");
    close_pair(&pair);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static void expect_bytes(const struct pair *pair, DWORD room, const char *wanted)
{
    char text[64] = "";
    DWORD count = 77;

    EXPECT_OK(ReadConsoleA(pair->console, text, room, &count, NULL));
    EXPECT_EQ(count, strlen(wanted));
    EXPECT_STREQ(text, wanted);
}

static void expect_units(const struct pair *pair, DWORD room, const WCHAR *wanted, DWORD length)
{
    WCHAR text[64] = {0};
    DWORD count = 77;

    EXPECT_OK(ReadConsoleW(pair->console, text, room, &count, NULL));
    EXPECT_EQ(count, length);
    EXPECT_EQ(memcmp(text, wanted, length * sizeof *text), 0);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, lines_of_bytes)
{
    struct pair pair;

    if (!open_pair(&pair, ICANON))
        return;
    type(&pair, "hello\n");
    expect_bytes(&pair, 60, "hello\r\n");
    type(&pair, "abc\n"); /* with room for all but the last of it */
    expect_bytes(&pair, 4, "abc\r");
    expect_bytes(&pair, 4, "\n");
    type(&pair, "\n");
    expect_bytes(&pair, 1, "\r");
    expect_bytes(&pair, 0, "");
    expect_bytes(&pair, 1, "\n");
    type(&pair, "\004"); /* Ctrl-D */
    expect_bytes(&pair, 60, "");
    close_pair(&pair);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, lines_of_units)
{
    static const WCHAR wanted[] = {'w', 0x20AC, 0xD83D, 0xDE00, 0xFFFD, '\r', '\n'};
    enum { LENGTH = sizeof wanted / sizeof *wanted };
    static const char typed[] = "w\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\n";
    struct pair pair;

    if (!open_pair(&pair, ICANON))
        return;
    type(&pair, typed);
    expect_units(&pair, 60, wanted, LENGTH);
    type(&pair, typed);
    for (DWORD i = 0; i < LENGTH; i++)
        expect_units(&pair, 1, wanted + i, 1);
    type(&pair, typed);
    for (DWORD i = 0; i + 1 < LENGTH; i += 2)
        expect_units(&pair, 2, wanted + i, 2);
    expect_units(&pair, 2, wanted + LENGTH - 1, 1);
    close_pair(&pair);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, keys)
{
    struct pair pair;

    if (!open_pair(&pair, 0))
        return;
    type(&pair, "k");
    expect_bytes(&pair, 60, "k");
    type(&pair, "\n"); /* no line, so nothing is added */
    expect_bytes(&pair, 60, "\n");
    close_pair(&pair);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, flushed)
{
    struct pair pair;

    if (!open_pair(&pair, ICANON))
        return;
    type(&pair, "lost\n");
    EXPECT_OK(FlushConsoleInputBuffer(pair.console));
    type(&pair, "abc\n");
    expect_bytes(&pair, 4, "abc\r");
    EXPECT_OK(FlushConsoleInputBuffer(pair.console)); /* the rest of the line as well */
    type(&pair, "kept\n");
    expect_bytes(&pair, 60, "kept\r\n");
    close_pair(&pair);
}

TEST_IN_EACH_KIND(Win32ConsoleCalls, nowhere_to_read_to)
{
    struct pair pair;
    DWORD count = 77;

    if (!open_pair(&pair, ICANON))
        return;
    EXPECT_FAILS(ReadConsoleA(pair.console, NULL, 1, &count, NULL), ERROR_NOACCESS);
    EXPECT_EQ(count, 0);
    EXPECT_FAILS(ReadConsoleW(pair.console, NULL, 1, NULL, NULL), ERROR_NOACCESS);
    close_pair(&pair);
}

static void read_line(void *arg)
{
    expect_bytes(arg, 60, "late\r\n");
}

static void type_line(void *arg)
{
    EXPECT_EQ(write(((struct pair *)arg)->master, "late\n", 5), 5);
}

/* A worker that waits for a line leaves its scheduler. */
TEST(Win32ConsoleCalls, reading_waits)
{
    struct pair pair;

    if (!open_pair(&pair, ICANON))
        return;
    on_each_kind(read_line, type_line, &pair);
    close_pair(&pair);
}

/* ---- Access ---------------------------------------------------------------------------------- */

TEST_IN_EACH_KIND(Win32ConsoleCalls, one_way_handles)
{
    struct pair pair;
    char path[64], text[8];
    CONSOLE_SCREEN_BUFFER_INFO info;
    DWORD count;
    HANDLE in, out;

    if (!open_pair(&pair, ICANON))
        return;
    EXPECT_EQ(ptsname_r(pair.master, path, sizeof path), 0);
    in = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    out = CreateFileA(path, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
    EXPECT_FAILS(ReadConsoleA(out, text, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(FlushConsoleInputBuffer(out), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(SetConsoleTextAttribute(in, 7), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(SetConsoleCursorPosition(in, ((COORD){0, 0})), ERROR_ACCESS_DENIED);
    EXPECT_OK(GetConsoleScreenBufferInfo(out, &info));
    EXPECT_OK(CloseHandle(in));
    EXPECT_OK(CloseHandle(out));
    close_pair(&pair);
}
