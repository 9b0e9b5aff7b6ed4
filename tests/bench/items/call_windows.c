/* SPDX-License-Identifier: MIT
 *
 * call_windows.c - an item's system call on Windows: a write to NUL, by a handle for requests that are waited for.
 */
#include "items.h"

#include <windows.h>

#include <stdlib.h>

static HANDLE nul;

const int items_budget_ms = 500;

void items_open(void)
{
    nul = CreateFileA("NUL", GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                      0, NULL);
}

void items_call(void)
{
    static const char buffer[16];
    DWORD written;

    if (!WriteFile(nul, buffer, sizeof buffer, &written, NULL) || written != sizeof buffer)
        abort();
}
