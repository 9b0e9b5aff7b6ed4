/* SPDX-License-Identifier: MIT
 *
 * console_read.c - ReadConsole and FlushConsoleInputBuffer: text from a terminal.
 *
 * While the terminal takes lines (ENABLE_LINE_INPUT), each line ends in CR and LF as on Windows. So
 * a call may have up to two units more than the program has room for. They stay with the file, in
 * console_rest: the first in the lower half; 0: none. The next reader takes both. If two threads
 * read one file at the same time and both have a rest, only the later rest is kept.
 */
#include <errno.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "platform/linux/interrupt/sync_call.h"
#include "winapi/linux/console.h"
#include "winapi/linux/error.h"
#include "winapi/linux/text.h"

enum {
    MOST_READ = 4096, /* as long as the terminal's own longest line */
    MOST_REST = 2,
};

/* The program's buffer: bytes or units of 16 bits. */
struct room {
    char *narrow; /* NULL: the buffer is wide */
    WCHAR *wide;
    DWORD size, count;
    WCHAR rest[MOST_REST];
    unsigned rests;
};

static void put(struct room *room, WCHAR unit)
{
    if (room->count == room->size)
        room->rest[room->rests++] = unit;
    else if (room->narrow)
        room->narrow[room->count++] = (char)unit;
    else
        room->wide[room->count++] = unit;
}

static void take_rest(struct file *file, struct room *room)
{
    for (uint32_t rest = atomic_exchange(&file->console_rest, 0); rest; rest >>= 16)
        put(room, (WCHAR)rest);
}

static void leave_rest(struct file *file, const struct room *room)
{
    if (room->rests)
        file->console_rest = room->rest[0] | (uint32_t)room->rest[1] << 16;
}

/* Returns the number of bytes; 0: the end of the input; -1 with errno. */
static ssize_t read_some(struct file *file, unsigned char *to, size_t most)
{
    ssize_t got;
    struct sync_call outer = sync_call_begin(&file->object);
    do
        got = read(file->fd, to, most);
    while (got < 0 && sync_call_again());
    sync_call_end(&outer);
    return got;
}

/* Whether the last code point is not whole: more bytes would make it valid. */
static bool is_cut(const unsigned char *bytes, size_t count)
{
    for (size_t back = 1; back < MOST_UTF8 && back <= count; back++) {
        unsigned char byte = bytes[count - back];
        if (byte >= 0xC2 && byte <= 0xF4)
            return back < (byte < 0xE0 ? 2u : byte < 0xF0 ? 3u : 4u);
        if (byte < 0x80 || byte >= 0xC0)
            return false;
    }
    return false;
}

/* The terminal gives bytes, and a code point may have more bytes than were asked for. Reads the
 * others, which are there or on their way. */
static ssize_t read_whole(struct file *file, unsigned char *bytes, size_t most, bool wide)
{
    ssize_t got = read_some(file, bytes, most);
    while (got > 0 && wide && is_cut(bytes, (size_t)got)) {
        ssize_t more = read_some(file, bytes + got, 1);
        if (more <= 0)
            break;
        got += more;
    }
    return got;
}

static void put_text(struct room *room, const unsigned char *bytes, size_t count, bool lines)
{
    const unsigned char *at = bytes, *end = bytes + count;
    while (at < end) {
        uint32_t point = room->narrow ? *at++ : win__next_of_utf8(&at, end);
        WCHAR units[2];
        if (lines && point == '\n')
            put(room, '\r');
        unsigned number = win__put_utf16(units, point == BAD_POINT ? REPLACEMENT_POINT : point);
        for (unsigned i = 0; i < number; i++)
            put(room, units[i]);
    }
}

static BOOL read_text(HANDLE handle, struct room *room, LPDWORD count)
{
    if (count)
        *count = 0;
    struct file *file = win__terminal(handle, FILE_MAY_READ);
    if (!file)
        return FALSE;
    DWORD error = ERROR_SUCCESS;
    if (room->size && !room->narrow && !room->wide)
        error = ERROR_NOACCESS;
    else if (room->size)
        take_rest(file, room);
    if (!error && room->size && !room->count) {
        struct termios settings;
        bool lines = tcgetattr(file->fd, &settings) == 0 && settings.c_lflag & ICANON;
        unsigned char bytes[MOST_READ + MOST_UTF8];
        ssize_t got = read_whole(file, bytes, room->size < MOST_READ ? room->size : MOST_READ,
                                 room->wide != NULL);
        if (got < 0)
            error = win__read_error(file, errno);
        else
            put_text(room, bytes, (size_t)got, lines);
    }
    leave_rest(file, room);
    object_drop(&file->object);
    if (count)
        *count = room->count;
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI ReadConsoleA(HANDLE hConsoleInput, LPVOID lpBuffer, DWORD nNumberOfCharsToRead,
                         LPDWORD lpNumberOfCharsRead, LPVOID pInputControl)
{
    (void)pInputControl;
    struct room room = {.narrow = lpBuffer, .size = nNumberOfCharsToRead};
    return read_text(hConsoleInput, &room, lpNumberOfCharsRead);
}

BOOL WINAPI ReadConsoleW(HANDLE hConsoleInput, LPVOID lpBuffer, DWORD nNumberOfCharsToRead,
                         LPDWORD lpNumberOfCharsRead, LPVOID pInputControl)
{
    (void)pInputControl;
    struct room room = {.wide = lpBuffer, .size = nNumberOfCharsToRead};
    return read_text(hConsoleInput, &room, lpNumberOfCharsRead);
}

BOOL WINAPI FlushConsoleInputBuffer(HANDLE hConsoleInput)
{
    struct file *file = win__terminal(hConsoleInput, FILE_MAY_READ);
    if (!file)
        return FALSE;
    file->console_rest = 0;
    DWORD error = tcflush(file->fd, TCIFLUSH) ? win__error_of(errno) : ERROR_SUCCESS;
    object_drop(&file->object);
    return error ? win__fail(error) : TRUE;
}
