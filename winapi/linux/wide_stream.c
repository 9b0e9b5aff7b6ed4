/* SPDX-License-Identifier: MIT
 *
 * wide_stream.c - see wide.h: characters and lines of streams. A stream has bytes, which are UTF-8,
 * and no orientation: a program may mix both kinds of calls.
 *
 * A character of two units is written when the second one comes, and is read as two units.
 * Meanwhile the calling thread keeps one unit for each direction, and loses it when it uses another
 * stream so.
 */
#include <string.h>

#include "winapi/linux/text.h"
#include "winapi/linux/wide.h"

struct half {
    FILE *file;
    WCHAR unit;
};

static __thread struct half to_write __attribute__((tls_model("initial-exec")));
static __thread struct half to_read __attribute__((tls_model("initial-exec")));

static bool is_lead(uint32_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool write_point(FILE *file, const WCHAR *units, SIZE_T count)
{
    char bytes[2 * MOST_UTF8];
    unsigned length = 0;
    for (const WCHAR *end = units + count; units < end;) {
        uint32_t point = win__next_of_utf16(&units, end);
        length += win__put_utf8(bytes + length, point == BAD_POINT ? REPLACEMENT_POINT : point);
    }
    return fwrite(bytes, 1, length, file) == length;
}

wint_t umsshim_w_fputwc(WCHAR value, FILE *file)
{
    WCHAR units[2] = {to_write.unit, value};
    bool second = to_write.file == file;
    to_write.file = NULL;
    if (is_lead(value) && !second) {
        to_write = (struct half){file, value};
        return value;
    }
    return write_point(file, second ? units : units + 1, second ? 2 : 1) ? value : WEOF;
}

wint_t umsshim_w_putwchar(WCHAR value)
{
    return umsshim_w_fputwc(value, stdout);
}

int umsshim_w_fputws(const WCHAR *string, FILE *file)
{
    flockfile(file);
    bool done = true;
    for (; *string && done; string++)
        done = umsshim_w_fputwc(*string, file) != WEOF;
    funlockfile(file);
    return done ? 0 : EOF;
}

/* Reads the next character; BAD_POINT: the bytes are no character; EOF: the end. */
static int32_t read_point(FILE *file)
{
    int first = getc(file);
    if (first == EOF)
        return EOF;
    unsigned char bytes[MOST_UTF8] = {(unsigned char)first};
    unsigned more = first < 0xC2 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 0;
    unsigned length = 1;
    for (; length <= more; length++) {
        int next = getc(file);
        if (next == EOF)
            break;
        if ((next & 0xC0) != 0x80) {
            ungetc(next, file);
            break;
        }
        bytes[length] = (unsigned char)next;
    }
    const unsigned char *at = bytes;
    return (int32_t)win__next_of_utf8(&at, bytes + length);
}

wint_t umsshim_w_fgetwc(FILE *file)
{
    if (to_read.file == file) {
        to_read.file = NULL;
        return to_read.unit;
    }
    flockfile(file);
    int32_t point = read_point(file);
    funlockfile(file);
    if (point == EOF)
        return WEOF;
    WCHAR units[2];
    if (win__put_utf16(units, point == BAD_POINT ? REPLACEMENT_POINT : (uint32_t)point) == 2)
        to_read = (struct half){file, units[1]};
    return units[0];
}

wint_t umsshim_w_getwchar(void)
{
    return umsshim_w_fgetwc(stdin);
}

WCHAR *umsshim_w_fgetws(WCHAR *to, int size, FILE *file)
{
    int length = 0;
    wint_t next = 0;
    flockfile(file);
    while (length < size - 1 && next != '\n' && (next = umsshim_w_fgetwc(file)) != WEOF)
        to[length++] = (WCHAR)next;
    bool failed = ferror(file);
    funlockfile(file);
    if (size < 1 || failed || (length == 0 && size > 1))
        return NULL;
    to[length] = 0;
    return to;
}

/* Keeps a surrogate; gives the bytes of another unit back to the stream. */
wint_t umsshim_w_ungetwc(wint_t value, FILE *file)
{
    if (value > 0xFFFF || to_read.file == file)
        return WEOF;
    if (value >= 0xD800 && value < 0xE000) {
        to_read = (struct half){file, (WCHAR)value};
        return value;
    }
    char bytes[MOST_UTF8];
    for (unsigned length = win__put_utf8(bytes, value); length-- > 0;)
        if (ungetc((unsigned char)bytes[length], file) == EOF)
            return WEOF;
    return value;
}

/* Streams have no orientation, and every call may be made. */
int umsshim_w_fwide(FILE *file, int mode)
{
    (void)file;
    return mode;
}
