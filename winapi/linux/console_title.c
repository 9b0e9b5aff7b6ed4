/* SPDX-License-Identifier: MIT
 *
 * console_title.c - the console's title and code pages. A console has no window here.
 *
 * Each process remembers a title of its own. SetConsoleTitle also sends it to a terminal on
 * standard output, or else on standard error, by the sequence OSC 0. Before the first call the
 * title is empty, as a terminal does not tell its title.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/console.h"
#include "winapi/linux/text.h"

static PLAT_LOCK(TITLE) lock;
static char *title; /* under the lock; NULL: none yet */

/* Control characters would end the sequence, or begin another: C0, DEL, and C1 in UTF-8. */
static bool is_control(const char *at)
{
    unsigned char byte = (unsigned char)at[0], next = (unsigned char)at[1];
    return byte < 0x20 || byte == 0x7F || (byte == 0xC2 && next >= 0x80 && next < 0xA0);
}

/* SetConsoleTitle succeeds even if the terminal does not get the title. */
static void tell_terminal(const char *text)
{
    static const char before[] = "\033]0;", after[] = "\a";
    int fd = isatty(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO;
    if (fd == STDERR_FILENO && !isatty(fd))
        return;
    char *sequence = malloc(strlen(text) + sizeof before + sizeof after);
    if (!sequence)
        return;
    char *to = stpcpy(sequence, before);
    for (const char *at = text; *at; at++)
        if (!is_control(at))
            *to++ = *at;
        else if ((unsigned char)*at == 0xC2)
            at++;
    to = stpcpy(to, after);
    for (const char *at = sequence; at < to;) {
        ssize_t put = write(fd, at, (size_t)(to - at));
        if (put < 0 && errno != EINTR)
            break;
        at += put > 0 ? put : 0;
    }
    free(sequence);
}

/* Takes over `fresh`; NULL: the last error is set. */
static BOOL set_title(char *fresh)
{
    if (!fresh)
        return FALSE;
    tell_terminal(fresh);
    plat_lock(&lock);
    char *old = title;
    title = fresh;
    plat_unlock(&lock);
    free(old);
    return TRUE;
}

BOOL WINAPI SetConsoleTitleA(LPCSTR lpConsoleTitle)
{
    char *fresh = lpConsoleTitle ? strdup(lpConsoleTitle) : NULL;
    if (!fresh)
        win__fail(lpConsoleTitle ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
    return set_title(fresh);
}

BOOL WINAPI SetConsoleTitleW(LPCWSTR lpConsoleTitle)
{
    return set_title(win__narrow_string(lpConsoleTitle));
}

/* A copy, in malloc's memory. */
static char *copy_of_title(void)
{
    plat_lock(&lock);
    char *copy = strdup(title ? title : "");
    plat_unlock(&lock);
    if (!copy)
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    else
        plat_set_last_error(ERROR_SUCCESS); /* an empty title is no error */
    return copy;
}

/* Copies as many whole characters as fit, and a zero. Returns the length of the whole title. */
DWORD WINAPI GetConsoleTitleA(LPSTR lpConsoleTitle, DWORD nSize)
{
    char *text = copy_of_title();
    if (!text)
        return 0;
    size_t length = strlen(text), fits = length;
    if (nSize && lpConsoleTitle) {
        if (fits >= nSize)
            for (fits = nSize - 1; fits && ((unsigned char)text[fits] & 0xC0) == 0x80;)
                fits--;
        memcpy(lpConsoleTitle, text, fits);
        lpConsoleTitle[fits] = 0;
    }
    free(text);
    return (DWORD)length;
}

DWORD WINAPI GetConsoleTitleW(LPWSTR lpConsoleTitle, DWORD nSize)
{
    char *text = copy_of_title();
    WCHAR *wide = text ? win__widen_string(text) : NULL;
    free(text);
    if (!wide)
        return 0;
    SIZE_T length = win__wide_length(wide), fits = length;
    if (nSize && lpConsoleTitle) {
        if (fits >= nSize) {
            fits = nSize - 1;
            fits -= fits && wide[fits] >= 0xDC00 && wide[fits] < 0xE000;
        }
        memcpy(lpConsoleTitle, wide, fits * sizeof *wide);
        lpConsoleTitle[fits] = 0;
    }
    free(wide);
    return (DWORD)length;
}

void console_title_forget(void)
{
    plat_lock_forget(&lock);
}

/* ---- Code pages ------------------------------------------------------------------------------ */

/* Text outside the program is UTF-8, in both directions; no call can change that. */
UINT WINAPI GetConsoleCP(VOID)
{
    return CP_UTF8;
}

UINT WINAPI GetConsoleOutputCP(VOID)
{
    return CP_UTF8;
}

BOOL WINAPI SetConsoleCP(UINT wCodePageID)
{
    return wCodePageID == CP_UTF8 ? TRUE : win__fail(ERROR_INVALID_PARAMETER);
}

BOOL WINAPI SetConsoleOutputCP(UINT wCodePageID)
{
    return SetConsoleCP(wCodePageID);
}

/* ---- The window ------------------------------------------------------------------------------ */

HWND WINAPI GetConsoleWindow(VOID)
{
    return NULL;
}
