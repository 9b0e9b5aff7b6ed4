/* SPDX-License-Identifier: MIT
 *
 * win32_shell_paths.c - paths as texts by shlwapi's names, and ole32's calls that need no COM.
 *
 * modes: win32
 * with: folder.c
 * libraries: shlwapi, ole32
 * except: a_dot_at_a_drives_root
 */
#include <windows.h>

#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <objbase.h>
#include <shlwapi.h>
#include <string.h>

static int same(const WCHAR *left, const WCHAR *right)
{
    return CompareStringOrdinal(left, -1, right, -1, FALSE) == CSTR_EQUAL;
}

TEST_IN_EACH_KIND(Win32ShellPaths, parts)
{
    EXPECT_STREQ(PathFindFileNameA("a\\b\\c.txt"), "c.txt");
    EXPECT_STREQ(PathFindFileNameA("a/b"), "b");
    EXPECT_STREQ(PathFindFileNameA("a\\b\\"), "b\\");
    EXPECT_STREQ(PathFindFileNameA("name"), "name");
    EXPECT_STREQ(PathFindExtensionA("a.b\\c.d.txt"), ".txt");
    EXPECT_STREQ(PathFindExtensionA("a.b\\c"), "");
    EXPECT_OK(same(PathFindFileNameW(u"a\\b\\c.txt"), u"c.txt"));
    EXPECT_OK(same(PathFindExtensionW(u"\u00E9\\c.txt"), u".txt"));
    EXPECT_OK(PathIsRelativeA("a\\b"));
    EXPECT_EQ(PathIsRelativeA("\\a"), FALSE);
    EXPECT_EQ(PathIsRelativeW(u"c:\\a"), FALSE);
}

TEST_IN_EACH_KIND(Win32ShellPaths, shorter)
{
    char path[MAX_PATH] = "\\a\\b.txt";
    WCHAR wide[MAX_PATH] = u"\\a\\b.txt";

    PathRemoveExtensionA(path);
    EXPECT_STREQ(path, "\\a\\b");
    EXPECT_OK(PathRemoveFileSpecA(path));
    EXPECT_STREQ(path, "\\a");
    EXPECT_OK(PathRemoveFileSpecA(path));
    EXPECT_STREQ(path, "\\");
    EXPECT_EQ(PathRemoveFileSpecA(path), FALSE);
    PathRemoveExtensionW(wide);
    EXPECT_OK(same(wide, u"\\a\\b"));
    EXPECT_OK(PathRemoveFileSpecW(wide));
    EXPECT_OK(same(wide, u"\\a"));
    strcpy(path, "x\\y.z");
    PathStripPathA(path);
    EXPECT_STREQ(path, "y.z");
}

TEST_IN_EACH_KIND(Win32ShellPaths, longer)
{
    char path[MAX_PATH] = "\\a\\b";
    char most[MAX_PATH];
    WCHAR wide[MAX_PATH];

    EXPECT_OK(PathAppendA(path, "..\\c"));
    EXPECT_STREQ(path, "\\a\\c");
    EXPECT_EQ(PathAddBackslashA(path), path + 5);
    EXPECT_STREQ(path, "\\a\\c\\");
    EXPECT_EQ(PathAddBackslashA(path), path + 5);
    EXPECT_EQ(PathCombineA(path, "\\x\\y", "z.txt"), path);
    EXPECT_STREQ(path, "\\x\\y\\z.txt");
    EXPECT_EQ(PathCombineW(wide, u"\\x\\.\\y", u"\u00E9"), wide);
    EXPECT_OK(same(wide, u"\\x\\y\\\u00E9"));
    memset(most, 'a', sizeof most - 1);
    most[sizeof most - 1] = 0;
    EXPECT_EQ(PathCombineA(path, "\\x", most), NULL);
    EXPECT_EQ(path[0], 0);
    EXPECT_EQ(PathCombineA(path, NULL, NULL), NULL);
}

TEST_IN_EACH_KIND(Win32ShellPaths, files)
{
    folder_make();
    file_make("there", "text");
    EXPECT_OK(PathFileExistsA(in_folder("there")));
    EXPECT_EQ(PathFileExistsA(in_folder("absent")), FALSE);
    EXPECT_EQ(PathIsDirectoryA(in_folder("there")), FALSE);
    EXPECT_OK(PathIsDirectoryA(in_folder("")));
    EXPECT_EQ(PathFileExistsA(NULL), FALSE);
    folder_remove("there", NULL);
}

TEST_IN_EACH_KIND(Win32ShellPaths, identifiers)
{
    static const GUID known = {0x01234567, 0x89AB, 0xCDEF, {1, 2, 3, 4, 5, 6, 7, 0xFE}};
    WCHAR text[40];
    GUID one, two;
    char *memory = (char *)CoTaskMemAlloc(10);

    EXPECT_EQ(StringFromGUID2(&known, text, 39), 39);
    EXPECT_OK(same(text, u"{01234567-89AB-CDEF-0102-0304050607FE}"));
    EXPECT_EQ(StringFromGUID2(&known, text, 38), 0);
    EXPECT_EQ(CoCreateGuid(&one), S_OK);
    EXPECT_EQ(CoCreateGuid(&two), S_OK);
    EXPECT_NE(memcmp(&one, &two, sizeof one), 0);
    ASSERT_OK(memory != NULL);
    strcpy(memory, "kept");
    memory = (char *)CoTaskMemRealloc(memory, 10000);
    ASSERT_OK(memory != NULL);
    EXPECT_STREQ(memory, "kept");
    CoTaskMemFree(memory);
    CoTaskMemFree(NULL);
}

TEST_IN_EACH_KIND(Win32ShellPaths, on_drives)
{
    char path[MAX_PATH] = "C:\\a\\b";

    EXPECT_OK(PathRemoveFileSpecA(path));
    EXPECT_STREQ(path, "C:\\a");
    EXPECT_OK(PathRemoveFileSpecA(path));
    EXPECT_STREQ(path, "C:\\");
    EXPECT_EQ(PathRemoveFileSpecA(path), FALSE);
    EXPECT_EQ(PathCombineA(path, "C:\\a", "..\\..\\b"), path);
    EXPECT_STREQ(path, "C:\\b");
    EXPECT_EQ(PathCombineA(path, "\\x", "C:\\b"), path);
    EXPECT_STREQ(path, "C:\\b");
    EXPECT_EQ(PathCombineA(path, "C:\\a", "\\b"), path);
    EXPECT_STREQ(path, "C:\\b");
}

/* Wine leaves the dot there. */
TEST_IN_EACH_KIND(Win32ShellPaths, a_dot_at_a_drives_root)
{
    char path[MAX_PATH];

    EXPECT_EQ(PathCombineA(path, "C:\\", "."), path);
    EXPECT_STREQ(path, "C:\\");
}
