/* SPDX-License-Identifier: MIT
 *
 * win32_drives.c - drives: the folder of drives beside the program, paths on a drive, and the way
 * back. Here C: is a folder of this test's and D: a link to a folder in it.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"
#include "kinds.h"

#include <shlwapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[4096]; /* of C: */

/* Makes two drives before the library looks for drives. What an earlier run left is as good. */
__attribute__((constructor)) static void make_drives(void)
{
    char path[4200];
    ssize_t length = readlink("/proc/self/exe", root, 3900);

    strcpy(root + (length > 0 ? length : 0), ".drives");
    mkdir(root, 0777);
    strcpy(path, root);
    strcat(path, "/d:");
    symlink("c:/inner", path);
    strcat(root, "/c:");
    mkdir(root, 0777);
    snprintf(path, sizeof path, "%s/inner", root);
    mkdir(path, 0777);
}

/* A folder of a case's own on C:, so that cases of other processes are not in the way. */
static void make_folder(char *to)
{
    static int number;

    sprintf(to, "C:\\run-%d-%d", getpid(), number++);
    EXPECT_OK(CreateDirectoryA(to, NULL));
}

static const char *join(const char *folder, const char *rest)
{
    static char paths[8][MAX_PATH];
    static int next;
    char *path = paths[next++ % 8];

    stpcpy(stpcpy(path, folder), rest);
    return path;
}

static void make_file(const char *path)
{
    DWORD count;
    HANDLE file = CreateFileA(path, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);

    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_OK(WriteFile(file, "text", 4, &count, NULL));
    EXPECT_OK(CloseHandle(file));
}

static bool is_below_root(const char *path)
{
    char whole[MAX_PATH + 4200];
    struct stat status;

    snprintf(whole, sizeof whole, "%s/%s", root, path);
    return stat(whole, &status) == 0;
}

/* Each call that takes a path understands each spelling of it. */
TEST_IN_EACH_KIND(Win32Drives, every_call)
{
    char folder[MAX_PATH];
    char text[MAX_PATH];
    WIN32_FIND_DATAA data;
    HANDLE search;

    make_folder(folder);
    make_file(join(folder, "\\a"));
    EXPECT_OK(is_below_root(join(folder + 3, "/a")));
    EXPECT_EQ(GetFileAttributesA(join("\\\\?\\", join(folder, "\\a"))), FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_EQ(GetFileAttributesA(join("c:/", join(folder + 3, "/a"))), FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_OK(CopyFileA(join(folder, "\\a"), join(folder, "\\b"), TRUE));
    EXPECT_OK(MoveFileExA(join(folder, "\\b"), join(folder, "\\c"), 0));
    search = FindFirstFileA(join(folder, "\\c*"), &data);
    ASSERT_NE(search, INVALID_HANDLE_VALUE);
    EXPECT_STREQ(data.cFileName, "c");
    EXPECT_OK(FindClose(search));
    EXPECT_OK(CreateHardLinkA(join(folder, "\\d"), join(folder, "\\c"), NULL));
    EXPECT_OK(CreateSymbolicLinkA(join(folder, "\\e"), join(folder, "\\c"), 0));
    EXPECT_OK(PathFileExistsA(join(folder, "\\e")));
    EXPECT_OK(WritePrivateProfileStringA("s", "k", "v", join(folder, "\\f.ini")));
    EXPECT_EQ(GetPrivateProfileStringA("s", "k", "", text, sizeof text, join(folder, "\\f.ini")),
              1);
    EXPECT_NE(GetTempFileNameA(folder, "t", 0, text), 0);
    EXPECT_EQ(strncmp(text, folder, strlen(folder)), 0);
    EXPECT_OK(DeleteFileA(text));
    EXPECT_OK(SearchPathA(join("D:\\;", folder), "f", ".ini", sizeof text, text, NULL) > 0);
    EXPECT_STREQ(text, join(folder, "\\f.ini"));
    EXPECT_EQ(GetLongPathNameA(join(folder, "\\a"), text, sizeof text), strlen(folder) + 2);
    EXPECT_STREQ(text, join(folder, "\\a"));
    for (const char *name = "acdef"; *name; name++)
        EXPECT_OK(DeleteFileA(join(folder, *name == 'f' ? "\\f.ini" : (char[]){'\\', *name, 0})));
    EXPECT_OK(RemoveDirectoryA(folder));
}

/* Dots end at the drive's root: what is beside the folder is out of reach. */
TEST_IN_EACH_KIND(Win32Drives, no_way_out_by_dots)
{
    static const char *const ways[] = {
        "C:\\..\\d:", "C:..\\d:", "\\\\?\\C:\\..\\d:", "C:\\inner\\..\\..\\d:", "c:/./..//../d:"};
    char text[MAX_PATH];

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        EXPECT_EQ(GetFileAttributesA(ways[i]), INVALID_FILE_ATTRIBUTES);
        EXPECT_EQ(GetLastError(), ERROR_FILE_NOT_FOUND);
    }
    EXPECT_EQ(GetFullPathNameA("C:\\..\\..\\x\\.\\y", sizeof text, text, NULL), 6);
    EXPECT_STREQ(text, "C:\\x\\y");
    EXPECT_EQ(GetFullPathNameA("C:\\..", sizeof text, text, NULL), 3);
    EXPECT_STREQ(text, "C:\\");
}

/* Paths that calls return are on a drive, too. It is the drive that the caller named. For a path of
 * the system it is the drive whose folder is the deepest. */
TEST_IN_EACH_KIND(Win32Drives, and_back)
{
    char folder[MAX_PATH];
    char text[MAX_PATH];
    char system[8192];
    WCHAR wide[MAX_PATH];
    char *part = NULL;
    HANDLE file;

    make_folder(folder);
    make_file(join(folder, "\\a"));
    EXPECT_EQ(GetFullPathNameA("C:\\inner\\x", sizeof text, text, &part), 10);
    EXPECT_STREQ(text, "C:\\inner\\x");
    EXPECT_STREQ(part, "x");
    EXPECT_EQ(GetFullPathNameA("d:/x/", sizeof text, text, &part), 5);
    EXPECT_STREQ(text, "D:\\x\\");
    EXPECT_EQ(part, NULL);
    EXPECT_EQ(GetFullPathNameW(u"C:\\inner\\x", MAX_PATH, wide, NULL), 10);
    snprintf(system, sizeof system, "%s/inner/x", root);
    EXPECT_EQ(GetFullPathNameA(system, sizeof text, text, NULL), 4);
    EXPECT_STREQ(text, "D:\\x");
    EXPECT_EQ(GetFullPathNameA("/tmp/x", sizeof text, text, NULL), 6);
    EXPECT_STREQ(text, "/tmp/x");
    file = CreateFileA(join(folder, "\\a"), GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetFinalPathNameByHandleA(file, text, sizeof text, 0), strlen(folder) + 2);
    EXPECT_STREQ(text, join(folder, "\\a"));
    EXPECT_OK(CloseHandle(file));
    EXPECT_STREQ(_fullpath(system, join(folder, "\\a"), sizeof system), system);
    EXPECT_EQ(strncmp(system, root, strlen(root)), 0); /* which libc's functions understand */
    EXPECT_OK(DeleteFileA(join(folder, "\\a")));
    EXPECT_OK(RemoveDirectoryA(folder));
}

/* A path that leaves the drive by dots is on no drive: calls return it as it is, and never another
 * file's. The folder for temporary files is such a path, too. */
TEST_IN_EACH_KIND(Win32Drives, no_way_back_with_dots)
{
    static const char *const rests[] = {"/..", "/../c:", "/../c:/inner", "/inner/..",
                                        "/inner/../../c:/inner"};
    char path[8192], text[8192];

    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        snprintf(path, sizeof path, "%s%s", root, rests[i]);
        EXPECT_EQ(GetLongPathNameA(path, text, sizeof text), strlen(path));
        EXPECT_STREQ(text, path);
        EXPECT_EQ(GetShortPathNameA(path, text, sizeof text), strlen(path));
        EXPECT_STREQ(text, path);
    }
    snprintf(path, sizeof path, "%s/..x", root);
    EXPECT_OK(CreateDirectoryA(path, NULL) || GetLastError() == ERROR_ALREADY_EXISTS);
    EXPECT_EQ(GetLongPathNameA(path, text, sizeof text), 6);
    EXPECT_STREQ(text, "C:\\..x");
}

static int go_to_temp(void *unused)
{
    char path[8192], text[8192];

    snprintf(path, sizeof path, "%s/../c:/inner", root);
    setenv("TMPDIR", path, 1);
    EXPECT_EQ(GetTempPathA(sizeof text, text), strlen(path) + 1);
    EXPECT_STREQ(text, strcat(path, "/"));
    snprintf(path, sizeof path, "%s/inner", root);
    setenv("TMPDIR", path, 1);
    EXPECT_EQ(GetTempPathA(sizeof text, text), 3);
    EXPECT_STREQ(text, "D:\\");
    return 0;
}

CALL_TEST(Win32Drives, the_folder_of_temporary_files, EXPECT_IN_CHILD(go_to_temp, NULL, 10000))

/* The current folder: a relative path, one from the backslash on, one relative to a drive. */
static int go_to_drive(void *unused)
{
    char folder[MAX_PATH];
    char text[MAX_PATH];
    char system[8192], whole[8192];
    WIN32_FIND_DATAA data;
    HANDLE search;

    make_folder(folder);
    make_file(join(folder, "\\a"));
    EXPECT_OK(SetCurrentDirectoryA(folder));
    EXPECT_EQ(GetCurrentDirectoryA(sizeof text, text), strlen(folder));
    EXPECT_STREQ(text, folder);
    EXPECT_EQ(GetFileAttributesA("a"), FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_EQ(GetFileAttributesA("C:a"), FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_EQ(GetFileAttributesA("C:"), FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_EQ(GetFullPathNameA("C:", sizeof text, text, NULL), strlen(folder));
    EXPECT_STREQ(text, folder);
    EXPECT_EQ(GetFullPathNameA("\\\\.\\C:", sizeof text, text, NULL), strlen(folder));
    EXPECT_EQ(GetFullPathNameA("D:", sizeof text, text, NULL), 3);
    EXPECT_STREQ(text, "D:\\");
    snprintf(system, sizeof system, "%s/%s", root, folder + 3);
    EXPECT_STREQ(_fullpath(whole, "C:", sizeof whole), system);
    search = FindFirstFileA("C:", &data);
    if (EXPECT_NE(search, INVALID_HANDLE_VALUE))
        EXPECT_STREQ(data.cFileName, folder + 3);
    EXPECT_OK(FindClose(search));
    EXPECT_EQ(GetFileAttributesA("D:a"), INVALID_FILE_ATTRIBUTES);
    EXPECT_EQ(GetFileAttributesA("\\inner"), FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_EQ(GetFileAttributesA("/tmp"), FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_EQ(GetFileAttributesA("..\\..\\..\\d:"), INVALID_FILE_ATTRIBUTES);
    EXPECT_EQ(GetFileAttributesA("..\\..\\..\\inner"), FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_EQ(GetFullPathNameA("b", sizeof text, text, NULL), strlen(folder) + 2);
    EXPECT_STREQ(text, join(folder, "\\b"));
    EXPECT_OK(CreateSymbolicLinkA("l", "..\\inner", 0)); /* from the link's own folder */
    EXPECT_EQ(GetFileAttributesA("l"), FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT);
    EXPECT_OK(SetCurrentDirectoryA("\\"));
    EXPECT_EQ(GetCurrentDirectoryA(sizeof text, text), 3);
    EXPECT_STREQ(text, "C:\\");
    EXPECT_EQ(GetFullPathNameA("C:", sizeof text, text, NULL), 3);
    EXPECT_STREQ(text, "C:\\");
    EXPECT_EQ(FindFirstFileA("C:", &data), INVALID_HANDLE_VALUE);
    EXPECT_OK(DeleteFileA(join(folder, "\\a")));
    EXPECT_OK(DeleteFileA(join(folder, "\\l")) || RemoveDirectoryA(join(folder, "\\l")));
    EXPECT_OK(RemoveDirectoryA(folder));
    EXPECT_OK(SetCurrentDirectoryA("/tmp"));
    EXPECT_GT(GetCurrentDirectoryA(sizeof text, text), 0);
    EXPECT_STREQ(text, "/tmp");
    return 0;
}

CALL_TEST(Win32Drives, the_current_folder, EXPECT_IN_CHILD(go_to_drive, NULL, 10000))

/* A process is made of a program and in a folder that both begin on a drive. */
TEST_IN_EACH_KIND(Win32Drives, processes)
{
    char folder[MAX_PATH];
    char line[] = "run";
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    char text[MAX_PATH];
    DWORD length = sizeof text;
    DWORD code = 1;

    make_folder(folder);
    EXPECT_OK(CreateSymbolicLinkA(join(folder, "\\run"), "/bin/true", 0));
    ASSERT_OK(CreateProcessA(join(folder, "\\run.exe"), line, NULL, NULL, FALSE, 0, NULL, folder,
                             &startup, &process));
    EXPECT_EQ(WaitForSingleObject(process.hProcess, 10000), WAIT_OBJECT_0);
    EXPECT_OK(QueryFullProcessImageNameA(process.hProcess, 0, text, &length));
    EXPECT_STREQ(text, join(folder, "\\run"));
    EXPECT_OK(GetExitCodeProcess(process.hProcess, &code));
    EXPECT_EQ(code, 0);
    CloseHandle(process.hThread), CloseHandle(process.hProcess);
    EXPECT_FAILS(CreateProcessA(join(folder, "\\run.exe"), line, NULL, NULL, FALSE, 0, NULL,
                                "C:\\absent", &startup, &process),
                 ERROR_DIRECTORY);
    EXPECT_FAILS(
        CreateProcessA("X:\\run.exe", line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process),
        ERROR_PATH_NOT_FOUND);
    EXPECT_OK(DeleteFileA(join(folder, "\\run")));
    EXPECT_OK(RemoveDirectoryA(folder));
}

TEST_IN_EACH_KIND(Win32Drives, which_there_are)
{
    char text[16];
    WCHAR wide[9];

    EXPECT_EQ(GetLogicalDrives(), 1u << 2 | 1u << 3);
    EXPECT_EQ(GetLogicalDriveStringsA(8, text), 9);
    EXPECT_EQ(GetLogicalDriveStringsA(9, text), 8);
    EXPECT_EQ(memcmp(text, "C:\\\0D:\\\0", 9), 0);
    EXPECT_EQ(GetLogicalDriveStringsW(0, NULL), 9);
    EXPECT_EQ(GetLogicalDriveStringsW(9, wide), 8);
    EXPECT_EQ(memcmp(wide, u"C:\\\0D:\\\0", sizeof wide), 0);
    EXPECT_NE(GetDriveTypeA("C:\\"), DRIVE_NO_ROOT_DIR);
    EXPECT_EQ(GetDriveTypeA("E:\\"), DRIVE_NO_ROOT_DIR);
    EXPECT_OK(GetVolumeInformationA("D:\\", NULL, 0, NULL, NULL, NULL, text, sizeof text));
    EXPECT_FAILS(CreateDirectoryA("e:\\x", NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(DeleteFileA("\\\\server\\share\\x"), ERROR_BAD_NETPATH);
}
