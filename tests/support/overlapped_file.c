/* SPDX-License-Identifier: MIT
 *
 * overlapped_file.c - see overlapped_file.h.
 */
#include "overlapped_file.h"

#include "gtest_c.h"

#include <stdio.h>

HANDLE new_file(void)
{
    static LONG files;
    char folder[MAX_PATH];
    char name[MAX_PATH + 32];

    EXPECT_GT(GetTempPathA(sizeof folder, folder), 0);
    snprintf(name, sizeof name, "%sums-ovl-%u-%d", folder, (unsigned)GetCurrentProcessId(),
             (int)InterlockedIncrement(&files));
    HANDLE file = CreateFileA(name, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_ALWAYS,
                              FILE_FLAG_OVERLAPPED | FILE_FLAG_DELETE_ON_CLOSE, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    return file;
}

void expect_begun(BOOL done)
{
    DWORD error = GetLastError();

    if (!done)
        EXPECT_EQ(error, ERROR_IO_PENDING);
}
