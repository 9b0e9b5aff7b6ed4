/* SPDX-License-Identifier: MIT
 *
 * own_shm.c - see own_shm.h.
 */
#include "own_shm.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

HANDLE make_section(const char *name)
{
    return CreateFileMappingA(INVALID_HANDLE_VALUE, NULL, PAGE_READWRITE, 0, BYTES, name);
}

HANDLE find_section(const char *name)
{
    return OpenFileMappingA(FILE_MAP_ALL_ACCESS, FALSE, name);
}

bool own_place(const char *place)
{
    struct stat before;
    struct stat after;

    return !stat(place, &before) && !unshare(CLONE_NEWNS) &&
           !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
           !mount("none", place, "tmpfs", MS_NOSUID, "mode=1777") && !stat(place, &after) &&
           before.st_dev != after.st_dev;
}

/* Root of a user namespace may have no other user to be. */
static bool may_be_nobody(void)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0)
        _exit(setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY));
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

void in_own_place(child_body body, const char *line)
{
    struct child_result result;

    if (!may_be_nobody()) {
        check_skip("only root may be nobody, and have a /dev/shm of its own");
        return;
    }
    result = child_run(body, NULL, LIMIT_MS);
    if (result.exited && result.code == NO_PLACE) {
        check_skip("only root may have a /dev/shm of its own");
        return;
    }
    EXPECT_CHILD_OK(result);
    if (line)
        EXPECT_THAT(strstr(result.output, line) != NULL, "no line says so: %s", result.output);
}

int entries(const char *folder, char *last, size_t room)
{
    int count = 0;
    DIR *open = opendir(folder);

    if (!EXPECT_NE((intptr_t)open, 0))
        return -1;
    for (struct dirent *entry; (entry = readdir(open));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            count++;
            snprintf(last, room, "%s/%s", folder, entry->d_name);
        }
    closedir(open);
    return count;
}

bool other_process(int (*body)(void), int expected)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(body());
    return EXPECT_EQ(waitpid(pid, &status, 0), pid) &&
           EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), expected);
}

bool hold(struct held *held, int (*body)(void))
{
    int says[2];
    int ends[2];
    char byte = 1;

    if (!EXPECT_EQ(pipe(says), 0) || !EXPECT_EQ(pipe(ends), 0))
        return false;
    held->ends = ends[1];
    held->process = fork();
    if (held->process == 0) {
        close(ends[1]); /* it ends with this process at the latest */
        byte = (char)body();
        if (write(says[1], &byte, 1) != 1 || byte || read(ends[0], &byte, 1) != 1)
            _exit(1);
        _exit(0);
    }
    close(says[1]);
    close(ends[0]);
    if (read(says[0], &byte, 1) != 1)
        byte = -1;
    close(says[0]);
    return EXPECT_EQ(byte, 0);
}

static void wait_for(struct held *held, int expected)
{
    int status = 0;

    EXPECT_EQ(waitpid(held->process, &status, 0), held->process);
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), expected);
    close(held->ends);
}

void let_go(struct held *held)
{
    EXPECT_EQ(write(held->ends, "", 1), 1);
    wait_for(held, 0);
}

void kill_held(struct held *held)
{
    EXPECT_EQ(kill(held->process, SIGKILL), 0);
    wait_for(held, -SIGKILL);
}
