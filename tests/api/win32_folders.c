/* SPDX-License-Identifier: MIT
 *
 * win32_folders.c - folders, the current one, and paths as texts.
 *
 * modes: win32
 * with: folder.c
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <string.h>

TEST_IN_EACH_KIND(Win32Folders, made_and_removed)
{
    folder_make();
    EXPECT_OK(CreateDirectoryA(in_folder("inner"), NULL));
    EXPECT_FAILS(CreateDirectoryA(in_folder("inner"), NULL), ERROR_ALREADY_EXISTS);
    EXPECT_FAILS(CreateDirectoryA(in_folder("no/inner"), NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_EQ(GetFileAttributesA(in_folder("inner")), FILE_ATTRIBUTE_DIRECTORY);
    file_make("inner/file", "x");
    EXPECT_FAILS(RemoveDirectoryA(in_folder("inner")), ERROR_DIR_NOT_EMPTY);
    EXPECT_FAILS(RemoveDirectoryA(in_folder("inner/file")), ERROR_DIRECTORY);
    EXPECT_FAILS(RemoveDirectoryA(in_folder("no")), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(RemoveDirectoryA(in_folder("no/no")), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(CreateDirectoryA("", NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(CreateDirectoryA(NULL, NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_OK(DeleteFileA(in_folder("inner/file")));
    EXPECT_OK(RemoveDirectoryA(in_folder("inner")));
    EXPECT_EQ(GetFileAttributesA(in_folder("inner")), INVALID_FILE_ATTRIBUTES);
    EXPECT_EQ(GetLastError(), ERROR_FILE_NOT_FOUND);
    folder_remove(NULL);
}

static void expect_last_part(const char *path, const char *wanted)
{
    const char *last = path;

    for (const char *at = path; *at; at++)
        if (*at == '/' || *at == '\\')
            last = at + 1;
    EXPECT_STREQ(last, wanted);
}

TEST(Win32Folders, the_current_one)
{
    char before[MAX_PATH];
    char here[MAX_PATH];
    char whole[MAX_PATH];
    char *part = NULL;
    WCHAR wide[MAX_PATH];
    DWORD length;

    folder_make();
    EXPECT_OK(CreateDirectoryA(in_folder("inner"), NULL));
    file_make("file", "x");
    EXPECT_GT(GetCurrentDirectoryA(sizeof before, before), 0);
    EXPECT_OK(SetCurrentDirectoryA(in_folder("inner")));
    length = GetCurrentDirectoryA(sizeof here, here);
    EXPECT_EQ(length, strlen(here));
    expect_last_part(here, "inner");
    EXPECT_EQ(GetCurrentDirectoryA(4, whole), length + 1);
    EXPECT_EQ(GetCurrentDirectoryA(length, whole), length + 1); /* no room for the zero */
    EXPECT_EQ(GetCurrentDirectoryW(MAX_PATH, wide), length);
    EXPECT_EQ(wide[length - 1], 'r');
    EXPECT_EQ(GetFileAttributesA("../file") & FILE_ATTRIBUTE_DIRECTORY, 0);

    EXPECT_EQ(GetFullPathNameA("x", sizeof whole, whole, &part), length + 2);
    EXPECT_EQ(strncmp(whole, here, length), 0);
    EXPECT_STREQ(part, "x");
    EXPECT_EQ(GetFullPathNameA("./y/../../z/.", sizeof whole, whole, &part), length - 4);
    expect_last_part(whole, "z");
    EXPECT_EQ(GetFullPathNameA("x", 3, whole, NULL), length + 3);
    EXPECT_EQ(GetFullPathNameA("folder/", sizeof whole, whole, &part), length + 8);
    EXPECT_EQ(part, NULL);

    EXPECT_FAILS(SetCurrentDirectoryA(in_folder("no")), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(SetCurrentDirectoryA(in_folder("file")), ERROR_DIRECTORY);
    EXPECT_OK(SetCurrentDirectoryA(before));
    EXPECT_OK(RemoveDirectoryA(in_folder("inner")));
    folder_remove("file", NULL);
}

TEST_IN_EACH_KIND(Win32Folders, a_file_is_searched_for)
{
    char found[MAX_PATH];
    char *part = NULL;

    folder_make();
    file_make("tool.x", "x");
    EXPECT_GT(SearchPathA(in_folder(""), "tool.x", NULL, sizeof found, found, &part), 0);
    EXPECT_STREQ(part, "tool.x");
    EXPECT_GT(SearchPathA(in_folder(""), "tool", ".x", sizeof found, found, &part), 0);
    EXPECT_STREQ(part, "tool.x");
    EXPECT_FAILS(SearchPathA(in_folder(""), "tool", ".y", sizeof found, found, &part),
                 ERROR_FILE_NOT_FOUND);
    folder_remove("tool.x", NULL);
}

TEST_IN_EACH_KIND(Win32Folders, free_space)
{
    ULARGE_INTEGER available;
    ULARGE_INTEGER total;
    ULARGE_INTEGER all_free;

    folder_make();
    EXPECT_OK(GetDiskFreeSpaceExA(in_folder(""), &available, &total, &all_free));
    EXPECT_GT(total.QuadPart, 0);
    EXPECT_LE(available.QuadPart, total.QuadPart);
    EXPECT_LE(all_free.QuadPart, total.QuadPart);
    EXPECT_OK(GetDiskFreeSpaceExA(NULL, NULL, NULL, NULL));
    EXPECT_FAILS_WITH_EITHER(GetDiskFreeSpaceExA(in_folder("no/"), &available, &total, &all_free),
                             ERROR_PATH_NOT_FOUND, ERROR_FILE_NOT_FOUND);
    EXPECT_NE(GetDriveTypeA(NULL), DRIVE_NO_ROOT_DIR);
    folder_remove(NULL);
}
