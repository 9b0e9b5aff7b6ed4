/* SPDX-License-Identifier: MIT
 *
 * console.c - the standard handles, and the modes of terminals.
 *
 * All handles of a terminal share its settings for reading. The modes for line input, echo and
 * Ctrl-C are settings of the terminal; a handle only remembers its other modes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "winapi/linux/console.h"
#include "winapi/linux/error.h"
#include "winapi/linux/text.h"

static _Atomic(HANDLE) standard[3]; /* each is made when a program first asks for it */

/* 0, 1 or 2, from STD_INPUT_HANDLE on, which is the descriptor as well; -1 with the last error. */
static int standard_index(DWORD which)
{
    DWORD index = STD_INPUT_HANDLE - which;
    if (index < 3)
        return (int)index;
    win__fail(ERROR_INVALID_HANDLE);
    return -1;
}

HANDLE WINAPI GetStdHandle(DWORD nStdHandle)
{
    int index = standard_index(nStdHandle);
    if (index < 0)
        return INVALID_HANDLE_VALUE;
    HANDLE known = standard[index], none = NULL;
    int flags = fcntl(index, F_GETFL);
    if (known || flags < 0)
        return known;
    unsigned access = index == 0 ? FILE_IS_CONSOLE_INPUT : 0;
    access |= (flags & O_ACCMODE) != O_WRONLY ? FILE_MAY_READ : 0;
    access |= (flags & O_ACCMODE) != O_RDONLY ? FILE_MAY_WRITE : 0;
    HANDLE fresh = win__file_handle(index, access, true, NULL);
    if (!fresh)
        return INVALID_HANDLE_VALUE;
    if (atomic_compare_exchange_strong(&standard[index], &none, fresh))
        return fresh;
    CloseHandle(fresh);
    return none;
}

BOOL WINAPI SetStdHandle(DWORD nStdHandle, HANDLE hHandle)
{
    int index = standard_index(nStdHandle);
    if (index < 0)
        return FALSE;
    standard[index] = hHandle;
    return TRUE;
}

struct file *win__terminal(HANDLE handle, unsigned access)
{
    struct file *file = win__file_for(handle, access);
    if (file && !isatty(file->fd)) {
        object_drop(&file->object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return file;
}

static const struct {
    DWORD mode;
    tcflag_t flag;
} modes[] = {
    {ENABLE_PROCESSED_INPUT, ISIG}, {ENABLE_LINE_INPUT, ICANON}, {ENABLE_ECHO_INPUT, ECHO}};

BOOL WINAPI GetConsoleMode(HANDLE hConsoleHandle, LPDWORD lpMode)
{
    struct file *file = win__terminal(hConsoleHandle, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    DWORD mode = file->console_mode;
    struct termios settings;
    if (file->access & FILE_IS_CONSOLE_INPUT && tcgetattr(file->fd, &settings) == 0)
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
            mode = settings.c_lflag & modes[i].flag ? mode | modes[i].mode : mode & ~modes[i].mode;
    *lpMode = mode;
    object_drop(&file->object);
    return TRUE;
}

BOOL WINAPI SetConsoleMode(HANDLE hConsoleHandle, DWORD dwMode)
{
    struct file *file = win__terminal(hConsoleHandle, FILE_MAY_READ | FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    DWORD error = ERROR_SUCCESS;
    struct termios settings;
    bool input = file->access & FILE_IS_CONSOLE_INPUT;
    if (input && dwMode & ENABLE_ECHO_INPUT && !(dwMode & ENABLE_LINE_INPUT)) {
        error = ERROR_INVALID_PARAMETER; /* echo needs line input */
    } else if (input && tcgetattr(file->fd, &settings) == 0) {
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
            settings.c_lflag = dwMode & modes[i].mode ? settings.c_lflag | modes[i].flag
                                                      : settings.c_lflag & ~modes[i].flag;
        if (tcsetattr(file->fd, TCSANOW, &settings))
            error = win__error_of(errno);
    }
    if (!error)
        file->console_mode = dwMode;
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI WriteConsoleA(HANDLE hConsoleOutput, const void *lpBuffer, DWORD nNumberOfCharsToWrite,
                          LPDWORD lpNumberOfCharsWritten, LPVOID lpReserved)
{
    (void)lpReserved;
    struct file *file = win__terminal(hConsoleOutput, FILE_MAY_WRITE);
    if (!file)
        return FALSE;
    DWORD written;
    BOOL done = win__write_all(file, lpBuffer, nNumberOfCharsToWrite, &written);
    if (lpNumberOfCharsWritten)
        *lpNumberOfCharsWritten = written;
    object_drop(&file->object);
    return done;
}

BOOL WINAPI WriteConsoleW(HANDLE hConsoleOutput, const void *lpBuffer, DWORD nNumberOfCharsToWrite,
                          LPDWORD lpNumberOfCharsWritten, LPVOID lpReserved)
{
    SIZE_T length;
    char *text = win__narrow(lpBuffer, nNumberOfCharsToWrite, &length);
    if (!text)
        return win__fail(ERROR_NOT_ENOUGH_MEMORY);
    BOOL done = WriteConsoleA(hConsoleOutput, text, (DWORD)length, NULL, lpReserved);
    free(text);
    if (done && lpNumberOfCharsWritten)
        *lpNumberOfCharsWritten = nNumberOfCharsToWrite;
    return done;
}
