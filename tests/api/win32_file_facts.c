/* SPDX-License-Identifier: MIT
 *
 * win32_file_facts.c - attributes, times and sizes of files, by path and by handle.
 *
 * modes: win32
 * with: folder.c
 * except: changed_by_handle, setting_times_wants_the_right_to
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <string.h>

static HANDLE open_file(const char *name, DWORD access)
{
    return CreateFileA(in_folder(name), access,
                       FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

TEST_IN_EACH_KIND(Win32FileFacts, attributes)
{
    WIN32_FILE_ATTRIBUTE_DATA data;

    folder_make();
    file_make("file", "123");
    EXPECT_EQ(GetFileAttributesA(in_folder("file")), FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_OK(SetFileAttributesA(in_folder("file"), FILE_ATTRIBUTE_READONLY));
    EXPECT_EQ(GetFileAttributesA(in_folder("file")) & FILE_ATTRIBUTE_READONLY,
              FILE_ATTRIBUTE_READONLY);
    EXPECT_FAILS(DeleteFileA(in_folder("file")), ERROR_ACCESS_DENIED);
    EXPECT_OK(SetFileAttributesA(in_folder("file"), FILE_ATTRIBUTE_NORMAL));
    EXPECT_EQ(GetFileAttributesA(in_folder("file")) & FILE_ATTRIBUTE_READONLY, 0);
    EXPECT_OK(GetFileAttributesExA(in_folder("file"), GetFileExInfoStandard, &data));
    EXPECT_EQ(data.nFileSizeLow, 3);
    EXPECT_OK(GetFileAttributesExA(in_folder(""), GetFileExInfoStandard, &data));
    EXPECT_EQ(data.dwFileAttributes, FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_EQ(data.nFileSizeLow, 0);

    EXPECT_FAILS(SetFileAttributesA(in_folder("no"), 0), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(GetFileAttributesExA(in_folder("no"), GetFileExInfoStandard, &data),
                 ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(GetFileAttributesExA(in_folder("no/no"), GetFileExInfoStandard, &data),
                 ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(GetFileAttributesExA(in_folder("file"), (GET_FILEEX_INFO_LEVELS)1, &data),
                 ERROR_INVALID_PARAMETER);
    EXPECT_EQ(GetFileAttributesA(NULL), INVALID_FILE_ATTRIBUTES);
    EXPECT_EQ(GetLastError(), ERROR_PATH_NOT_FOUND);
    folder_remove("file", NULL);
}

TEST_IN_EACH_KIND(Win32FileFacts, times)
{
    SYSTEMTIME date = {2001, 2, 0, 3, 4, 5, 6, 0};
    FILETIME wanted;
    FILETIME accessed;
    FILETIME written;
    HANDLE file;

    folder_make();
    file_make("file", "123");
    EXPECT_OK(SystemTimeToFileTime(&date, &wanted));
    file = open_file("file", GENERIC_READ | FILE_WRITE_ATTRIBUTES);
    EXPECT_OK(GetFileTime(file, NULL, &accessed, NULL));
    EXPECT_OK(SetFileTime(file, NULL, NULL, &wanted));
    EXPECT_OK(GetFileTime(file, NULL, NULL, &written));
    EXPECT_EQ(CompareFileTime(&written, &wanted), 0);
    EXPECT_OK(SetFileTime(file, NULL, &wanted, NULL));
    EXPECT_OK(GetFileTime(file, NULL, &accessed, &written));
    EXPECT_EQ(CompareFileTime(&accessed, &wanted), 0);
    EXPECT_EQ(CompareFileTime(&written, &wanted), 0);
    EXPECT_OK(CloseHandle(file));
    EXPECT_FAILS(GetFileTime(file, NULL, NULL, &written), ERROR_INVALID_HANDLE);
    folder_remove("file", NULL);
}

TEST_IN_EACH_KIND(Win32FileFacts, setting_times_wants_the_right_to)
{
    FILETIME now;
    HANDLE file;

    folder_make();
    file_make("file", "123");
    GetSystemTimeAsFileTime(&now);
    file = open_file("file", GENERIC_READ);
    EXPECT_FAILS(SetFileTime(file, NULL, NULL, &now), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(file));
    folder_remove("file", NULL);
}

TEST_IN_EACH_KIND(Win32FileFacts, of_an_open_file)
{
    BY_HANDLE_FILE_INFORMATION one;
    BY_HANDLE_FILE_INFORMATION other;
    FILE_STANDARD_INFO standard;
    FILE_BASIC_INFO basic;
    HANDLE file;
    HANDLE link;

    folder_make();
    file_make("file", "12345");
    EXPECT_OK(CreateHardLinkA(in_folder("link"), in_folder("file"), NULL));
    EXPECT_FAILS(CreateHardLinkA(in_folder("link"), in_folder("file"), NULL), ERROR_ALREADY_EXISTS);
    EXPECT_FAILS(CreateHardLinkA(in_folder("link2"), in_folder("no"), NULL), ERROR_FILE_NOT_FOUND);
    file = open_file("file", GENERIC_READ);
    link = open_file("link", GENERIC_READ);
    EXPECT_OK(GetFileInformationByHandle(file, &one));
    EXPECT_OK(GetFileInformationByHandle(link, &other));
    EXPECT_EQ(one.nFileSizeLow, 5);
    EXPECT_EQ(one.nNumberOfLinks, 2);
    EXPECT_EQ(one.nFileIndexLow, other.nFileIndexLow);
    EXPECT_EQ(one.nFileIndexHigh, other.nFileIndexHigh);
    EXPECT_EQ(one.dwVolumeSerialNumber, other.dwVolumeSerialNumber);
    EXPECT_OK(GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof standard));
    EXPECT_EQ(standard.EndOfFile.QuadPart, 5);
    EXPECT_EQ(standard.Directory, FALSE);
    EXPECT_EQ(standard.NumberOfLinks, 2);
    EXPECT_OK(GetFileInformationByHandleEx(file, FileBasicInfo, &basic, sizeof basic));
    EXPECT_EQ(basic.FileAttributes, FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_EQ(basic.LastWriteTime.LowPart, one.ftLastWriteTime.dwLowDateTime);
    EXPECT_FAILS(GetFileInformationByHandleEx(file, FileBasicInfo, &basic, 4), ERROR_BAD_LENGTH);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(link));
    folder_remove("file", "link", NULL);
}

TEST_IN_EACH_KIND(Win32FileFacts, changed_by_handle)
{
    FILE_END_OF_FILE_INFO end = {{{3, 0}}};
    FILE_DISPOSITION_INFO gone = {TRUE};
    LARGE_INTEGER size;
    HANDLE file;

    folder_make();
    file_make("file", "12345");
    file = open_file("file", GENERIC_READ);
    EXPECT_FAILS(SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end),
                 ERROR_ACCESS_DENIED);
    EXPECT_FAILS(SetFileInformationByHandle(file, FileDispositionInfo, &gone, sizeof gone),
                 ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(file));
    file = open_file("file", GENERIC_READ | GENERIC_WRITE | DELETE);
    EXPECT_OK(SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof end));
    EXPECT_OK(GetFileSizeEx(file, &size));
    EXPECT_EQ(size.QuadPart, 3);
    EXPECT_FAILS(SetFileInformationByHandle(file, FileEndOfFileInfo, &end, 4), ERROR_BAD_LENGTH);
    EXPECT_OK(SetFileInformationByHandle(file, FileDispositionInfo, &gone, sizeof gone));
    EXPECT_OK(CloseHandle(file));
    EXPECT_EQ(GetFileAttributesA(in_folder("file")), INVALID_FILE_ATTRIBUTES);
    folder_remove(NULL);
}

TEST_IN_EACH_KIND(Win32FileFacts, the_path_of_a_handle)
{
    char path[MAX_PATH];
    HANDLE file;
    DWORD length;

    folder_make();
    file_make("file", "1");
    file = open_file("file", GENERIC_READ);
    length = GetFinalPathNameByHandleA(file, path, sizeof path, 0);
    EXPECT_GT(length, 5);
    EXPECT_EQ(length, strlen(path));
    EXPECT_STREQ(path + length - 4, "file");
    EXPECT_GE(GetFinalPathNameByHandleA(file, path, 3, 0), length);
    EXPECT_OK(CloseHandle(file));
    file = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(CloseHandle(file));
    folder_remove("file", NULL);
}
