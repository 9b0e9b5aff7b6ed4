/* SPDX-License-Identifier: MIT
 *
 * win32_read_only.c - files with the attribute READONLY, which on Linux means no permission to
 * write. On Windows no user can delete, empty or write such a file; on Linux the system would let
 * root do so.
 *
 * modes: default
 */
#include <windows.h>

#include "gtest_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/ums-read-only-XXXXXX";

static HANDLE open_file(DWORD access, DWORD disposition, DWORD flags)
{
    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       disposition, flags, NULL);
}

static void expect_denied(HANDLE file)
{
    EXPECT_EQ(file, INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_ACCESS_DENIED);
    SetLastError(SENTINEL);
}

static void fresh_name(void)
{
    int fd;

    strcpy(strrchr(path, '-') + 1, "XXXXXX");
    fd = mkstemp(path);
    ASSERT_GE(fd, 0);
    close(fd);
    EXPECT_EQ(unlink(path), 0);
}

TEST(Win32ReadOnly, cannot_be_deleted_emptied_or_written)
{
    char text[8] = "";
    DWORD count = 0;
    struct stat status;
    HANDLE file;

    fresh_name();
    file = open_file(GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_READONLY);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(WriteFile(file, "kept", 4, &count, NULL)); /* the handle that made it may */
    EXPECT_OK(CloseHandle(file));

    EXPECT_FAILS(DeleteFileA(path), ERROR_ACCESS_DENIED);
    expect_denied(open_file(GENERIC_WRITE, OPEN_EXISTING, 0));
    expect_denied(open_file(FILE_APPEND_DATA, OPEN_ALWAYS, 0));
    expect_denied(open_file(GENERIC_WRITE, TRUNCATE_EXISTING, 0));
    expect_denied(open_file(GENERIC_WRITE, CREATE_ALWAYS, 0));
    expect_denied(open_file(GENERIC_READ, CREATE_ALWAYS, 0));
    expect_denied(open_file(GENERIC_READ, OPEN_EXISTING, FILE_FLAG_DELETE_ON_CLOSE));

    file = open_file(GENERIC_READ, OPEN_EXISTING, 0);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(ReadFile(file, text, sizeof text - 1, &count, NULL));
    EXPECT_STREQ(text, "kept");
    EXPECT_OK(CloseHandle(file));
    EXPECT_EQ(stat(path, &status), 0);
    EXPECT_EQ(chmod(path, 0644), 0);
    EXPECT_OK(DeleteFileA(path));
}

TEST(Win32ReadOnly, cannot_be_made_to_be_deleted)
{
    fresh_name();
    expect_denied(
        open_file(GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_READONLY | FILE_FLAG_DELETE_ON_CLOSE));
    EXPECT_EQ(access(path, F_OK), -1);
}

TEST(Win32ReadOnly, a_link_is_deleted_and_not_where_it_leads)
{
    char link_path[sizeof path + 8];

    fresh_name();
    EXPECT_OK(CloseHandle(open_file(GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_READONLY)));
    snprintf(link_path, sizeof link_path, "%s-link", path);
    EXPECT_EQ(symlink(path, link_path), 0);
    EXPECT_OK(DeleteFileA(link_path));
    EXPECT_EQ(access(path, F_OK), 0);
    EXPECT_EQ(unlink(path), 0);
}
