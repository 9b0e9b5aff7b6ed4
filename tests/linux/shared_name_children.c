/* SPDX-License-Identifier: MIT
 *
 * shared_name_children.c - a section's name after a fork, and after an exec.
 */
#include "own_shm.h"

#include <stdio.h>
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

    (void)unused;
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

TEST(SharedNameChildren, may_be_forked)
{
    struct child_result result = child_run(forked, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}

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

    (void)unused;
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

TEST(SharedNameChildren, have_no_names_after_an_exec)
{
    struct child_result result = child_run(executes, NULL, LIMIT_MS);

    EXPECT_CHILD_OK(result);
}
