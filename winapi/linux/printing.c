/* SPDX-License-Identifier: MIT
 *
 * printing.c - see printing.h. libc's snprintf formats each number.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/printing.h"
#include "winapi/linux/text.h"

struct directive {
    bool left, plus, blank, alternative, zeros;
    int width, precision; /* a precision of -1: none is given */
    enum { SIZE_INT, SIZE_BYTE, SIZE_SHORT, SIZE_LONG, SIZE_64, SIZE_WIDE } size;
    uint32_t conversion;
};

struct format {
    const void *text;
    bool wide;
    size_t at;
};

static uint32_t unit(const void *text, bool wide, size_t index)
{
    return wide ? ((const WCHAR *)text)[index] : ((const unsigned char *)text)[index];
}

static uint32_t peek(const struct format *format)
{
    return unit(format->text, format->wide, format->at);
}

static bool take(struct format *format, const char *word)
{
    size_t i = 0;
    for (; word[i]; i++)
        if (unit(format->text, format->wide, format->at + i) != (unsigned char)word[i])
            return false;
    format->at += i;
    return true;
}

static void put(struct printing *out, uint32_t value)
{
    if (out->length < out->room) {
        if (out->wide)
            ((WCHAR *)out->to)[out->length] = (WCHAR)value;
        else
            ((char *)out->to)[out->length] = (char)value;
    }
    out->length++;
}

static void pad(struct printing *out, uint32_t with, int count)
{
    for (; count > 0; count--)
        put(out, with);
}

static void put_text(struct printing *out, const void *text, size_t units,
                     const struct directive *what)
{
    int missing = (size_t)what->width > units ? what->width - (int)units : 0;
    if (!what->left)
        pad(out, what->zeros ? '0' : ' ', missing);
    for (size_t i = 0; i < units; i++)
        put(out, unit(text, out->wide, i));
    if (what->left)
        pad(out, ' ', missing);
}

/* ---- Reading a directive ------------------------------------------------------------------- */

static int number(struct format *format)
{
    int value = 0;
    for (uint32_t digit; (digit = peek(format) - '0') < 10; format->at++)
        value = value > (INT_MAX - 9) / 10 ? INT_MAX / 2 : value * 10 + (int)digit;
    return value;
}

static void read_flags(struct format *format, bool user32, struct directive *what)
{
    for (;;)
        if (take(format, "-"))
            what->left = true;
        else if (take(format, "#"))
            what->alternative = true;
        else if (take(format, "0"))
            what->zeros = true;
        else if (!user32 && take(format, "+"))
            what->plus = true;
        else if (!user32 && take(format, " "))
            what->blank = true;
        else
            return;
}

static void read_size(struct format *format, struct directive *what)
{
    if (take(format, "I64") || take(format, "ll") || take(format, "j") || take(format, "z") ||
        take(format, "t"))
        what->size = SIZE_64;
    else if (take(format, "I32"))
        what->size = SIZE_INT;
    else if (take(format, "I"))
        what->size = SIZE_64;
    else if (take(format, "hh"))
        what->size = SIZE_BYTE;
    else if (take(format, "h"))
        what->size = SIZE_SHORT;
    else if (take(format, "l"))
        what->size = SIZE_LONG;
    else if (take(format, "w"))
        what->size = SIZE_WIDE;
    else
        take(format, "L");
}

static struct directive read_directive(struct format *format, bool user32, va_list *arguments)
{
    struct directive what = {.precision = -1};
    read_flags(format, user32, &what);
    if (!user32 && take(format, "*")) {
        what.width = va_arg(*arguments, int);
        if (what.width < 0) {
            what.left = true;
            what.width = what.width == INT_MIN ? 0 : -what.width;
        }
    } else {
        what.width = number(format);
    }
    if (take(format, ".")) {
        if (!user32 && take(format, "*"))
            what.precision = va_arg(*arguments, int);
        else
            what.precision = number(format);
    }
    read_size(format, &what);
    what.conversion = peek(format);
    return what;
}

/* ---- Conversions --------------------------------------------------------------------------- */

/* A number as snprintf formats it, with flags and width; ASCII only. */
static void put_number(struct printing *out, const struct directive *what, const char *length,
                       uint64_t whole, const double *fraction)
{
    char spec[24], small[128], *text = small;
    snprintf(spec, sizeof spec, "%%%s%s%s%s%s*%s%s%c", what->left ? "-" : "", what->plus ? "+" : "",
             what->blank ? " " : "", what->alternative ? "#" : "", what->zeros ? "0" : "",
             what->precision < 0 ? "" : ".*", length, (char)what->conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define PRINT(to, size)                                                                            \
    (fraction && what->precision < 0 ? snprintf(to, size, spec, what->width, *fraction)            \
     : fraction            ? snprintf(to, size, spec, what->width, what->precision, *fraction)     \
     : what->precision < 0 ? snprintf(to, size, spec, what->width, whole)                          \
                           : snprintf(to, size, spec, what->width, what->precision, whole))
    int count = PRINT(small, sizeof small);
    if (count >= (int)sizeof small) {
        text = malloc((size_t)count + 1);
        if (text)
            PRINT(text, (size_t)count + 1);
    }
#undef PRINT
#pragma GCC diagnostic pop
    out->failed |= count < 0 || !text;
    for (int i = 0; text && i < count; i++)
        put(out, (unsigned char)text[i]);
    if (text != small)
        free(text);
}

static uint64_t sized(const struct directive *what, bool is_signed, va_list *arguments)
{
    if (what->size == SIZE_64)
        return va_arg(*arguments, uint64_t);
    uint32_t value = va_arg(*arguments, uint32_t);
    if (what->size == SIZE_BYTE)
        return is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
    if (what->size == SIZE_SHORT)
        return is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
    return is_signed ? (uint64_t)(int64_t)(int32_t)value : value;
}

static void put_pointer(struct printing *out, struct directive what, const void *pointer)
{
    what.precision = 2 * (int)sizeof pointer;
    what.conversion = 'X';
    put_number(out, &what, "l", (uintptr_t)pointer, NULL);
}

static bool argument_is_wide(const struct printing *out, const struct directive *what)
{
    if (what->size == SIZE_SHORT)
        return false;
    if (what->size == SIZE_LONG || what->size == SIZE_WIDE)
        return true;
    bool other = what->conversion == 'S' || what->conversion == 'C';
    return out->wide != other;
}

/* The length of a text, at most `most` units; the text need not end with a zero. */
static size_t bounded_length(const void *text, bool wide, int most)
{
    size_t length = 0;
    while ((most < 0 || length < (size_t)most) && unit(text, wide, length))
        length++;
    return length;
}

static void put_string(struct printing *out, const struct directive *what, const void *text,
                       bool wide, size_t units)
{
    if (wide == out->wide) {
        put_text(out, text, units, what);
        return;
    }
    SIZE_T length = 0;
    void *other =
        wide ? (void *)win__narrow(text, units, &length) : (void *)win__widen(text, units, &length);
    out->failed |= !other;
    if (other)
        put_text(out, other, length, what);
    free(other);
}

static void put_argument_string(struct printing *out, const struct directive *what,
                                const void *text)
{
    static const WCHAR none[] = {'(', 'n', 'u', 'l', 'l', ')', 0};
    bool wide = text ? argument_is_wide(out, what) : true;
    if (!text)
        text = none;
    put_string(out, what, text, wide, bounded_length(text, wide, what->precision));
}

static void put_character(struct printing *out, const struct directive *what, int value)
{
    bool wide = argument_is_wide(out, what);
    WCHAR wide_value = (WCHAR)value;
    char narrow_value = (char)value;
    put_string(out, what, wide ? (const void *)&wide_value : &narrow_value, wide, 1);
}

/* False: no conversion; the character stands for itself. */
static bool convert(struct printing *out, struct directive *what, va_list *arguments)
{
    double fraction;
    switch (what->conversion) {
    case 'd':
    case 'i':
        put_number(out, what, "l", sized(what, true, arguments), NULL);
        return true;
    case 'u':
    case 'x':
    case 'X':
        put_number(out, what, "l", sized(what, false, arguments), NULL);
        return true;
    case 'p':
        put_pointer(out, *what, va_arg(*arguments, void *));
        return true;
    case 'c':
    case 'C':
        put_character(out, what, va_arg(*arguments, int));
        return true;
    case 's':
    case 'S':
        put_argument_string(out, what, va_arg(*arguments, void *));
        return true;
    default:
        break;
    }
    if (out->user32)
        return false;
    switch (what->conversion) {
    case 'o':
        put_number(out, what, "l", sized(what, false, arguments), NULL);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        fraction = va_arg(*arguments, double); /* on Windows a long double is a double */
        put_number(out, what, "", 0, &fraction);
        return true;
    default:
        return false;
    }
}

void win__print(struct printing *out, const void *text, va_list *arguments)
{
    struct format format = {text, out->wide, 0};
    for (uint32_t next; (next = peek(&format)) != 0;) {
        format.at++;
        if (next != '%' || take(&format, "%")) {
            put(out, next);
            continue;
        }
        struct directive what = read_directive(&format, out->user32, arguments);
        if (!what.conversion)
            return;
        if (what.size == SIZE_LONG && out->longs && strchr("diuoxX", (int)what.conversion))
            what.size = SIZE_64;
        format.at++;
        if (!convert(out, &what, arguments))
            put(out, what.conversion);
    }
}
