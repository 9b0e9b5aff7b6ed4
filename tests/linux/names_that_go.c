/* SPDX-License-Identifier: MIT
 *
 * names_that_go.c - a file that is to be deleted at its close is deleted at the end of the process
 * that has opened it and left it open, and of no other process.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "fresh_path.h"
#include "gtest_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CODE = 41, LIMIT_MS = 20000 };

static bool is_there(void)
{
    return access(path, F_OK) == 0;
}

static HANDLE open_file(DWORD flags)
{
    HANDLE file =
        CreateFileA(path, GENERIC_WRITE | DELETE, FILE_SHARE_DELETE, NULL, CREATE_NEW, flags, NULL);

    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    EXPECT_EQ(is_there(), true);
    return file;
}

/* ---- Left open ------------------------------------------------------------------------------- */

static int code(void)
{
    return tc_failures() ? CHILD_CHECKS_FAILED : CODE;
}

static void by_exit(void)
{
    exit(code());
}

static void by_exit_process(void)
{
    ExitProcess((DWORD)code());
}

static void by_terminate_process(void)
{
    TerminateProcess(GetCurrentProcess(), (DWORD)code());
}

static int leave_open(void *leave)
{
    open_file(FILE_FLAG_DELETE_ON_CLOSE);
    ((void (*)(void))leave)();
    return 1;
}

static void dispose(HANDLE file, BOOL delete)
{
    FILE_DISPOSITION_INFO info = {.DeleteFile = delete};

    EXPECT_OK(SetFileInformationByHandle(file, FileDispositionInfo, &info, sizeof info));
}

static int leave_disposed(void *leave)
{
    dispose(open_file(0), TRUE);
    ((void (*)(void))leave)();
    return 1;
}

static int leave_kept(void *leave)
{
    HANDLE file = open_file(0);

    dispose(file, TRUE);
    dispose(file, FALSE);
    ((void (*)(void))leave)();
    return 1;
}

/* A file that was opened to be deleted on close is deleted, though a disposition says no. */
static int leave_as_opened(void *leave)
{
    dispose(open_file(FILE_FLAG_DELETE_ON_CLOSE), FALSE);
    ((void (*)(void))leave)();
    return 1;
}

static void leave(child_body body, void (*way)(void), bool stays)
{
    struct child_result result;

    fresh_path();
    result = child_run(body, (void *)way, LIMIT_MS);
    EXPECT_THAT(result.exited && result.code == CODE, "exit code %d, signal %d, hung %d; %s",
                result.code, result.signal, result.timed_out, result.output);
    EXPECT_EQ(is_there(), stays);
    unlink(path);
}

CALL_TEST(NamesThatGo, with_exit, leave(leave_open, by_exit, false))
CALL_TEST(NamesThatGo, with_ExitProcess, leave(leave_open, by_exit_process, false))
CALL_TEST(NamesThatGo, with_TerminateProcess, leave(leave_open, by_terminate_process, false))
CALL_TEST(NamesThatGo, by_their_handles, leave(leave_disposed, by_exit, false))
CALL_TEST(NamesThatGo, as_they_were_opened, leave(leave_as_opened, by_exit, false))
CALL_TEST(NamesThatGo, but_not_those_that_are_to_stay, leave(leave_kept, by_exit, true))

/* ---- A child has the file open, too ---------------------------------------------------------- */

/* Forks by a bare call, so that no handler of pthread_atfork runs. */
static pid_t bare_fork(void)
{
    return (pid_t)syscall(SYS_fork);
}

static void fork_and(pid_t (*make)(void), void (*do_it)(HANDLE file))
{
    HANDLE file;
    int status = -1;
    pid_t child;

    fresh_path();
    file = open_file(FILE_FLAG_DELETE_ON_CLOSE);
    child = make();
    if (!child) {
        do_it(file);
        exit(CODE);
    }
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, CODE);
    EXPECT_EQ(is_there(), true);
    EXPECT_OK(CloseHandle(file));
    EXPECT_EQ(is_there(), false);
}

static void do_nothing(HANDLE file)
{
}

static void close_file(HANDLE file)
{
    CloseHandle(file);
}

CALL_TEST(NamesThatGo, not_with_a_forked_child, fork_and(fork, do_nothing))
CALL_TEST(NamesThatGo, not_when_a_forked_child_closes_them, fork_and(fork, close_file))
CALL_TEST(NamesThatGo, not_with_a_child_of_a_bare_call, fork_and(bare_fork, do_nothing))

/* ---- By another name ------------------------------------------------------------------------- */

static char moved[sizeof path + 16];

static void move_it(void)
{
    snprintf(moved, sizeof moved, "%s.moved", path);
    EXPECT_OK(MoveFileA(path, moved));
    EXPECT_EQ(is_there(), false);
    EXPECT_EQ(access(moved, F_OK), 0);
}

TEST(NamesThatGo, when_they_have_another_name_by_then)
{
    HANDLE file;

    fresh_path();
    file = open_file(FILE_FLAG_DELETE_ON_CLOSE);
    move_it();
    EXPECT_OK(CloseHandle(file));
    EXPECT_EQ(access(moved, F_OK), -1);
    file = open_file(0);
    dispose(file, TRUE);
    move_it();
    EXPECT_OK(CloseHandle(file));
    EXPECT_EQ(access(moved, F_OK), -1);
}

TEST(NamesThatGo, when_their_folder_has_another_name)
{
    char inside[sizeof moved + 16];
    HANDLE file;

    fresh_path();
    EXPECT_OK(CreateDirectoryA(path, NULL));
    snprintf(inside, sizeof inside, "%s/file", path);
    file = CreateFileA(inside, GENERIC_WRITE | DELETE, FILE_SHARE_DELETE, NULL, CREATE_NEW,
                       FILE_FLAG_DELETE_ON_CLOSE, NULL);
    EXPECT_NE(file, INVALID_HANDLE_VALUE);
    move_it();
    EXPECT_OK(CloseHandle(file));
    EXPECT_OK(RemoveDirectoryA(moved)); /* it is empty */
}

static int leave_moved(void *leave)
{
    open_file(FILE_FLAG_DELETE_ON_CLOSE);
    move_it();
    ((void (*)(void))leave)();
    return 1;
}

TEST(NamesThatGo, when_they_have_another_name_and_are_left_open)
{
    leave(leave_moved, by_exit, false);
    snprintf(moved, sizeof moved, "%s.moved", path);
    EXPECT_EQ(access(moved, F_OK), -1);
}
