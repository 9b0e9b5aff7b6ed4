/* SPDX-License-Identifier: MIT
 *
 * log_lines.c - lines of the library's on stderr, where nothing more can be written: the program
 * gets no signal of them.
 *
 * modes: default
 */
#include <windows.h>

#include "child.h"
#include "gtest_c.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMIT_MS = 20000, OLD = 5 };

/* Objects of a process that may make no files are its own, and a line says so. */
static void have_a_line_written(void)
{
    struct rlimit none = {0, RLIM_INFINITY};

    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    HANDLE event = CreateEventA(NULL, FALSE, FALSE, "umsshim log lines");
    EXPECT_OK(event != NULL);
    OutputDebugStringA("a debugger's line\n");
    EXPECT_OK(CloseHandle(event));
}

static int signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

/* A signal that the program blocks comes by no line, and one that is pending stays. */
static void blocked(int of)
{
    sigset_t set, pending;

    sigemptyset(&set);
    sigaddset(&set, of);
    EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
    OutputDebugStringA("a third\n");
    EXPECT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, of), 0);
    EXPECT_EQ(raise(of), 0);
    OutputDebugStringA("a fourth\n");
    EXPECT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, of), 1);
}

/* With the signal's default action, with a handler, and blocked. */
static void on(int stderr_now, int of)
{
    int before = dup(STDERR_FILENO);
    EXPECT_EQ(dup2(stderr_now, STDERR_FILENO), STDERR_FILENO);
    setenv("UMSSHIM_LOG", "debug", 1);
    EXPECT_NE(signal(of, SIG_DFL), SIG_ERR);
    have_a_line_written();
    EXPECT_NE(signal(of, count), SIG_ERR);
    OutputDebugStringA("another\n");
    blocked(of);
    EXPECT_EQ(dup2(before, STDERR_FILENO), STDERR_FILENO);
    EXPECT_EQ(signals, 0);
}

static int on_a_full_file(void *unused)
{
    int file = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);

    (void)unused;
    if (file < 0)
        file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    EXPECT_GE(file, 0);
    on(file, SIGXFSZ);
    EXPECT_EQ(lseek(file, 0, SEEK_END), 0);
    return tc_failures() != 0;
}

static int on_a_pipe_without_a_reader(void *unused)
{
    int ends[2];

    (void)unused;
    EXPECT_EQ(pipe(ends), 0);
    close(ends[0]);
    on(ends[1], SIGPIPE);
    return tc_failures() != 0;
}

CALL_TEST(LogLines, of_a_process_at_its_limit_for_files,
          EXPECT_IN_CHILD(on_a_full_file, NULL, LIMIT_MS))

CALL_TEST(LogLines, to_a_reader_that_has_gone,
          EXPECT_IN_CHILD(on_a_pipe_without_a_reader, NULL, LIMIT_MS))
