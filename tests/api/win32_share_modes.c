/* SPDX-License-Identifier: MIT
 *
 * win32_share_modes.c - the access that one handle to a file denies to others, in one process.
 *
 * modes: win32
 * with: folder.c
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

static HANDLE open_file(DWORD access, DWORD share)
{
    SetLastError(SENTINEL);
    return CreateFileA(in_folder("file"), access, share, NULL, OPEN_EXISTING, 0, NULL);
}

static void expect_open(DWORD access, DWORD share)
{
    HANDLE file = open_file(access, share);

    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    if (file != INVALID_HANDLE_VALUE)
        EXPECT_OK(CloseHandle(file));
}

static void expect_violation(DWORD access, DWORD share)
{
    EXPECT_EQ(open_file(access, share), INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_SHARING_VIOLATION);
}

enum { EVERYBODY = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };

TEST_IN_EACH_KIND(Win32ShareModes, nobody_else)
{
    HANDLE file;

    folder_make();
    file_make("file", "kept");
    file = open_file(GENERIC_READ, 0);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    expect_violation(GENERIC_READ, EVERYBODY);
    expect_violation(GENERIC_WRITE, EVERYBODY);
    expect_open(0, 0); /* to ask about it is nobody's concern */
    EXPECT_FAILS(DeleteFileA(in_folder("file")), ERROR_SHARING_VIOLATION);
    EXPECT_FAILS(MoveFileA(in_folder("file"), in_folder("moved")), ERROR_SHARING_VIOLATION);
    SetLastError(SENTINEL);
    EXPECT_EQ(
        CreateFileA(in_folder("file"), GENERIC_WRITE, EVERYBODY, NULL, CREATE_ALWAYS, 0, NULL),
        INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_SHARING_VIOLATION);
    EXPECT_EQ(GetFileSize(file, NULL), 4); /* and is not emptied */
    EXPECT_OK(CloseHandle(file));
    expect_open(GENERIC_READ | GENERIC_WRITE, 0);
    folder_remove("file", NULL);
}

TEST_IN_EACH_KIND(Win32ShareModes, by_what_is_done_and_what_is_let)
{
    HANDLE reader;
    HANDLE copy = NULL;

    folder_make();
    file_make("file", "x");
    reader = open_file(GENERIC_READ, FILE_SHARE_READ);
    expect_open(GENERIC_READ, FILE_SHARE_READ);
    expect_open(GENERIC_READ, EVERYBODY);
    expect_violation(GENERIC_READ, 0);                /* this open would not let the reader read */
    expect_violation(GENERIC_READ, FILE_SHARE_WRITE); /* nor this one */
    expect_violation(GENERIC_WRITE, EVERYBODY);
    expect_violation(DELETE, EVERYBODY);
    EXPECT_OK(DuplicateHandle(GetCurrentProcess(), reader, GetCurrentProcess(), &copy, 0, FALSE,
                              DUPLICATE_SAME_ACCESS));
    EXPECT_OK(CloseHandle(reader));
    expect_violation(GENERIC_WRITE, EVERYBODY); /* until the last handle is closed */
    EXPECT_OK(CloseHandle(copy));
    expect_open(GENERIC_WRITE, 0);
    folder_remove("file", NULL);
}
