/* SPDX-License-Identifier: MIT
 *
 * fatal_exit.c - FatalAppExit and FatalExit: the end of a program that cannot go on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux/os/own_write.h"
#include "winapi/linux/text.h"

/* Writes a line to stderr, where Windows opens a window. No handler and no destructor runs. */
VOID WINAPI FatalAppExitA(UINT uAction, LPCSTR lpMessageText)
{
    (void)uAction;
    const char *text = lpMessageText ? lpMessageText : "";
    own_write(STDERR_FILENO, text, strlen(text));
    own_write(STDERR_FILENO, "\n", 1);
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
