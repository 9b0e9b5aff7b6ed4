/* SPDX-License-Identifier: MIT
 *
 * fatal_exit.c - FatalAppExit and FatalExit: the end of a program that cannot go on.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "winapi/linux/text.h"

/* Writes a line to stderr, where Windows opens a window. No handler and no destructor runs. */
VOID WINAPI FatalAppExitA(UINT uAction, LPCSTR lpMessageText)
{
    (void)uAction;
    const char *text = lpMessageText ? lpMessageText : "";
    struct iovec line[] = {{(void *)text, strlen(text)}, {(void *)"\n", 1}};
    ssize_t written = writev(STDERR_FILENO, line, 2);
    (void)written;
    TerminateProcess(GetCurrentProcess(), 1);
}

VOID WINAPI FatalAppExitW(UINT uAction, LPCWSTR lpMessageText)
{
    char *text =
        lpMessageText ? win__narrow(lpMessageText, win__wide_length(lpMessageText), NULL) : NULL;
    FatalAppExitA(uAction, text);
}

VOID WINAPI FatalExit(int ExitCode)
{
    ExitProcess((DWORD)ExitCode);
}
