/* SPDX-License-Identifier: MIT
 *
 * setgid_program.c - a program with the rights of another user or group does not obey its caller's
 * environment: the switches and TMP have no effect in it. In an ordinary program they have.
 *
 * modes: default
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "gtest_c.h"

enum { OTHER_GROUP = 65534 };

#define FOLDER "/tmp/setgid_program.XXXXXX"

static char folder[sizeof FOLDER];
static char path[sizeof folder + 8];

/* The helper with the given mode and group, in a file system that only this process sees: the folder's
 * own may allow no such modes. */
static bool install(mode_t mode, gid_t group)
{
    struct stat helper;
    int from = open(SETGID_HELPER, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &helper) || unshare(CLONE_NEWNS) ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("setgid_program", folder, "tmpfs", 0, "mode=755"))
        return false;
    snprintf(path, sizeof path, "%s/helper", folder);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    off_t left = helper.st_size;
    while (to >= 0 && left > 0) {
        ssize_t n = sendfile(to, from, NULL, (size_t)left);
        if (n <= 0)
            return false;
        left -= n;
    }
    if (to < 0 || fchown(to, 0, group) || fchmod(to, mode))
        return false;
    close(to);
    return true;
}

static int run(void *secure)
{
    if (!(secure ? install(02755, OTHER_GROUP) : install(0755, 0))) {
        perror("no-file-system");
        return 0;
    }
    char *environment[] = {(char *)"UMSSHIM_DISABLE=1", (char *)"UMSSHIM_LOG=debug",
                           (char *)"TMP=/steered", NULL};
    char *arguments[] = {path, NULL};
    execve(path, arguments, environment);
    perror("execve");
    return 1;
}

static void expect(bool secure, const char *wanted)
{
    if (geteuid() != 0)
        SKIP("only root may make a program that has another group's rights");
    strcpy(folder, FOLDER);
    ASSERT_NE(mkdtemp(folder), NULL);
    struct child_result result = child_run(run, secure ? &secure : NULL, 10000);
    rmdir(folder);
    EXPECT_CHILD_OK(result);
    if (strstr(result.output, "no-file-system"))
        SKIP("no mount namespace may be made here: %s", result.output);
    if (secure && strstr(result.output, "ordinary"))
        SKIP("no program gains rights here (no_new_privs)");
    EXPECT_STREQ(result.output, wanted);
}

TEST(SetgidProgram, is_not_steered)
{
    expect(true, "secure works /tmp/\n");
}

TEST(SetgidProgram, an_ordinary_one_is)
{
    expect(false, "debug-text\nordinary disabled /steered/\n");
}
