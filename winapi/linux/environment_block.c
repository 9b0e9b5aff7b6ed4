/* SPDX-License-Identifier: MIT
 *
 * environment_block.c - the environment as a block, for the W calls, and in
 * ExpandEnvironmentStrings; GetCommandLineW and CommandLineToArgvW.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/text.h"

#pragma GCC visibility push(default) /* umsshim.map has the last word */
LPWSTR *WINAPI CommandLineToArgvW(LPCWSTR lpCmdLine, int *pNumArgs);
#pragma GCC visibility pop

DWORD WINAPI GetEnvironmentVariableW(LPCWSTR lpName, LPWSTR lpBuffer, DWORD nSize)
{
    char *name = win__narrow_string(lpName);
    const char *value = name ? getenv(name) : NULL;
    DWORD length = 0;
    if (value) {
        plat_set_last_error(ERROR_SUCCESS); /* the value may be empty */
        length = win__give_wide(value, lpBuffer, nSize);
    } else if (name || !lpName) {
        win__fail(ERROR_ENVVAR_NOT_FOUND);
    }
    free(name);
    return length;
}

BOOL WINAPI SetEnvironmentVariableW(LPCWSTR lpName, LPCWSTR lpValue)
{
    char *name = win__narrow_string(lpName);
    char *value = name && lpValue ? win__narrow_string(lpValue) : NULL;
    BOOL done = name && (value || !lpValue) && SetEnvironmentVariableA(name, value);
    free(value);
    free(name);
    return done;
}

/* ---- The whole environment ------------------------------------------------------------------- */

LPSTR WINAPI GetEnvironmentStringsA(VOID)
{
    size_t bytes = 2;
    for (char **at = environ; at && *at; at++)
        bytes += strlen(*at) + 1;
    char *block = malloc(bytes), *to = block;
    if (!block) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    for (char **at = environ; at && *at; at++) {
        size_t length = strlen(*at) + 1;
        if (length >= bytes - (size_t)(to - block))
            break; /* another thread has made this variable longer meanwhile */
        memcpy(to, *at, length);
        to += length;
    }
    if (to == block)
        *to++ = 0;
    *to = 0;
    return block;
}

LPWSTR WINAPI GetEnvironmentStringsW(VOID)
{
    char *narrow = GetEnvironmentStringsA(), *end = narrow;
    if (!narrow)
        return NULL;
    while (*end)
        end += strlen(end) + 1;
    WCHAR *wide = win__widen(narrow, (SIZE_T)(end - narrow) + 1, NULL);
    if (!wide)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    free(narrow);
    return wide;
}

BOOL WINAPI FreeEnvironmentStringsA(LPSTR penv)
{
    free(penv);
    return TRUE;
}

BOOL WINAPI FreeEnvironmentStringsW(LPWSTR penv)
{
    free(penv);
    return TRUE;
}

/* ---- ExpandEnvironmentStrings ---------------------------------------------------------------- */

/* The value of the variable whose name is between two percent signs, else NULL. */
static const char *variable_at(const char *percent, const char **behind)
{
    const char *end = strchr(percent + 1, '%');
    char *name =
        end && end > percent + 1 ? strndup(percent + 1, (size_t)(end - percent - 1)) : NULL;
    const char *value = name ? getenv(name) : NULL;
    free(name);
    *behind = end ? end + 1 : NULL;
    return value;
}

/* The text with the values of its variables, in malloc's memory. Other text stays as it is. */
static char *expanded(const char *text)
{
    size_t length = 0, room = strlen(text) + 1;
    char *whole = malloc(room);
    while (whole && *text) {
        const char *behind = text + 1;
        const char *value = *text == '%' ? variable_at(text, &behind) : NULL;
        size_t piece = value ? strlen(value) : 1;
        if (length + piece + strlen(text) + 1 > room) {
            room = (length + piece + strlen(text) + 1) * 2;
            char *larger = realloc(whole, room);
            if (!larger)
                free(whole);
            whole = larger;
            if (!whole)
                break;
        }
        memcpy(whole + length, value ? value : text, piece);
        length += piece;
        text = value ? behind : text + 1;
    }
    if (whole)
        whole[length] = 0;
    return whole;
}

/* The size that the text takes, with the zero, whether or not it fits. */
DWORD WINAPI ExpandEnvironmentStringsA(LPCSTR lpSrc, LPSTR lpDst, DWORD nSize)
{
    char *whole = lpSrc ? expanded(lpSrc) : NULL;
    if (!whole)
        return (DWORD)win__fail(lpSrc ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
    DWORD needed = (DWORD)strlen(whole) + 1;
    if (lpDst)
        win__give_text(whole, lpDst, nSize);
    free(whole);
    return needed;
}

DWORD WINAPI ExpandEnvironmentStringsW(LPCWSTR lpSrc, LPWSTR lpDst, DWORD nSize)
{
    char *narrow = win__narrow_string(lpSrc);
    char *whole = narrow ? expanded(narrow) : NULL;
    SIZE_T length = 0;
    WCHAR *wide = whole ? win__widen(whole, strlen(whole), &length) : NULL;
    if (narrow && !wide)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    if (wide && lpDst && length < nSize)
        memcpy(lpDst, wide, (length + 1) * sizeof *wide);
    DWORD needed = wide ? (DWORD)length + 1 : 0;
    free(wide);
    free(whole);
    free(narrow);
    return needed;
}

/* ---- The command line ------------------------------------------------------------------------ */

LPWSTR WINAPI GetCommandLineW(VOID)
{
    static _Atomic(WCHAR *) known;
    static WCHAR nothing[1];
    WCHAR *line = known, *none = NULL;
    if (line)
        return line;
    line = win__widen_string(GetCommandLineA());
    if (!line)
        return nothing;
    if (atomic_compare_exchange_strong(&known, &none, line))
        return line;
    free(line);
    return none;
}

static bool is_blank(WCHAR unit)
{
    return unit == ' ' || unit == '\t';
}

/* Copies the program's name, in which backslashes have no meaning. Returns the rest of the line. */
static const WCHAR *take_program(const WCHAR *at, WCHAR **to)
{
    bool quoted = false;
    for (; *at && (quoted || !is_blank(*at)); at++)
        if (*at == '"')
            quoted = !quoted;
        else
            *(*to)++ = *at;
    return at;
}

/* Copies one argument. Backslashes mean something only before a quote: there each pair becomes one,
 * and an odd one makes the quote plain. Within quotes, two quotes become one. */
static const WCHAR *take_argument(const WCHAR *at, WCHAR **to)
{
    bool quoted = false;
    while (*at && (quoted || !is_blank(*at))) {
        size_t backslashes = 0;
        while (at[backslashes] == '\\')
            backslashes++;
        bool before_quotes = at[backslashes] == '"';
        for (size_t i = 0; i < (before_quotes ? backslashes / 2 : backslashes); i++)
            *(*to)++ = '\\';
        at += backslashes;
        if (!before_quotes) {
            if (backslashes == 0)
                *(*to)++ = *at++;
            continue;
        }
        at++;
        if (backslashes % 2) {
            *(*to)++ = '"';
        } else if (quoted && *at == '"') {
            *(*to)++ = '"';
            at++;
            quoted = false;
        } else {
            quoted = !quoted;
        }
    }
    return at;
}

/* Makes one block, for LocalFree: the pointers, then the texts, which are never longer than
 * before. */
LPWSTR *WINAPI CommandLineToArgvW(LPCWSTR lpCmdLine, int *pNumArgs)
{
    if (!lpCmdLine || !pNumArgs) {
        win__fail(ERROR_INVALID_PARAMETER);
        return NULL;
    }
    WCHAR program[4096];
    if (!*lpCmdLine && GetModuleFileNameW(NULL, program, 4096))
        lpCmdLine = program; /* the whole line is this path: blanks do not divide it */
    SIZE_T length = win__wide_length(lpCmdLine), most = length / 2 + 3;
    WCHAR **arguments =
        LocalAlloc(LMEM_FIXED, most * sizeof *arguments + (2 * length + 4) * sizeof **arguments);
    if (!arguments) {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    WCHAR *to = (WCHAR *)(arguments + most);
    const WCHAR *at = lpCmdLine;
    int count = 0;
    do {
        arguments[count] = to;
        if (lpCmdLine == program) {
            memcpy(to, program, (length + 1) * sizeof *to);
            to += length;
            at += length;
        } else {
            at = count == 0 ? take_program(at, &to) : take_argument(at, &to);
        }
        *to++ = 0;
        count++;
        while (is_blank(*at))
            at++;
    } while (*at);
    arguments[count] = NULL;
    *pNumArgs = count;
    return arguments;
}
