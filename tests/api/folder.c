/* SPDX-License-Identifier: MIT
 *
 * folder.c - see folder.h.
 */
#include "folder.h"

#include "gtest_c.h"
#include "path_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char folder[MAX_PATH];

/* A test that was killed leaves its folder, and its number is another process's later. */
void folder_make(void)
{
    static int count;
    DWORD length = GetTempPathA(sizeof folder, folder);
    BOOL made;

    do {
        snprintf(folder + length, sizeof folder - length, "ums-folder-%u-%d",
                 (unsigned)GetCurrentProcessId(), count++);
        made = CreateDirectoryA(folder, NULL);
    } while (!made && GetLastError() == ERROR_ALREADY_EXISTS && count < 1000);
    EXPECT_OK(made);
}

const char *in_folder(const char *name)
{
    return *name ? path_in(folder, name) : folder;
}

void folder_remove(const char *name, ...)
{
    va_list names;

    va_start(names, name);
    for (; name; name = va_arg(names, const char *))
        EXPECT_OK(DeleteFileA(in_folder(name)));
    va_end(names);
    EXPECT_OK(RemoveDirectoryA(folder));
}

void file_make(const char *name, const char *text)
{
    DWORD count = 0;
    HANDLE file = CreateFileA(in_folder(name), GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(WriteFile(file, text, (DWORD)strlen(text), &count, NULL));
    EXPECT_OK(CloseHandle(file));
}

void file_expect(const char *name, const char *text)
{
    char buffer[256] = "";
    DWORD count = 0;
    HANDLE file = CreateFileA(in_folder(name), GENERIC_READ,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(ReadFile(file, buffer, sizeof buffer - 1, &count, NULL));
    EXPECT_STREQ(buffer, text);
    EXPECT_OK(CloseHandle(file));
}
