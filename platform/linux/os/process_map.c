/* SPDX-License-Identifier: MIT
 *
 * process_map.c - see process_map.h.
 *
 *     55d0c8a1e000-55d0c8a3f000 r-xp 00002000 fe:01 1234567    /usr/bin/name
 *
 * A line may be as long as a path. The buffer holds several. The incomplete last line moves to its
 * front before the next read.
 */
#include "platform/linux/os/process_map.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/linux/os/raw.h"
#include "platform/platform.h"

enum { BUFFER = 65536 };

/* Reads a number, and skips the character after it. */
static uint64_t take_number(const char **text, unsigned base)
{
    uint64_t number = 0;
    for (;; (*text)++) {
        char c = **text;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                : 16;
        if (digit >= base)
            break;
        number = number * base + digit;
    }
    if (**text)
        (*text)++;
    return number;
}

static bool visit_line(const char *text, map_visit *visit, void *arg)
{
    struct map_line line = {.start = 0};
    line.start = take_number(&text, 16);
    line.end = take_number(&text, 16);
    if (strnlen(text, 5) < 5)
        return true;
    line.read = text[0] == 'r';
    line.write = text[1] == 'w';
    line.execute = text[2] == 'x';
    line.shared = text[3] == 's';
    text += 5;
    line.offset = (off_t)take_number(&text, 16);
    take_number(&text, 16);
    take_number(&text, 16);
    line.inode = take_number(&text, 10);
    while (*text == ' ')
        text++;
    line.path = text;
    return visit(&line, arg);
}

/* Returns how many bytes are left after the last whole line; -1: the visitor has seen enough. */
static long visit_lines(char *text, size_t bytes, map_visit *visit, void *arg)
{
    char *end = text + bytes, *newline;
    while ((newline = memchr(text, '\n', (size_t)(end - text)))) {
        *newline = '\0';
        if (!visit_line(text, visit, arg))
            return -1;
        text = newline + 1;
    }
    return end - text;
}

bool process_map_read(map_visit *visit, void *arg)
{
    char *buffer = plat_reserve(BUFFER);
    long file =
        buffer ? RAW4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0) : -1;
    long kept = 0, got = 0;
    while (file >= 0 && kept >= 0 && kept < BUFFER &&
           (got = RAW3(SYS_read, file, buffer + kept, BUFFER - kept)) > 0) {
        size_t bytes = (size_t)(kept + got);
        kept = visit_lines(buffer, bytes, visit, arg);
        if (kept > 0)
            memmove(buffer, buffer + bytes - kept, (size_t)kept);
    }
    if (file >= 0)
        RAW1(SYS_close, file);
    if (buffer)
        RAW2(SYS_munmap, buffer, BUFFER);
    return file >= 0 && got >= 0;
}
