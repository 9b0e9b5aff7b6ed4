/* SPDX-License-Identifier: MIT
 *
 * win32_find.c - FindFirstFile and its kin: the files that a search finds, by DOS's wildcards, and
 * the facts that it tells.
 *
 * modes: win32
 * with: folder.c
 * except: question_marks
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <stdio.h>
#include <errno.h>
#include <io.h>
#include <string.h>

static const char *const files[] = {"a", "a.txt", "ab.txt", "B.TXT", "c.d.txt", "letter.text"};
enum { FILES = sizeof files / sizeof *files };

static void make_files(void)
{
    folder_make();
    for (int i = 0; i < FILES; i++)
        file_make(files[i], "12345");
}

static void remove_files(void)
{
    folder_remove("a", "a.txt", "ab.txt", "B.TXT", "c.d.txt", "letter.text", NULL);
}

/* The names that a pattern finds, with a space after each, without . and .. */
static const char *found(const char *pattern)
{
    static char names[512];
    WIN32_FIND_DATAA data;
    HANDLE search;

    names[0] = 0;
    SetLastError(SENTINEL);
    search = FindFirstFileA(in_folder(pattern), &data);
    if (search == INVALID_HANDLE_VALUE) {
        EXPECT_EQ(GetLastError(), ERROR_FILE_NOT_FOUND);
        return names;
    }
    do {
        if (strcmp(data.cFileName, ".") && strcmp(data.cFileName, ".."))
            strcat(strcat(names, data.cFileName), " ");
    } while (FindNextFileA(search, &data));
    EXPECT_EQ(GetLastError(), ERROR_NO_MORE_FILES);
    EXPECT_OK(FindClose(search));
    return names;
}

TEST_IN_EACH_KIND(Win32Find, wildcards)
{
    make_files();
    EXPECT_STREQ(found("*"), "a a.txt ab.txt B.TXT c.d.txt letter.text ");
    EXPECT_STREQ(found("*.*"), "a a.txt ab.txt B.TXT c.d.txt letter.text ");
    EXPECT_STREQ(found("*.txt"), "a.txt ab.txt B.TXT c.d.txt ");
    EXPECT_STREQ(found("a*"), "a a.txt ab.txt ");
    EXPECT_STREQ(found("a.*"), "a a.txt ");
    EXPECT_STREQ(found("?"), "a ");
    EXPECT_STREQ(found("*.d.*"), "c.d.txt ");
    EXPECT_STREQ(found("*t"), "a.txt ab.txt B.TXT c.d.txt letter.text ");
    EXPECT_STREQ(found("*e*e*"), "letter.text ");
    EXPECT_STREQ(found("*.dat"), "");
    EXPECT_STREQ(found("a.txt"), "a.txt ");
    EXPECT_STREQ(found("z.txt"), "");
    remove_files();
}

/* Before a dot and at the end they may stand for nothing. */
TEST_IN_EACH_KIND(Win32Find, question_marks)
{
    make_files();
    EXPECT_STREQ(found("a?.txt"), "a.txt ab.txt ");
    EXPECT_STREQ(found("??????"), "a ");
    EXPECT_STREQ(found("*."), "a ");
    remove_files();
}

TEST_IN_EACH_KIND(Win32Find, an_empty_folder_has_itself_and_its_parent)
{
    WIN32_FIND_DATAA data;
    HANDLE search;

    folder_make();
    search = FindFirstFileA(in_folder("*"), &data);
    ASSERT_NE(search, INVALID_HANDLE_VALUE);
    EXPECT_STREQ(data.cFileName, ".");
    EXPECT_EQ(data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_OK(FindNextFileA(search, &data));
    EXPECT_STREQ(data.cFileName, "..");
    EXPECT_FAILS(FindNextFileA(search, &data), ERROR_NO_MORE_FILES);
    EXPECT_FAILS(FindNextFileA(search, &data), ERROR_NO_MORE_FILES);
    EXPECT_OK(FindClose(search));
    folder_remove(NULL);
}

TEST_IN_EACH_KIND(Win32Find, what_is_told)
{
    static const WCHAR name[] = {'a', '.', 't', 'x', 't', 0};
    WIN32_FILE_ATTRIBUTE_DATA attributes;
    WIN32_FIND_DATAA data;
    WIN32_FIND_DATAW wide;
    WCHAR pattern[2 * MAX_PATH];
    const char *path;
    HANDLE search;

    make_files();
    path = in_folder("a.*xt");
    EXPECT_OK(GetFileAttributesExA(in_folder("a.txt"), GetFileExInfoStandard, &attributes));
    search = FindFirstFileA(path, &data);
    ASSERT_NE(search, INVALID_HANDLE_VALUE);
    EXPECT_STREQ(data.cFileName, "a.txt");
    EXPECT_EQ(data.nFileSizeLow, 5);
    EXPECT_EQ(data.nFileSizeHigh, 0);
    EXPECT_EQ(data.dwFileAttributes, attributes.dwFileAttributes);
    EXPECT_EQ(CompareFileTime(&data.ftLastWriteTime, &attributes.ftLastWriteTime), 0);
    EXPECT_OK(FindClose(search));

    for (size_t i = 0; i <= strlen(path); i++)
        pattern[i] = (WCHAR)path[i];
    search = FindFirstFileExW(pattern, FindExInfoBasic, &wide, FindExSearchNameMatch, NULL, 0);
    ASSERT_NE(search, INVALID_HANDLE_VALUE);
    EXPECT_EQ(memcmp(wide.cFileName, name, sizeof name), 0);
    EXPECT_EQ(wide.nFileSizeLow, 5);
    EXPECT_EQ(CompareFileTime(&wide.ftLastWriteTime, &attributes.ftLastWriteTime), 0);
    EXPECT_FAILS(FindNextFileW(search, &wide), ERROR_NO_MORE_FILES);
    EXPECT_OK(FindClose(search));
    remove_files();
}

#define EXPECT_NO_SEARCH(call, code)                                                               \
    do {                                                                                           \
        SetLastError(SENTINEL);                                                                    \
        EXPECT_EQ((call), INVALID_HANDLE_VALUE);                                                   \
        EXPECT_EQ(GetLastError(), (code));                                                         \
    } while (0)

TEST_IN_EACH_KIND(Win32Find, bad_arguments)
{
    WIN32_FIND_DATAA data;
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);

    folder_make();
    EXPECT_NO_SEARCH(FindFirstFileA(in_folder("no/*"), &data), ERROR_PATH_NOT_FOUND);
    EXPECT_NO_SEARCH(FindFirstFileA(in_folder("no/x"), &data), ERROR_PATH_NOT_FOUND);
    EXPECT_NO_SEARCH(FindFirstFileA(in_folder("*.no"), &data), ERROR_FILE_NOT_FOUND);
    EXPECT_FAILS(FindClose(INVALID_HANDLE_VALUE), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FindNextFileA(INVALID_HANDLE_VALUE, &data), ERROR_INVALID_HANDLE);
    EXPECT_OK(CloseHandle(event));
    folder_remove(NULL);
}

TEST_IN_EACH_KIND(Win32Find, by_the_c_run_time_librarys_names)
{
    struct _finddata_t found;
    intptr_t search;

    folder_make();
    file_make("one.txt", "12345");
    file_make("two.dat", "");
    search = _findfirst(in_folder("*.txt"), &found);
    ASSERT_OK(search != -1);
    EXPECT_STREQ(found.name, "one.txt");
    EXPECT_EQ(found.size, 5);
    EXPECT_EQ(found.attrib & _A_SUBDIR, 0);
    EXPECT_GT(found.time_write, 1500000000);
    errno = 0;
    EXPECT_EQ(_findnext(search, &found), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(_findclose(search), 0);
    errno = 0;
    EXPECT_EQ(_findfirst(in_folder("*.none"), &found), -1);
    EXPECT_EQ(errno, ENOENT);
    folder_remove("one.txt", "two.dat", NULL);
}
