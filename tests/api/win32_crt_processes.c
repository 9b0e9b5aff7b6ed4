/* SPDX-License-Identifier: MIT
 *
 * win32_crt_processes.c - _spawn..., _cwait and _exec..., and handles of descriptors.
 *
 * modes: default
 * with: folder.c
 * where: UNIX
 */
#include <windows.h>

#include "events.h"
#include "folder.h"
#include "gtest_c.h"
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The shell: of its arguments, a script, in quotes since it has blanks in it. */
#define SHELL "/bin/sh"

TEST_IN_EACH_KIND(Win32CrtProcesses, exit_codes)
{
    const char *const arguments[] = {"sh", "-c", "\"exit 7\"", NULL};

    EXPECT_EQ(_spawnl(_P_WAIT, SHELL, "sh", "-c", "\"exit 5\"", NULL), 5);
    EXPECT_EQ(_spawnlp(_P_WAIT, "sh", "sh", "-c", "\"exit 6\"", NULL), 6);
    EXPECT_EQ(_spawnv(_P_WAIT, SHELL, arguments), 7);
    EXPECT_EQ(_spawnvp(_P_WAIT, "sh", arguments), 7);
}

TEST_IN_EACH_KIND(Win32CrtProcesses, an_environment)
{
    const char *const environment[] = {"ANSWER=42", "PATH=/usr/bin:/bin", NULL};
    const char *const arguments[] = {"sh", "-c", "\"exit $ANSWER\"", NULL};

    EXPECT_EQ(_spawnve(_P_WAIT, SHELL, arguments, environment), 42);
    EXPECT_EQ(_spawnvpe(_P_WAIT, "sh", arguments, environment), 42);
    EXPECT_EQ(_spawnle(_P_WAIT, SHELL, "sh", "-c", "\"exit $ANSWER\"", NULL, environment), 42);
    EXPECT_EQ(_spawnlpe(_P_WAIT, "sh", "sh", "-c", "\"exit $ANSWER\"", NULL, environment), 42);
}

TEST_IN_EACH_KIND(Win32CrtProcesses, waited_for_later)
{
    int status = 0;
    intptr_t process = _spawnl(_P_NOWAIT, SHELL, "sh", "-c", "\"exit 8\"", NULL);

    ASSERT_NE(process, -1);
    EXPECT_EQ(_cwait(&status, process, _WAIT_CHILD), process);
    EXPECT_EQ(status, 8);
    EXPECT_ERRNO(_cwait(&status, 0, _WAIT_CHILD), ECHILD);
}

/* A process of its own becomes another program. */
TEST(Win32CrtProcesses, in_the_place_of_this_one)
{
    const char *const environment[] = {"ANSWER=43", NULL};
    int status = 0;
    pid_t child = fork();

    if (!child) {
        _execle(SHELL, "sh", "-c", "\"exit $ANSWER\"", NULL, environment);
        _exit(99);
    }
    ASSERT_GE(child, 0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 43);
    EXPECT_ERRNO(_execl("/nowhere/at/all", "all", NULL), ENOENT);
    EXPECT_ERRNO(_spawnl(_P_OVERLAY, "/nowhere/at/all", "all", NULL), ENOENT);
}

TEST_IN_EACH_KIND(Win32CrtProcesses, bad_arguments)
{
    const char *const none[] = {NULL};

    EXPECT_ERRNO(_spawnl(_P_WAIT, "/nowhere/at/all", "all", NULL), ENOENT);
    EXPECT_ERRNO(_spawnl(99, SHELL, "sh", NULL), EINVAL);
    EXPECT_ERRNO(_spawnv(_P_WAIT, SHELL, none), EINVAL);
    EXPECT_ERRNO(_spawnv(_P_WAIT, NULL, none), EINVAL);
}

/* ---- Handles of descriptors ---- */

TEST_IN_EACH_KIND(Win32CrtProcesses, the_handle_of_a_descriptor)
{
    char text[8] = "";
    DWORD count = 0;
    HANDLE handle;
    int fd;

    folder_make();
    file_make("one", "12345");
    fd = open(in_folder("one"), O_RDONLY);
    ASSERT_GE(fd, 0);
    handle = (HANDLE)_get_osfhandle(fd);
    ASSERT_NE(handle, INVALID_HANDLE_VALUE);
    EXPECT_EQ((HANDLE)_get_osfhandle(fd), handle);
    EXPECT_OK(ReadFile(handle, text, 3, &count, NULL));
    EXPECT_EQ(read(fd, text + 3, 2), 2);
    EXPECT_STREQ(text, "12345");
    EXPECT_FAILS(WriteFile(handle, text, 1, &count, NULL), ERROR_ACCESS_DENIED);
    EXPECT_EQ(close(fd), 0);
    EXPECT_ERRNO(_get_osfhandle(-1), EBADF);
    folder_remove("one", NULL);
}

/* The descriptor owns the pipe: its reader sees the end when that is closed. */
TEST_IN_EACH_KIND(Win32CrtProcesses, the_descriptor_of_a_handle)
{
    HANDLE reads = NULL, writes = NULL;
    char text[8] = "";
    DWORD count = 0;
    int fd;

    ASSERT_OK(CreatePipe(&reads, &writes, NULL, 0));
    fd = _open_osfhandle((intptr_t)writes, 0);
    ASSERT_GE(fd, 0);
    EXPECT_EQ((HANDLE)_get_osfhandle(fd), writes);
    EXPECT_EQ(write(fd, "12", 2), 2);
    EXPECT_OK(WriteFile(writes, "3", 1, &count, NULL));
    EXPECT_EQ(close(fd), 0);
    EXPECT_OK(ReadFile(reads, text, sizeof text - 1, &count, NULL));
    EXPECT_STREQ(text, "123");
    EXPECT_FAILS(ReadFile(reads, text, 1, &count, NULL), ERROR_BROKEN_PIPE);
    EXPECT_OK(CloseHandle(reads));
    EXPECT_ERRNO(_open_osfhandle(0, 0), EBADF);
}

/* A file that it shares with nobody is free again when the descriptor is closed. */
TEST_IN_EACH_KIND(Win32CrtProcesses, the_descriptor_of_a_file)
{
    HANDLE file;
    int fd;

    folder_make();
    file = CreateFileA(in_folder("one"), GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    fd = _open_osfhandle((intptr_t)file, 0);
    ASSERT_GE(fd, 0);
    EXPECT_EQ(write(fd, "12", 2), 2);
    EXPECT_EQ(close(fd), 0);
    file = CreateFileA(in_folder("one"), GENERIC_READ | DELETE, 0, NULL, OPEN_EXISTING,
                       FILE_FLAG_DELETE_ON_CLOSE, NULL);
    ASSERT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_ERRNO(_open_osfhandle((intptr_t)file, 0), EINVAL); /* who would delete it? */
    EXPECT_OK(CloseHandle(file));
    folder_remove(NULL);
}
