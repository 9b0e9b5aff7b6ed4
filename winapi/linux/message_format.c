/* SPDX-License-Identifier: MIT
 *
 * message_format.c - the little language of message definitions: %1, %2!08x!, %n, %0, %%.
 *
 * All text here is UTF-8. snprintf formats each insert, with the argument's size on x64: 64 bits
 * for I64, ll or I, else 32.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/message.h"
#include "winapi/linux/text.h"

struct output {
    char *text;
    SIZE_T length, room;
    DWORD error;
};

static void put(struct output *out, const char *text, SIZE_T bytes)
{
    if (out->error)
        return;
    if (out->length + bytes > MESSAGE_MAX) {
        out->error = ERROR_MORE_DATA;
        return;
    }
    if (out->length + bytes + 1 > out->room) {
        SIZE_T room = (out->length + bytes + 1) * 2;
        char *larger = realloc(out->text, room);
        if (!larger) {
            out->error = ERROR_NOT_ENOUGH_MEMORY;
            return;
        }
        out->text = larger;
        out->room = room;
    }
    memcpy(out->text + out->length, text, bytes);
    out->length += bytes;
    out->text[out->length] = 0;
}

/* The argument with this number; the first is 1. */
static DWORD_PTR argument(struct inserts *inserts, int number)
{
    if (inserts->array)
        return inserts->array[number - 1];
    while (inserts->taken_count < number)
        inserts->taken[inserts->taken_count++] = va_arg(*inserts->list, DWORD_PTR);
    return inserts->taken[number - 1];
}

struct format {
    char spec[32]; /* for snprintf: flags, width, precision */
    enum { NUMBER_32, NUMBER_64, CHARACTER, STRING } kind;
    char conversion;
    bool wide;
    int stars; /* the numbers, of width and precision, that come from arguments */
};

/* Reads the text between the exclamation marks. False: no format. */
static bool parse_format(const char *at, const char *end, bool wide, struct format *format)
{
    size_t n = 0;
    *format = (struct format){.wide = wide};
    format->spec[n++] = '%';
    while (at < end && strchr("-+ #0123456789.*", *at)) {
        if (n > 20 || (*at >= '0' && *at <= '9' && format->spec[n - 1] == '*'))
            return false;
        format->stars += *at == '*';
        format->spec[n++] = *at++;
    }
    bool narrow_said = false, wide_said = false, is_64 = false;
    for (;; at++)
        if (end - at > 3 && !strncmp(at, "I64", 3))
            is_64 = true, at += 2;
        else if (end - at > 3 && !strncmp(at, "I32", 3))
            at += 2;
        else if (end - at > 2 && !strncmp(at, "ll", 2))
            is_64 = true, at++;
        else if (at < end && *at == 'I')
            is_64 = true;
        else if (at < end && *at == 'h')
            narrow_said = true;
        else if (at < end && (*at == 'w' || *at == 'l'))
            wide_said = true;
        else
            break;
    if (end - at != 1 || format->stars > (*at == 'p' ? 0 : 2))
        return false;
    format->conversion = *at;
    if (strchr("diuoxX", *at))
        format->kind = is_64 ? NUMBER_64 : NUMBER_32;
    else if (*at == 'p')
        format->kind = NUMBER_64;
    else if (*at == 'c' || *at == 'C')
        format->kind = CHARACTER;
    else if (*at == 's' || *at == 'S')
        format->kind = STRING;
    else
        return false;
    if (*at == 'S' || *at == 'C')
        format->wide = !wide;
    if (narrow_said || wide_said)
        format->wide = wide_said;
    return true;
}

/* Whether the width or the number of digits is more than a message may have. snprintf would write
 * them all before it returned their number. */
static bool exceeds(const struct format *format, const int *stars)
{
    const char *at = format->spec + 1 + strspn(format->spec + 1, "-+ #0");
    long width = *at == '*' ? *stars++ : strtol(at, NULL, 10), digits = 0;
    at += *at == '*' ? 1 : strspn(at, "0123456789");
    if (*at == '.' && format->kind < CHARACTER)
        digits = at[1] == '*' ? *stars : strtol(at + 1, NULL, 10);
    return labs(width) > MESSAGE_MAX || digits > MESSAGE_MAX;
}

/* Calls snprintf once, with up to two numbers for the stars. */
static int print(char *buffer, size_t size, const struct format *format, const int *stars,
                 DWORD_PTR value, const char *text)
{
    bool pointer = format->conversion == 'p';
    char spec[40], conversion = format->kind >= CHARACTER ? 's' : format->conversion;
    snprintf(spec, sizeof spec, "%s%s%c", pointer ? "%016" : format->spec,
             format->kind == NUMBER_64 ? "ll" : "", pointer ? 'X' : conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#define PRINT(...)                                                                                 \
    (format->stars == 2   ? snprintf(buffer, size, spec, stars[0], stars[1], __VA_ARGS__)          \
     : format->stars == 1 ? snprintf(buffer, size, spec, stars[0], __VA_ARGS__)                    \
                          : snprintf(buffer, size, spec, __VA_ARGS__))
    if (format->kind >= CHARACTER)
        return PRINT(text);
    if (format->kind == NUMBER_64)
        return PRINT((unsigned long long)value);
    return PRINT((unsigned)value);
#undef PRINT
#pragma GCC diagnostic pop
}

/* The text of a string or character argument, which the caller frees. NULL: no memory. */
static char *text_of(const struct format *format, DWORD_PTR value)
{
    const void *pointer = (const void *)value;
    if (format->kind == CHARACTER) {
        WCHAR unit = (WCHAR)value;
        char byte[2] = {(char)value, 0};
        return format->wide ? win__narrow(&unit, 1, NULL) : strdup(byte);
    }
    if (!pointer)
        return strdup("(null)");
    return format->wide ? win__narrow(pointer, win__wide_length(pointer), NULL) : strdup(pointer);
}

static void put_insert(struct output *out, struct inserts *inserts, int number,
                       const struct format *format)
{
    int stars[2] = {0, 0};
    for (int i = 0; i < format->stars; i++)
        stars[i] = (int)argument(inserts, number++);
    DWORD_PTR value = argument(inserts, number);
    if (format->conversion != 'p' && exceeds(format, stars)) {
        out->error = ERROR_MORE_DATA;
        return;
    }
    char *text = format->kind >= CHARACTER ? text_of(format, value) : NULL;
    if (format->kind >= CHARACTER && !text) {
        out->error = ERROR_NOT_ENOUGH_MEMORY;
        return;
    }
    int length = print(NULL, 0, format, stars, value, text);
    char *printed = length >= 0 && length <= MESSAGE_MAX ? malloc((size_t)length + 1) : NULL;
    if (printed) {
        print(printed, (size_t)length + 1, format, stars, value, text);
        put(out, printed, (SIZE_T)length);
    } else {
        out->error = length > MESSAGE_MAX ? ERROR_MORE_DATA : ERROR_NOT_ENOUGH_MEMORY;
    }
    free(printed);
    free(text);
}

/* `at` is the digit after a percent sign. Returns the end of the insert. */
static const char *insert(struct output *out, const char *at, DWORD flags, struct inserts *inserts)
{
    const char *begin = at - 1;
    int number = *at++ - '0';
    if (isdigit((unsigned char)*at))
        number = number * 10 + (*at++ - '0');
    const char *format_end = *at == '!' ? strchr(at + 1, '!') : NULL;
    static const char string[] = "s";
    struct format format;
    if (flags & FORMAT_MESSAGE_IGNORE_INSERTS) {
        put(out, begin, (SIZE_T)(at - begin));
        return at;
    }
    bool valid = format_end ? parse_format(at + 1, format_end, inserts->wide, &format)
                            : parse_format(string, string + 1, inserts->wide, &format);
    if (!valid || number + format.stars > 99 || (!inserts->array && !inserts->list))
        out->error = ERROR_INVALID_PARAMETER;
    else
        put_insert(out, inserts, number, &format);
    return format_end ? format_end + 1 : at;
}

/* The end of a line in the definition stays, or becomes a blank if the caller wants no line
 * breaks. */
static const char *line_end(struct output *out, const char *at, DWORD flags)
{
    bool join = (flags & FORMAT_MESSAGE_MAX_WIDTH_MASK) == FORMAT_MESSAGE_MAX_WIDTH_MASK;
    if (at[0] == '\r' && at[1] == '\n')
        at++;
    put(out, join ? " " : "\r\n", join ? 1 : 2);
    return at + 1;
}

char *win__format_message(const char *definition, DWORD flags, struct inserts *inserts,
                          SIZE_T *length, DWORD *error)
{
    struct output out = {NULL, 0, 0, 0};
    put(&out, "", 0);
    for (const char *at = definition; *at && !out.error;) {
        size_t plain = strcspn(at, "%\r\n");
        put(&out, at, plain);
        at += plain;
        if (*at == '\r' || *at == '\n') {
            at = line_end(&out, at, flags);
        } else if (*at == '%') {
            char next = at[1];
            if (next == '0')
                break;
            if (next >= '1' && next <= '9') {
                at = insert(&out, at + 1, flags, inserts);
                continue;
            }
            if (!next) {
                out.error = ERROR_INVALID_PARAMETER;
                break;
            }
            if (next == 'n')
                put(&out, "\r\n", 2);
            else if (next == 'r' || next == 't')
                put(&out, next == 'r' ? "\r" : "\t", 1);
            else
                put(&out, &next, 1); /* a percent sign, blank, full stop, exclamation mark */
            at += 2;
        }
    }
    *error = out.error;
    *length = out.length;
    if (!out.error)
        return out.text;
    free(out.text);
    return NULL;
}
