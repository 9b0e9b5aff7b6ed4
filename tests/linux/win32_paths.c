/* SPDX-License-Identifier: MIT
 *
 * win32_paths.c - paths and files where Linux is not Windows: drives, links, attributes that are
 * kept beside a file, files of other processes.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"
#include "path_in.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/ums-paths-XXXXXX");
    ASSERT_OK(mkdtemp(folder) != NULL);
}

static const char *in_folder(const char *name)
{
    return path_in(folder, name);
}

static void make_file(const char *name)
{
    FILE *file = fopen(in_folder(name), "w");

    ASSERT_OK(file != NULL);
    fputs("text", file);
    fclose(file);
}

static void refused(void *unused)
{
    STARTUPINFOA startup = {.cb = sizeof startup};
    PROCESS_INFORMATION process;
    char line[] = "C:\\run.exe";
    char text[MAX_PATH];

    EXPECT_FAILS(MoveFileExA("C:\\a", "/tmp/b", 0), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(CopyFileA("/etc/passwd", "c:/b", FALSE), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(SetCurrentDirectoryA("D:"), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(GetFullPathNameA("C:relative", sizeof text, text, NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(GetTempFileNameA("C:\\temp", "t", 0, text), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(SearchPathA(NULL, "C:\\a", NULL, sizeof text, text, NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(WritePrivateProfileStringA("s", "k", "v", "C:\\a.ini"), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(CreateProcessA(NULL, line, NULL, NULL, FALSE, 0, NULL, NULL, &startup, &process),
                 ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(LoadLibraryA("C:\\a.dll") != NULL, ERROR_MOD_NOT_FOUND);
    EXPECT_EQ(GetLogicalDriveStringsA(0, NULL), 1);
}

static int use_drives(void *unused)
{
    WIN32_FIND_DATAA data;

    EXPECT_EQ(CreateFileA("C:\\dir\\file", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL),
              INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(CreateDirectoryA("d:dir", NULL), ERROR_PATH_NOT_FOUND);
    EXPECT_FAILS(DeleteFileA("\\\\?\\C:\\dir\\file"), ERROR_PATH_NOT_FOUND);
    EXPECT_EQ(FindFirstFileA("C:\\*", &data), INVALID_HANDLE_VALUE);
    EXPECT_EQ(GetLastError(), ERROR_PATH_NOT_FOUND);
    EXPECT_EQ(GetFileAttributesA("\\\\server\\share\\file"), INVALID_FILE_ATTRIBUTES);
    EXPECT_EQ(GetLastError(), ERROR_BAD_NETPATH);
    EXPECT_EQ(GetLogicalDrives(), 0);
    EXPECT_EQ(GetDriveTypeA("C:\\"), DRIVE_NO_ROOT_DIR);
    in_each_kind(refused, NULL);
    return 0;
}

/* Refused, and told once. */
TEST(Win32Paths, on_drives_and_servers)
{
    struct child_result result = child_run(use_drives, NULL, 10000);
    const char *line = strstr(result.output, "is on a drive");

    EXPECT_CHILD_OK(result);
    EXPECT_THAT(line && !strstr(line + 1, "is on a drive"), "the child wrote: %s", result.output);
}

TEST_IN_EACH_KIND(Win32Paths, verbatim_and_whole)
{
    char text[256];
    char verbatim[256];
    char *part = NULL;

    make_folder();
    make_file("file");
    snprintf(verbatim, sizeof verbatim, "\\\\?\\%s", in_folder("file"));
    EXPECT_EQ(GetFileAttributesA(verbatim), FILE_ATTRIBUTE_ARCHIVE);
    EXPECT_EQ(GetFullPathNameA("\\a\\.\\b\\..\\\\c\\", sizeof text, text, &part), 5);
    EXPECT_STREQ(text, "/a/c/");
    EXPECT_EQ(part, NULL);
    EXPECT_EQ(GetFullPathNameA("/../..", sizeof text, text, &part), 1);
    EXPECT_STREQ(text, "/");
    EXPECT_EQ(GetFullPathNameA("x/NUL", sizeof text, text, &part), 7);
    EXPECT_STREQ(text, "\\\\.\\NUL");
    EXPECT_FAILS(GetFullPathNameA("", sizeof text, text, &part), ERROR_INVALID_NAME);
    EXPECT_OK(DeleteFileA(in_folder("file")));
    EXPECT_OK(RemoveDirectoryA(folder));
}

/* One name, and a whole path, that the file system does not take. */
TEST_IN_EACH_KIND(Win32Paths, names_that_are_too_long)
{
    static char name[6000];

    memset(name, 'n', 300);
    name[300] = 0;
    EXPECT_FAILS(CreateDirectoryA(name, NULL), ERROR_FILENAME_EXCED_RANGE);
    EXPECT_FAILS(MoveFileA(name, "/tmp/no-such"), ERROR_FILENAME_EXCED_RANGE);
    EXPECT_EQ(GetFileAttributesA(name), INVALID_FILE_ATTRIBUTES);
    EXPECT_EQ(GetLastError(), ERROR_FILENAME_EXCED_RANGE);
    for (int i = 0; i < 5999; i++)
        name[i] = i % 2 ? 'n' : '/';
    EXPECT_FAILS(CreateDirectoryA(name, NULL), ERROR_FILENAME_EXCED_RANGE);
    EXPECT_FAILS(CopyFileA(name, "/tmp/no-such", FALSE), ERROR_FILENAME_EXCED_RANGE);
}

TEST_IN_EACH_KIND(Win32Paths, links)
{
    WIN32_FIND_DATAA data;
    HANDLE search;

    make_folder();
    EXPECT_OK(CreateDirectoryA(in_folder("real"), NULL));
    EXPECT_OK(CreateSymbolicLinkA(in_folder("link"), "real", SYMBOLIC_LINK_FLAG_DIRECTORY));
    EXPECT_FAILS(CreateSymbolicLinkA(in_folder("link"), "real", 0), ERROR_ALREADY_EXISTS);
    EXPECT_OK(CreateSymbolicLinkA(in_folder("nowhere"), "no", 0));
    EXPECT_EQ(GetFileAttributesA(in_folder("link")),
              FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT);
    EXPECT_EQ(GetFileAttributesA(in_folder("nowhere")), FILE_ATTRIBUTE_REPARSE_POINT);
    search = FindFirstFileA(in_folder("l*"), &data);
    ASSERT_NE(search, INVALID_HANDLE_VALUE);
    EXPECT_EQ(data.dwReserved0, IO_REPARSE_TAG_SYMLINK);
    EXPECT_OK(FindClose(search));
    EXPECT_OK(RemoveDirectoryA(in_folder("link"))); /* the link alone */
    EXPECT_EQ(GetFileAttributesA(in_folder("real")), FILE_ATTRIBUTE_DIRECTORY);
    EXPECT_OK(RemoveDirectoryA(in_folder("real")));
    EXPECT_OK(DeleteFileA(in_folder("nowhere")));
    EXPECT_OK(RemoveDirectoryA(folder));
}

/* The library keeps attributes as Samba does, where the file system can. */
TEST_IN_EACH_KIND(Win32Paths, attributes_beside_the_file)
{
    char text[16] = "";

    make_folder();
    make_file("file");
    if (setxattr(in_folder("file"), "user.DOSATTRIB", "0x2", 3, 0)) {
        EXPECT_FAILS(SetFileAttributesA(in_folder("file"), FILE_ATTRIBUTE_HIDDEN),
                     ERROR_NOT_SUPPORTED);
    } else {
        EXPECT_EQ(GetFileAttributesA(in_folder("file")), FILE_ATTRIBUTE_HIDDEN);
        EXPECT_OK(
            SetFileAttributesA(in_folder("file"), FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_READONLY));
        EXPECT_EQ(GetFileAttributesA(in_folder("file")),
                  FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_READONLY);
        EXPECT_EQ(getxattr(in_folder("file"), "user.DOSATTRIB", text, sizeof text), 3);
        EXPECT_OK(SetFileAttributesA(in_folder("file"), FILE_ATTRIBUTE_NORMAL));
        EXPECT_EQ(GetFileAttributesA(in_folder("file")), FILE_ATTRIBUTE_NORMAL);
    }
    EXPECT_OK(DeleteFileA(in_folder("file")));
    EXPECT_OK(RemoveDirectoryA(folder));
}

/* A search is no object that anybody may wait for, and its handle is good for nothing else. */
TEST_IN_EACH_KIND(Win32Paths, a_search_is_no_file)
{
    WIN32_FIND_DATAA data;
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, NULL);
    HANDLE search = FindFirstFileA("/tmp/*", &data);
    DWORD count;

    ASSERT_NE(search, INVALID_HANDLE_VALUE);
    EXPECT_FAILS(ReadFile(search, &count, 1, &count, NULL), ERROR_INVALID_HANDLE);
    EXPECT_EQ(WaitForSingleObject(search, 0), WAIT_FAILED);
    EXPECT_EQ(GetLastError(), ERROR_ACCESS_DENIED);
    EXPECT_FAILS(FindNextFileA(event, &data), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FindClose(event), ERROR_INVALID_HANDLE);
    EXPECT_OK(FindClose(search));
    EXPECT_FAILS(FindClose(search), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FindNextFileA(search, &data), ERROR_INVALID_HANDLE);
    EXPECT_FAILS(FindFirstFileA("/tmp/*", NULL) != INVALID_HANDLE_VALUE, ERROR_INVALID_PARAMETER);
    search = FindFirstFileExA("/tmp/*", FindExInfoStandard, &data, FindExSearchNameMatch, &data, 0);
    EXPECT_EQ(search, INVALID_HANDLE_VALUE); /* there are no filters */
    EXPECT_EQ(GetLastError(), ERROR_INVALID_PARAMETER);
    EXPECT_OK(CloseHandle(event));
}

/* Another process's lock counts, too, and goes with that process. */
static int lock_and_stay(void *fds)
{
    char byte = 0;
    HANDLE file = CreateFileA(in_folder("file"), GENERIC_READ | GENERIC_WRITE, 7, NULL,
                              OPEN_EXISTING, 0, NULL);

    EXPECT_OK(LockFile(file, 0, 0, 4, 0));
    EXPECT_EQ(write(((int *)fds)[1], "x", 1), 1);
    close(((int *)fds)[3]);
    EXPECT_EQ(read(((int *)fds)[2], &byte, 1), 0); /* until the parent closes its end */
    return 0;
}

TEST(Win32Paths, a_lock_of_another_process)
{
    int fds[4];
    char byte;
    HANDLE file;
    struct child child;
    struct child_result result;
    OVERLAPPED at = {0};

    make_folder();
    make_file("file");
    ASSERT_OK(pipe(fds) == 0 && pipe(fds + 2) == 0);
    child = child_start(lock_and_stay, fds);
    EXPECT_EQ(read(fds[0], &byte, 1), 1);
    file = CreateFileA(in_folder("file"), GENERIC_READ | GENERIC_WRITE, 7, NULL, OPEN_EXISTING, 0,
                       NULL);
    EXPECT_FAILS(LockFile(file, 3, 0, 4, 0), ERROR_LOCK_VIOLATION);
    close(fds[3]);
    EXPECT_OK(LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK, 0, 4, 0, &at));
    result = child_wait(child, 10000);
    EXPECT_CHILD_OK(result);
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(DeleteFileA(in_folder("file")));
    EXPECT_OK(RemoveDirectoryA(folder));
    close(fds[0]), close(fds[1]), close(fds[2]);
}
