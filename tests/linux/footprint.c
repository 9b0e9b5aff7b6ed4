/* SPDX-License-Identifier: MIT
 *
 * footprint.c - the library's traces in a process, as SECURITY.md lists them: the threads and
 * children that have the filter and no_new_privs, new descriptors, new signal handlers. The test
 * compares them with the process's state before, which a sandbox may have set.
 *
 * modes: default, UMSSHIM_DETECT=0, UMSSHIM_DETECT=traps
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "gtest_c.h"
#include "is_set.h"
#include "kinds.h"
#include "trapped.h"

extern char **environ;

enum { LIMIT_MS = 20000, DESCRIPTORS = 8192 };

struct rights {
    int no_new_privs, filters;
};

static struct rights before;
static bool detects;

static bool rights_in(const char *text, struct rights *rights)
{
    const char *privs = strstr(text, "\nNoNewPrivs:");
    const char *filters = strstr(text, "\nSeccomp_filters:");
    return privs && filters && sscanf(privs, "\nNoNewPrivs: %d", &rights->no_new_privs) == 1 &&
           sscanf(filters, "\nSeccomp_filters: %d", &rights->filters) == 1;
}

/* The rights of the kernel thread that makes the call, for a worker its carrier's. */
static struct rights rights_here(void)
{
    struct rights rights = {-1, -1};
    char text[8192];
    int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    EXPECT_THAT(n > 0, "/proc/thread-self/status cannot be read");
    text[n > 0 ? n : 0] = 0;
    EXPECT_THAT(rights_in(text, &rights), "no such fields in %s", text);
    if (fd >= 0)
        close(fd);
    return rights;
}

static void expect_rights(const char *whose, struct rights rights, bool inside)
{
    struct rights wanted = before;
    if (inside && detects)
        wanted = (struct rights){1, before.filters + 1};
    EXPECT_THAT(rights.no_new_privs == wanted.no_new_privs && rights.filters == wanted.filters,
                "%s: no_new_privs %d, %d filters; wanted %d, %d", whose, rights.no_new_privs,
                rights.filters, wanted.no_new_privs, wanted.filters);
}

/* ---- Children ---------------------------------------------------------------------------------------- */

/* Starts a program that writes its own status, and returns the rights in it. */
static struct rights rights_of_spawned(void)
{
    struct rights rights = {-1, -1};
    char text[8192];
    size_t got = 0;
    int ends[2], status = -1;
    char *arguments[] = {(char *)"cat", (char *)"/proc/self/status", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;

    EXPECT_EQ(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    EXPECT_EQ(posix_spawnp(&pid, "cat", &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], text + got, sizeof text - 1 - got)) > 0;)
        got += (size_t)n;
    close(ends[0]);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    text[got] = 0;
    EXPECT_THAT(rights_in(text, &rights), "cat said: %s", text);
    return rights;
}

static struct rights rights_of_forked(void)
{
    struct rights rights = {-1, -1};
    int ends[2], status = -1;

    EXPECT_EQ(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        rights = rights_here();
        _exit(write(ends[1], &rights, sizeof rights) != sizeof rights);
    }
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &rights, sizeof rights), (ssize_t)sizeof rights);
    close(ends[0]);
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return rights;
}

static void look(void *unused)
{
    PUMS_CONTEXT self = GetCurrentUmsThread();
    expect_rights(self ? "a UMS thread" : "a plain thread", rights_here(), self != NULL);
    expect_rights("what it spawns", rights_of_spawned(), false);
    /* where calls are trapped no child has the filter */
    expect_rights("what it forks", rights_of_forked(), self != NULL && !filter_traps());
}

static int look_everywhere(void *unused)
{
    before = rights_here();
    in_each_kind(look, NULL);
    expect_rights("the first thread, afterwards", rights_here(), false);
    return 0;
}

TEST(Footprint, filter_and_no_new_privs)
{
    detects = !is_set("UMSSHIM_DETECT", "0");
    EXPECT_IN_CHILD(look_everywhere, NULL, LIMIT_MS);
}

/* ---- Descriptors and signals -------------------------------------------------------------------------- */

static void open_descriptors(bool *is_open)
{
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        is_open[fd] = fcntl(fd, F_GETFD) >= 0;
}

static void has_handler(bool *handled)
{
    for (int number = 1; number < NSIG; number++) {
        struct sigaction action;
        handled[number] = sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
                          action.sa_handler != SIG_IGN;
    }
}

static void nothing(void *unused)
{
}

static int compare(void *unused)
{
    bool open_before[DESCRIPTORS], open_now[DESCRIPTORS], handled[NSIG], handled_now[NSIG];
    struct rlimit files;
    int new_descriptors = 0;

    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    int top = files.rlim_cur < 4096 ? (int)files.rlim_cur : 4096;
    int first_own = top > 128 ? top - top / 4 - 64 : top / 2;
    open_descriptors(open_before);
    has_handler(handled);
    in_each_kind(nothing, NULL);
    open_descriptors(open_now);
    has_handler(handled_now);
    for (int fd = 0; fd < DESCRIPTORS; fd++) {
        if (open_before[fd] || !open_now[fd])
            continue;
        new_descriptors++;
        EXPECT_GE(fd, first_own);
        EXPECT_THAT(fcntl(fd, F_GETFD) & FD_CLOEXEC, "descriptor %d is not closed by exec", fd);
    }
    EXPECT_GT(new_descriptors, 0);
    for (int number = 1; number < NSIG; number++) /* a program is told its own actions */
        EXPECT_THAT(handled_now[number] == handled[number], "signal %d has a handler", number);
    return 0;
}

CALL_TEST(Footprint, descriptors_and_signals, EXPECT_IN_CHILD(compare, NULL, LIMIT_MS))
