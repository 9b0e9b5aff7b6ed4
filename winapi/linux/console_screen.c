/* SPDX-License-Identifier: MIT
 *
 * console_screen.c - size, colours and cursor of the terminal.
 *
 * The kernel knows the terminal's size. The library sets colours and cursor by the terminal's
 * sequences (ECMA-48), but never asks for them: the answer would come between the keys that the
 * program reads. So the calls that query give the value that this process has set last, by any
 * handle, as a process has one console.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "winapi/linux/console.h"

enum {
    COLOUR = FOREGROUND_RED | FOREGROUND_GREEN | FOREGROUND_BLUE,
    GREY_ON_BLACK = COLOUR,
    USUAL_COLUMNS = 80, /* for a terminal that does not know its size */
    USUAL_LINES = 24,
};

static _Atomic WORD attributes = GREY_ON_BLACK;
static _Atomic(COORD) cursor;

/* The file of a handle, if it is the terminal's output; NULL: it is not. */
static struct file *screen(HANDLE handle, unsigned access)
{
    struct file *file = win__terminal(handle, access);
    if (file && file->access & FILE_IS_CONSOLE_INPUT) {
        object_drop(&file->object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return file;
}

static SHORT at_most(unsigned number, SHORT most)
{
    return number < (unsigned)most ? (SHORT)number : most;
}

static COORD size_of(const struct file *file)
{
    struct winsize size = {0};
    ioctl(file->fd, TIOCGWINSZ, &size);
    return (COORD){at_most(size.ws_col ? size.ws_col : USUAL_COLUMNS, SHRT_MAX),
                   at_most(size.ws_row ? size.ws_row : USUAL_LINES, SHRT_MAX)};
}

static BOOL tell(struct file *file, const char *sequence)
{
    DWORD written;
    return win__write_all(file, sequence, (DWORD)strlen(sequence), &written);
}

BOOL WINAPI GetConsoleScreenBufferInfo(HANDLE hConsoleOutput,
                                       LPCONSOLE_SCREEN_BUFFER_INFO lpConsoleScreenBufferInfo)
{
    struct file *file = screen(hConsoleOutput, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    COORD size = size_of(file), at = cursor;
    SHORT right = (SHORT)(size.X - 1), bottom = (SHORT)(size.Y - 1);
    object_drop(&file->object);
    *lpConsoleScreenBufferInfo = (CONSOLE_SCREEN_BUFFER_INFO){
        .dwSize = size,
        .dwCursorPosition = {at_most((unsigned)at.X, right), at_most((unsigned)at.Y, bottom)},
        .wAttributes = attributes,
        .srWindow = {0, 0, right, bottom},
        .dwMaximumWindowSize = size};
    return TRUE;
}

/* Windows' colours have blue in the lowest bit, the terminal's red. */
static unsigned terminal_colour(WORD colour)
{
    return (colour & FOREGROUND_RED ? 1u : 0) | (colour & FOREGROUND_GREEN ? 2u : 0) |
           (colour & FOREGROUND_BLUE ? 4u : 0);
}

/* Grey and black stand for the terminal's own colours. So a program that restores the attributes
 * which it found leaves no trace. */
BOOL WINAPI SetConsoleTextAttribute(HANDLE hConsoleOutput, WORD wAttributes)
{
    struct file *file = screen(hConsoleOutput, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    char sequence[40] = "\033[0";
    size_t length = strlen(sequence);
    WORD front = wAttributes & 0xF, back = wAttributes >> 4 & 0xF;
    if (front != COLOUR)
        length +=
            (size_t)snprintf(sequence + length, sizeof sequence - length, ";%u",
                             (front & FOREGROUND_INTENSITY ? 90 : 30) + terminal_colour(front));
    if (back)
        length +=
            (size_t)snprintf(sequence + length, sizeof sequence - length, ";%u",
                             (back & FOREGROUND_INTENSITY ? 100 : 40) + terminal_colour(back));
    snprintf(sequence + length, sizeof sequence - length, "%s%sm",
             wAttributes & COMMON_LVB_UNDERSCORE ? ";4" : "",
             wAttributes & COMMON_LVB_REVERSE_VIDEO ? ";7" : "");
    BOOL done = tell(file, sequence);
    if (done)
        attributes = wAttributes;
    object_drop(&file->object);
    return done;
}

BOOL WINAPI SetConsoleCursorPosition(HANDLE hConsoleOutput, COORD dwCursorPosition)
{
    struct file *file = screen(hConsoleOutput, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    COORD size = size_of(file), to = dwCursorPosition;
    BOOL done;
    if (to.X < 0 || to.Y < 0 || to.X >= size.X || to.Y >= size.Y) {
        done = win__fail(ERROR_INVALID_PARAMETER);
    } else {
        char sequence[32];
        snprintf(sequence, sizeof sequence, "\033[%d;%dH", to.Y + 1, to.X + 1);
        done = tell(file, sequence);
        if (done)
            cursor = to;
    }
    object_drop(&file->object);
    return done;
}
