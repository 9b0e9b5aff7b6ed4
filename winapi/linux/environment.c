/* SPDX-License-Identifier: MIT
 *
 * environment.c - environment variables and the command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "winapi/linux/error.h"
#include "winapi/linux/text.h"

DWORD WINAPI GetEnvironmentVariableA(LPCSTR lpName, LPSTR lpBuffer, DWORD nSize)
{
    const char *value = lpName ? getenv(lpName) : NULL;
    if (!value) {
        win__fail(ERROR_ENVVAR_NOT_FOUND);
        return 0;
    }
    plat_set_last_error(ERROR_SUCCESS); /* the value may be empty */
    return win__give_text(value, lpBuffer, nSize);
}

BOOL WINAPI SetEnvironmentVariableA(LPCSTR lpName, LPCSTR lpValue)
{
    if (!lpName || !*lpName || strchr(lpName, '='))
        return win__fail(ERROR_INVALID_PARAMETER);
    if (!lpValue && !getenv(lpName))
        return win__fail(ERROR_ENVVAR_NOT_FOUND);
    int error = lpValue ? setenv(lpName, lpValue, 1) : unsetenv(lpName);
    return error ? win__fail_errno() : TRUE;
}

/* ---- The command line ---------------------------------------------------------------------- */

/* Quotes an argument so that the C run-time library takes it apart as it was. An empty argument or
 * one with blanks gets quotes around it. A quote gets a backslash before it, and backslashes before
 * a quote are doubled. */
static char *put_argument(char *to, const char *argument)
{
    bool quoted = !*argument || strpbrk(argument, " \t\"");
    size_t backslashes = 0;
    if (quoted)
        *to++ = '"';
    for (; *argument; argument++) {
        if (*argument == '"') {
            for (; backslashes; backslashes--)
                *to++ = '\\';
            *to++ = '\\';
        }
        backslashes = *argument == '\\' ? backslashes + 1 : 0;
        *to++ = *argument;
    }
    if (quoted) {
        for (; backslashes; backslashes--)
            *to++ = '\\';
        *to++ = '"';
    }
    return to;
}

static char *read_arguments(size_t *bytes)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    char *text = NULL;
    size_t room = 0;
    *bytes = 0;
    while (file && !feof(file) && !ferror(file)) {
        room = room ? room * 2 : 4096;
        char *larger = realloc(text, room + 1);
        if (!larger)
            break;
        text = larger;
        *bytes += fread(text + *bytes, 1, room - *bytes, file);
    }
    if (file)
        fclose(file);
    if (text)
        text[*bytes] = 0;
    return text;
}

static char *command_line(void)
{
    size_t bytes;
    char *arguments = read_arguments(&bytes);
    char *line = arguments ? malloc(bytes * 3 + 1) : NULL, *to = line;
    for (char *at = arguments; line && at < arguments + bytes; at += strlen(at) + 1) {
        if (to > line)
            *to++ = ' ';
        to = put_argument(to, at);
    }
    if (line)
        *to = 0;
    free(arguments);
    return line;
}

/* The first thread that asks makes the line. */
LPSTR WINAPI GetCommandLineA(VOID)
{
    static _Atomic(char *) known;
    static char nothing[1];
    char *line = known, *none = NULL;
    if (line)
        return line;
    line = command_line();
    if (!line)
        return nothing;
    if (atomic_compare_exchange_strong(&known, &none, line))
        return line;
    free(line);
    return none;
}
