/* SPDX-License-Identifier: MIT
 *
 * message.c - FormatMessage: system errors and the program's own definitions.
 *
 * The language makes no difference, and modules have no messages. A width means none, unless it is
 * FORMAT_MESSAGE_MAX_WIDTH_MASK, for no line breaks. Arguments are a pointer to a va_list of the
 * platform's own kind.
 */
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/message.h"
#include "winapi/linux/message_table.h"
#include "winapi/linux/text.h"

static char *system_message(DWORD id, DWORD *error)
{
    const char *text = win__message_text(id);
    if (!text) {
        *error = ERROR_MR_MID_NOT_FOUND;
        return NULL;
    }
    char *line = malloc(strlen(text) + 3);
    if (line)
        strcat(strcpy(line, text), "\r\n");
    else
        *error = ERROR_NOT_ENOUGH_MEMORY;
    return line;
}

/* The definition, in malloc's memory; NULL with *error. */
static char *find_definition(DWORD flags, const void *source, DWORD id, bool wide, DWORD *error)
{
    char *text = NULL;
    if (flags & FORMAT_MESSAGE_FROM_STRING) {
        if (source)
            text = wide ? win__narrow(source, win__wide_length(source), NULL) : strdup(source);
        *error = !source ? ERROR_INVALID_PARAMETER : ERROR_NOT_ENOUGH_MEMORY;
        return text;
    }
    if (flags & FORMAT_MESSAGE_FROM_SYSTEM)
        return system_message(id, error);
    *error = flags & FORMAT_MESSAGE_FROM_HMODULE ? ERROR_MR_MID_NOT_FOUND : ERROR_INVALID_PARAMETER;
    return NULL;
}

static char *compose(DWORD flags, const void *source, DWORD id, void *arguments, bool wide,
                     SIZE_T *length, DWORD *error)
{
    struct inserts inserts = {.wide = wide};
    if (flags & FORMAT_MESSAGE_ARGUMENT_ARRAY)
        inserts.array = arguments;
    else
        inserts.list = arguments;
    char *definition = find_definition(flags, source, id, wide, error);
    char *text = NULL;
    if (definition)
        text = win__format_message(definition, flags, &inserts, length, error);
    free(definition);
    return text;
}

/* Gives the caller `units` of `unit_bytes` each, and a zero. Returns the count, or 0. */
static DWORD deliver(DWORD flags, void *buffer, DWORD size, const void *text, SIZE_T units,
                     SIZE_T unit_bytes)
{
    SIZE_T bytes = (units + 1) * unit_bytes;
    if (flags & FORMAT_MESSAGE_ALLOCATE_BUFFER) {
        SIZE_T least = size * unit_bytes;
        void *memory = LocalAlloc(LMEM_ZEROINIT, bytes > least ? bytes : least);
        *(void **)buffer = memory;
        if (!memory)
            return 0;
        memcpy(memory, text, bytes);
    } else {
        if (size <= units) {
            win__fail(ERROR_INSUFFICIENT_BUFFER);
            return 0;
        }
        memcpy(buffer, text, bytes);
    }
    if (!units) /* no units is no error, and the last error says so */
        plat_set_last_error(ERROR_SUCCESS);
    return (DWORD)units;
}

DWORD WINAPI FormatMessageA(DWORD dwFlags, LPCVOID lpSource, DWORD dwMessageId, DWORD dwLanguageId,
                            LPSTR lpBuffer, DWORD nSize, __ms_va_list *Arguments)
{
    (void)dwLanguageId;
    SIZE_T length;
    DWORD error = ERROR_INVALID_PARAMETER, given = 0;
    char *text = lpBuffer
                     ? compose(dwFlags, lpSource, dwMessageId, Arguments, false, &length, &error)
                     : NULL;
    if (text)
        given = deliver(dwFlags, lpBuffer, nSize, text, length, 1);
    else
        win__fail(error);
    free(text);
    return given;
}

DWORD WINAPI FormatMessageW(DWORD dwFlags, LPCVOID lpSource, DWORD dwMessageId, DWORD dwLanguageId,
                            LPWSTR lpBuffer, DWORD nSize, __ms_va_list *Arguments)
{
    (void)dwLanguageId;
    SIZE_T length;
    DWORD error = ERROR_INVALID_PARAMETER, given = 0;
    char *text =
        lpBuffer ? compose(dwFlags, lpSource, dwMessageId, Arguments, true, &length, &error) : NULL;
    WCHAR *wide = text ? win__widen(text, length, &length) : NULL;
    if (wide)
        given = deliver(dwFlags, lpBuffer, nSize, wide, length, sizeof *wide);
    else
        win__fail(text ? ERROR_NOT_ENOUGH_MEMORY : error);
    free(wide);
    free(text);
    return given;
}
