/* SPDX-License-Identifier: MIT
 *
 * wide_print.c - see wide.h: the printf calls of programs with 16-bit wide text.
 *
 * A wide format has Windows' meaning, as in win__print: %s is wide text, a long has 32 bits. An
 * 8-bit format has libc's meaning, by which the compiler checks it, and libc prints it. Only with a
 * conversion of wide text this library does, as libc would take that text for 32-bit text.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/printing.h"
#include "winapi/linux/text.h"
#include "winapi/linux/wide.h"

/* Prints to `out`, whose parameters are set. Returns the length, or -1. */
static int print(struct printing *out, const void *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    win__print(out, format, &again);
    va_end(again);
    if (out->failed || out->length > INT_MAX) {
        errno = out->failed ? ENOMEM : EOVERFLOW;
        return -1;
    }
    return (int)out->length;
}

/* The whole text in malloc's memory; *length is its length. NULL with errno. */
static void *printed(bool wide, const void *format, va_list arguments, int *length)
{
    struct printing out = {.wide = wide, .longs = !wide};
    *length = print(&out, format, arguments);
    if (*length < 0)
        return NULL;
    size_t unit = wide ? sizeof(WCHAR) : 1;
    out = (struct printing){.wide = wide, .longs = !wide, .room = (size_t)*length};
    out.to = malloc((out.room + 1) * unit);
    if (out.to && print(&out, format, arguments) != *length) {
        free(out.to);
        out.to = NULL;
    }
    return out.to;
}

static int print_to_file(FILE *file, bool wide, const void *format, va_list arguments)
{
    int units;
    char *text = printed(wide, format, arguments, &units);
    SIZE_T length = (SIZE_T)units;
    if (text && wide) {
        char *narrow = win__narrow((const WCHAR *)(const void *)text, (SIZE_T)units, &length);
        free(text);
        text = narrow;
    }
    bool done = text && fwrite(text, 1, length, file) == length;
    free(text);
    return done ? units : -1;
}

/* ---- Wide formats ---------------------------------------------------------------------------- */

int umsshim_w_vfwprintf(FILE *file, const WCHAR *format, va_list arguments)
{
    return print_to_file(file, true, format, arguments);
}

int umsshim_w_vwprintf(const WCHAR *format, va_list arguments)
{
    return print_to_file(stdout, true, format, arguments);
}

int umsshim_w_vscwprintf(const WCHAR *format, va_list arguments)
{
    struct printing out = {.wide = true};
    return print(&out, format, arguments);
}

/* A text that does not fit is cut, and the result is -1. */
int umsshim_w_vswprintf(WCHAR *to, size_t size, const WCHAR *format, va_list arguments)
{
    if (!size)
        return -1;
    struct printing out = {.wide = true, .to = to, .room = size - 1};
    int length = print(&out, format, arguments);
    to[out.length < out.room ? out.length : out.room] = 0;
    return length >= 0 && (size_t)length < size ? length : -1;
}

/* ---- 8-bit formats --------------------------------------------------------------------------- */

/* Whether the format has a conversion of wide text. */
static bool has_wide(const char *format)
{
    while ((format = strchr(format, '%'))) {
        format++;
        if (*format == '%') {
            format++;
            continue;
        }
        format += strspn(format, "-+ #0123456789.*'$");
        bool wide = *format == 'l' || *format == 'w';
        format += strspn(format, "hlw");
        if (*format == 'S' || *format == 'C' || (wide && (*format == 's' || *format == 'c')))
            return true;
    }
    return false;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
int umsshim_w_vfprintf(FILE *file, const char *format, va_list arguments)
{
    if (!has_wide(format))
        return vfprintf(file, format, arguments);
    return print_to_file(file, false, format, arguments);
}

int umsshim_w_vsnprintf(char *to, size_t size, const char *format, va_list arguments)
{
    if (!has_wide(format))
        return vsnprintf(to, size, format, arguments);
    struct printing out = {.longs = true, .to = to, .room = size ? size - 1 : 0};
    int length = print(&out, format, arguments);
    if (size)
        to[out.length < out.room ? out.length : out.room] = 0;
    return length;
}
#pragma GCC diagnostic pop

int umsshim_w_vprintf(const char *format, va_list arguments)
{
    return umsshim_w_vfprintf(stdout, format, arguments);
}

int umsshim_w_vsprintf(char *to, const char *format, va_list arguments)
{
    return umsshim_w_vsnprintf(to, INT_MAX, format, arguments);
}

/* ---- The same with arguments of their own ---------------------------------------------------- */

int umsshim_w_fwprintf(FILE *file, const WCHAR *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vfwprintf(file, format, arguments);
    va_end(arguments);
    return length;
}

int umsshim_w_wprintf(const WCHAR *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vwprintf(format, arguments);
    va_end(arguments);
    return length;
}

int umsshim_w_swprintf(WCHAR *to, size_t size, const WCHAR *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vswprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}

int umsshim_w_fprintf(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vfprintf(file, format, arguments);
    va_end(arguments);
    return length;
}

int umsshim_w_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vprintf(format, arguments);
    va_end(arguments);
    return length;
}

int umsshim_w_snprintf(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}

int umsshim_w_sprintf(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = umsshim_w_vsprintf(to, format, arguments);
    va_end(arguments);
    return length;
}
