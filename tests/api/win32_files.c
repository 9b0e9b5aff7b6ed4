/* SPDX-License-Identifier: MIT
 *
 * win32_files.c - files on disk: how they are opened, read, written, measured, and deleted.
 *
 * modes: win32
 * except: access, dispositions, position_and_size, temporary_names
 */
#include <windows.h>

#include "fresh_path.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <string.h>

static HANDLE open_file(DWORD access, DWORD disposition)
{
    return CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                       disposition, FILE_ATTRIBUTE_NORMAL, NULL);
}

#define EXPECT_NO_FILE(call, code)                                                                 \
    do {                                                                                           \
        SetLastError(SENTINEL);                                                                    \
        EXPECT_EQ((call), INVALID_HANDLE_VALUE);                                                   \
        EXPECT_EQ(GetLastError(), (code));                                                         \
    } while (0)

static void write_text(HANDLE file, const char *text)
{
    DWORD written = 0;

    EXPECT_OK(WriteFile(file, text, (DWORD)strlen(text), &written, NULL));
    EXPECT_EQ(written, strlen(text));
}

static void expect_content(const char *wanted)
{
    char buffer[128] = "";
    DWORD got = 77;
    HANDLE file = open_file(GENERIC_READ, OPEN_EXISTING);

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(ReadFile(file, buffer, sizeof buffer - 1, &got, NULL));
    EXPECT_EQ(got, strlen(wanted));
    EXPECT_STREQ(buffer, wanted);
    EXPECT_OK(ReadFile(file, buffer, 1, &got, NULL)); /* at the end: success, and nothing */
    EXPECT_EQ(got, 0);
    EXPECT_OK(CloseHandle(file));
}

TEST_IN_EACH_KIND(Win32Files, write_and_read)
{
    HANDLE file;

    fresh_path();
    file = open_file(GENERIC_WRITE, CREATE_NEW);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    write_text(file, "hello ");
    write_text(file, "world");
    EXPECT_OK(FlushFileBuffers(file));
    EXPECT_EQ(GetFileType(file), FILE_TYPE_DISK);
    EXPECT_EQ(WaitForSingleObject(file, 0), WAIT_OBJECT_0);
    EXPECT_OK(CloseHandle(file));
    expect_content("hello world");
    EXPECT_OK(DeleteFileA(path));
    EXPECT_FAILS(DeleteFileA(path), ERROR_FILE_NOT_FOUND);
}

TEST_IN_EACH_KIND(Win32Files, dispositions)
{
    HANDLE file;

    fresh_path();
    EXPECT_NO_FILE(open_file(GENERIC_READ, OPEN_EXISTING), ERROR_FILE_NOT_FOUND);
    EXPECT_NO_FILE(open_file(GENERIC_WRITE, TRUNCATE_EXISTING), ERROR_FILE_NOT_FOUND);
    file = open_file(GENERIC_WRITE, OPEN_ALWAYS);
    EXPECT_EQ(GetLastError(), ERROR_SUCCESS);
    write_text(file, "12345");
    EXPECT_OK(CloseHandle(file));
    EXPECT_NO_FILE(open_file(GENERIC_WRITE, CREATE_NEW), ERROR_FILE_EXISTS);
    file = open_file(GENERIC_WRITE, OPEN_ALWAYS);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    write_text(file, "ab");
    EXPECT_OK(CloseHandle(file));
    expect_content("ab345");
    file = open_file(GENERIC_WRITE, CREATE_ALWAYS);
    EXPECT_EQ(GetLastError(), ERROR_ALREADY_EXISTS);
    EXPECT_EQ(GetFileSize(file, NULL), 0);
    write_text(file, "xyz");
    EXPECT_OK(CloseHandle(file));
    file = open_file(GENERIC_WRITE, TRUNCATE_EXISTING);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetFileSize(file, NULL), 0);
    EXPECT_OK(CloseHandle(file));
    EXPECT_NO_FILE(open_file(GENERIC_READ, TRUNCATE_EXISTING), ERROR_INVALID_PARAMETER);
    EXPECT_NO_FILE(open_file(GENERIC_READ, 0), ERROR_INVALID_PARAMETER);
    EXPECT_NO_FILE(open_file(GENERIC_READ, 6), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteFileA(path));
}

TEST_IN_EACH_KIND(Win32Files, access)
{
    char buffer[8];
    DWORD count;
    HANDLE file;

    fresh_path();
    file = open_file(GENERIC_WRITE, CREATE_NEW);
    EXPECT_FAILS(ReadFile(file, buffer, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(file));
    file = open_file(GENERIC_READ, OPEN_EXISTING);
    EXPECT_FAILS(WriteFile(file, "x", 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(SetEndOfFile(file), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(FlushFileBuffers(file), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(file));
    file = open_file(0, OPEN_EXISTING); /* to ask about it only */
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetFileSize(file, NULL), 0);
    EXPECT_FAILS(ReadFile(file, buffer, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(DeleteFileA(path));
}

TEST_IN_EACH_KIND(Win32Files, appending)
{
    HANDLE one;
    HANDLE two;

    fresh_path();
    one = open_file(FILE_APPEND_DATA, CREATE_NEW);
    two = open_file(FILE_APPEND_DATA, OPEN_EXISTING);
    write_text(one, "a");
    write_text(two, "b");
    write_text(one, "c");
    EXPECT_OK(CloseHandle(one));
    EXPECT_OK(CloseHandle(two));
    expect_content("abc");
    EXPECT_OK(DeleteFileA(path));
}

TEST_IN_EACH_KIND(Win32Files, position_and_size)
{
    LARGE_INTEGER distance = {.QuadPart = -2};
    LARGE_INTEGER position;
    LONG high = 1;
    DWORD size_high = 77;
    HANDLE file;

    fresh_path();
    file = open_file(GENERIC_READ | GENERIC_WRITE, CREATE_NEW);
    write_text(file, "0123456789");
    EXPECT_EQ(SetFilePointer(file, 3, NULL, FILE_BEGIN), 3);
    EXPECT_EQ(SetFilePointer(file, 2, NULL, FILE_CURRENT), 5);
    write_text(file, "X");
    EXPECT_OK(SetFilePointerEx(file, distance, &position, FILE_END));
    EXPECT_EQ(position.QuadPart, 8);
    EXPECT_OK(SetEndOfFile(file));
    EXPECT_EQ(GetFileSize(file, &size_high), 8);
    EXPECT_EQ(size_high, 0);
    distance.QuadPart = -100;
    EXPECT_FAILS(SetFilePointerEx(file, distance, NULL, FILE_BEGIN), ERROR_NEGATIVE_SEEK);
    SetLastError(SENTINEL);
    EXPECT_EQ(SetFilePointer(file, 0, NULL, 7), INVALID_SET_FILE_POINTER);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
    EXPECT_EQ(SetFilePointer(file, 5, &high, FILE_BEGIN), 5); /* 4 GiB and 5 */
    EXPECT_EQ(high, 1);
    SetLastError(SENTINEL);
    EXPECT_EQ(SetFilePointer(file, 0, NULL, FILE_CURRENT), INVALID_SET_FILE_POINTER);
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER); /* no room for the upper half */
    EXPECT_OK(SetEndOfFile(file));
    EXPECT_OK(GetFileSizeEx(file, &position));
    EXPECT_EQ(position.QuadPart, 0x100000005LL);
    EXPECT_EQ(GetFileSize(file, &size_high), 5);
    EXPECT_EQ(size_high, 1);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(DeleteFileA(path));
}

TEST_IN_EACH_KIND(Win32Files, offset_of_the_call)
{
    OVERLAPPED at;
    char buffer[8] = "";
    DWORD count = 0;
    HANDLE file;

    fresh_path();
    memset(&at, 0, sizeof at);
    at.hEvent = CreateEventA(NULL, TRUE, FALSE, NULL);
    file = open_file(GENERIC_READ | GENERIC_WRITE, CREATE_NEW);
    write_text(file, "0123456789");
    at.Offset = 4;
    EXPECT_OK(WriteFile(file, "EF", 2, &count, &at));
    EXPECT_EQ(count, 2);
    EXPECT_EQ(WaitForSingleObject(at.hEvent, 0), WAIT_OBJECT_0);
    EXPECT_EQ(SetFilePointer(file, 0, NULL, FILE_CURRENT), 6); /* it moves with the call */
    at.Offset = 3;
    EXPECT_OK(ReadFile(file, buffer, 4, &count, &at));
    EXPECT_EQ(count, 4);
    EXPECT_STREQ(buffer, "3EF6");
    EXPECT_EQ(at.InternalHigh, 4);
    at.Offset = 10;
    EXPECT_FAILS(ReadFile(file, buffer, 4, &count, &at), ERROR_HANDLE_EOF);
    EXPECT_EQ(count, 0);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(CloseHandle(at.hEvent));
    EXPECT_OK(DeleteFileA(path));
}

TEST_IN_EACH_KIND(Win32Files, names)
{
    static const WCHAR nul[] = {'n', 'u', 'l', 0};
    char folder[MAX_PATH];
    char longer[2 * MAX_PATH];
    DWORD count = 77;
    char byte;
    HANDLE file = CreateFileW(nul, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    write_text(file, "gone");
    EXPECT_OK(ReadFile(file, &byte, 1, &count, NULL));
    EXPECT_EQ(count, 0);
    EXPECT_EQ(GetFileType(file), FILE_TYPE_CHAR);
    EXPECT_OK(CloseHandle(file));

    EXPECT_GT(GetTempPathA(sizeof folder, folder), 0);
    strcat(strcpy(longer, folder), "no-such-folder/file");
    EXPECT_NO_FILE(CreateFileA(longer, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL),
                   ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(DeleteFileA(longer), ERROR_PATH_NOT_FOUND);
    EXPECT_NO_FILE(CreateFileA(folder, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL),
                   ERROR_ACCESS_DENIED); /* a folder is not a file */
    EXPECT_NO_FILE(CreateFileA("", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL),
                   ERROR_PATH_NOT_FOUND);

    fresh_path();
    strcpy(longer, path);
    for (char *at = longer; *at; at++)
        if (*at == '/')
            *at = '\\';
    file = CreateFileA(longer, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(DeleteFileA(path)); /* the same file, with the other slashes */
}

TEST(Win32Files, delete_on_close)
{
    HANDLE file = CreateFileA(fresh_path(), GENERIC_WRITE, FILE_SHARE_DELETE, NULL, CREATE_NEW,
                              FILE_FLAG_DELETE_ON_CLOSE, NULL);

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(CloseHandle(file));
    EXPECT_NO_FILE(open_file(GENERIC_READ, OPEN_EXISTING), ERROR_FILE_NOT_FOUND);
}

TEST(Win32Files, temporary_names)
{
    char folder[MAX_PATH];
    char name[MAX_PATH + 32];
    DWORD length = GetTempPathA(sizeof folder, folder);

    EXPECT_EQ(length, strlen(folder));
    EXPECT_EQ(GetTempPathA(2, folder), length + 1);
    EXPECT_GT(GetTempPathA(sizeof folder, folder), 0);
    EXPECT_EQ(GetTempFileNameA(folder, "prefix", 0x1AB, name), 0x1AB);
    EXPECT_STREQ(name + length, "pre1AB.TMP");
    EXPECT_FAILS(DeleteFileA(name), ERROR_FILE_NOT_FOUND); /* named, not made */
    EXPECT_FAILS(GetTempFileNameA("/no-such-folder", "x", 0, name), ERROR_DIRECTORY);
}

TEST_IN_EACH_KIND(Win32Files, what_is_no_file)
{
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    LARGE_INTEGER size;
    DWORD count = 77;
    char byte;

    EXPECT_FAILS(ReadFile(event, &byte, 1, &count, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(WriteFile(event, &byte, 1, &count, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReadFile((HANDLE)0x7777770, &byte, 1, &count, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(ReadFile(INVALID_HANDLE_VALUE, &byte, 1, &count, NULL), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetFileSizeEx(event, &size), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(GetFileType(event), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(SetEndOfFile(NULL), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
}
