/* SPDX-License-Identifier: MIT
 *
 * shared_name_children.c - a section's name after a fork, and after an exec.
 *
 * modes: default
 * with: own_shm.c
 */
#include "own_shm.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char own[64];

static bool is_there(void)
{
    HANDLE section = find_section(own);

    return section && CloseHandle(section);
}

static int nothing(void)
{
    return 0;
}

static int forked(void *unused)
{
    struct held held;
    HANDLE section;

    snprintf(own, sizeof own, "umsshim forked %d", (int)getpid());
    section = make_section(own);
    EXPECT_OK(section != NULL);
    if (!hold(&held, nothing))
        return 1;
    EXPECT_OK(CloseHandle(section));
    EXPECT_OK(is_there()); /* the child's handle is as good as this process's was */
    let_go(&held);
    EXPECT_FAILS(find_section(own), ERROR_FILE_NOT_FOUND);
    return 0;
}

CALL_TEST(SharedNameChildren, may_be_forked, EXPECT_IN_CHILD(forked, NULL, LIMIT_MS))

/* ---- Children that close it ------------------------------------------------------------------ */

static HANDLE shared;

static int close_shared(void)
{
    return CloseHandle(shared) ? 0 : 1;
}

/* Processes that are there before the section is: they do not have it from their parent. */
enum { ASKED = 2 };
static pid_t others[ASKED];
static int asks[ASKED];

static void start_others(void)
{
    for (int i = 0; i < ASKED; i++) {
        int ends[2];
        char byte;

        EXPECT_EQ(pipe(ends), 0);
        others[i] = fork();
        if (others[i] == 0) {
            close(ends[1]); /* it ends with this process at the latest */
            _exit(read(ends[0], &byte, 1) != 1 ? 1 : is_there() ? 0 : (int)GetLastError());
        }
        close(ends[0]);
        asks[i] = ends[1];
    }
}

static void expect_of_other(int i, int expected)
{
    int status = 0;

    EXPECT_EQ(write(asks[i], "", 1), 1);
    EXPECT_EQ(waitpid(others[i], &status, 0), others[i]);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), expected);
}

/* What a child has done to its handle is nothing to its parent, the only one that has the name. */
static void expect_still_there(void)
{
    expect_of_other(0, 0);
    EXPECT_OK(CloseHandle(shared));
    expect_of_other(1, ERROR_FILE_NOT_FOUND);
}

enum { FEW = 128, LOW = 256 };

static int without_numbers(void *unused)
{
    struct rlimit limit = {FEW, FEW};
    int fds[FEW];
    int count = 0;

    snprintf(own, sizeof own, "umsshim no number %d", (int)getpid());
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    start_others();
    shared = make_section(own);
    EXPECT_OK(shared != NULL);
    while (count < FEW && (fds[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    EXPECT_EQ(errno, EMFILE);
    other_process(close_shared, 0);
    while (count > 0)
        close(fds[--count]);
    expect_still_there();
    return 0;
}

CALL_TEST(SharedNameChildren, may_have_no_descriptor_left,
          EXPECT_IN_CHILD(without_numbers, NULL, LIMIT_MS))

/* The library's descriptors lie above such a limit, where dup2 and dup3 do not reach. */
static void keep_numbers_low(void)
{
    struct rlimit limit;

    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = LOW;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static int with_numbers_above(void *unused)
{
    snprintf(own, sizeof own, "umsshim number above %d", (int)getpid());
    keep_numbers_low();
    start_others();
    shared = make_section(own);
    EXPECT_OK(shared != NULL);
    other_process(close_shared, 0);
    expect_still_there();
    return 0;
}

CALL_TEST(SharedNameChildren, may_close_it, EXPECT_IN_CHILD(with_numbers_above, NULL, LIMIT_MS))

static int bare(void *unused)
{
    int status = 0;
    pid_t process;

    snprintf(own, sizeof own, "umsshim bare fork %d", (int)getpid());
    start_others();
    shared = make_section(own);
    EXPECT_OK(shared != NULL);
    process = (pid_t)syscall(SYS_fork); /* libc does not see it, nor does the library */
    if (process == 0)
        _exit(close_shared());
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
    expect_still_there();
    return 0;
}

CALL_TEST(SharedNameChildren, may_be_made_by_the_bare_call, EXPECT_IN_CHILD(bare, NULL, LIMIT_MS))

/* ---- Threads that use names meanwhile -------------------------------------------------------- */

enum { FORKS = 40 };
static volatile LONG over;

static void *use_names(void *failed)
{
    char name[64];

    snprintf(name, sizeof name, "umsshim used %d", (int)getpid());
    while (!over)
        if (!CloseHandle(make_section(name)))
            *(bool *)failed = true;
    return NULL;
}

/* The thread is anywhere in there at a fork; the child has names, and can use them. */
static int while_used(void *unused)
{
    bool failed = false;
    pthread_t thread;

    snprintf(own, sizeof own, "umsshim forked meanwhile %d", (int)getpid());
    keep_numbers_low(); /* then another thread has a lock for longer while it makes one */
    shared = make_section(own);
    EXPECT_OK(shared != NULL);
    EXPECT_EQ(pthread_create(&thread, NULL, use_names, &failed), 0);
    for (int i = 0; i < FORKS; i++)
        other_process(close_shared, 0);
    InterlockedExchange(&over, 1);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
    EXPECT_EQ(failed, false);
    return 0;
}

CALL_TEST(SharedNameChildren, may_be_made_while_a_thread_uses_names,
          EXPECT_IN_CHILD(while_used, NULL, LIMIT_MS))

/* ---- Another program ------------------------------------------------------------------------- */

/* Makes it, and goes on as another program; each time it says so. */
static int exec_another(int out, int in)
{
    char byte;

    if (!make_section(own) || write(out, "", 1) != 1 || read(in, &byte, 1) != 1)
        return 1;
    dup2(out, 1);
    dup2(in, 0);
    execl("/bin/sh", "sh", "-c", "echo; read line", (char *)NULL);
    return 2;
}

static int executes(void *unused)
{
    int told[2];
    int goes_on[2];
    int status = 0;
    char byte;
    pid_t process;

    EXPECT_EQ(pipe(told), 0);
    EXPECT_EQ(pipe(goes_on), 0);
    snprintf(own, sizeof own, "umsshim exec %d", (int)getpid());
    process = fork();
    if (process == 0) {
        close(goes_on[1]);
        _exit(exec_another(told[1], goes_on[0]));
    }
    close(told[1]);
    EXPECT_EQ(read(told[0], &byte, 1), 1);
    EXPECT_OK(is_there());
    EXPECT_EQ(write(goes_on[1], "", 1), 1);
    EXPECT_EQ(read(told[0], &byte, 1), 1);
    EXPECT_FAILS(find_section(own), ERROR_FILE_NOT_FOUND);
    EXPECT_EQ(write(goes_on[1], "\n", 1), 1);
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
    return 0;
}

CALL_TEST(SharedNameChildren, have_no_names_after_an_exec,
          EXPECT_IN_CHILD(executes, NULL, LIMIT_MS))
