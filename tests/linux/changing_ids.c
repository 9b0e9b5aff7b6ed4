/* SPDX-License-Identifier: MIT
 *
 * changing_ids.c - see changing_ids.h.
 */
#include "changing_ids.h"
#include "fleet.h"
#include "gtest_c.h"
#include "tasks_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- What the kernel says of every thread ----------------------------------------------------------- */

static int read_status(const char *tid, char *text, size_t bytes)
{
    char path[300];
    size_t length = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%s/status", tid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (length < bytes - 1 && (n = syscall(SYS_read, fd, text + length, bytes - 1 - length)) > 0)
        length += (size_t)n;
    close(fd);
    text[length] = 0;
    /* A thread of the kernel's, for io_uring, runs nothing of ours. One that was ending when its status was read, or
     * ends since, need not have been asked. */
    return length && !strstr(text, "iou-") && !task_is_ending(tid);
}

static void number_line(char *line, size_t bytes, const char *name, const long *ids)
{
    snprintf(line, bytes, "\n%s:\t%ld\t%ld\t%ld\t%ld\n", name, ids[0], ids[1], ids[2],
             ids[1] /* fs */);
}

/* Every thread has these ids, and these groups unless NULL ("5 6 "). The number of threads. */
static int expect_everywhere(const long *uids, const long *gids, const char *groups)
{
    char text[8192], line[256];
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int count = 0;

    if (!tasks) {
        EXPECT_NE(tasks, NULL);
        return 0;
    }
    while ((entry = readdir(tasks)) != NULL) {
        if (entry->d_name[0] == '.' || !read_status(entry->d_name, text, sizeof text))
            continue;
        count++;
        number_line(line, sizeof line, "Uid", uids);
        EXPECT_THAT(strstr(text, line), "thread %s has other user ids: %.600s", entry->d_name,
                    text);
        number_line(line, sizeof line, "Gid", gids);
        EXPECT_THAT(strstr(text, line), "thread %s has other group ids: %.600s", entry->d_name,
                    text);
        if (groups) {
            snprintf(line, sizeof line, "\nGroups:\t%s\n", groups);
            EXPECT_THAT(strstr(text, line), "thread %s is in other groups: %.600s", entry->d_name,
                        text);
        }
    }
    closedir(tasks);
    return count;
}

static void expect_ids(long ruid, long euid, long suid, long rgid, long egid, long sgid,
                       const char *groups)
{
    const long uids[3] = {ruid, euid, suid}, gids[3] = {rgid, egid, sgid};

    EXPECT_GT(expect_everywhere(uids, gids, groups), 1);
}

/* ---- What is called ------------------------------------------------------------------------------------ */

void change_as_anybody(void)
{
    uid_t uid = getuid();
    gid_t gid = getgid();

    EXPECT_EQ(setuid(uid), 0);
    EXPECT_EQ(seteuid(uid), 0);
    EXPECT_EQ(setreuid(uid, uid), 0);
    EXPECT_EQ(setresuid((uid_t)-1, uid, (uid_t)-1), 0);
    EXPECT_EQ(setgid(gid), 0);
    EXPECT_EQ(setegid(gid), 0);
    EXPECT_EQ(setregid(gid, gid), 0);
    EXPECT_EQ(setresgid((gid_t)-1, gid, (gid_t)-1), 0);
    expect_ids(uid, uid, uid, gid, gid, gid, NULL);
    EXPECT_ERRNO(seteuid((uid_t)-1), EINVAL);
    EXPECT_ERRNO(setegid((gid_t)-1), EINVAL);
}

static void fail_as_nobody(void)
{
    gid_t group = 5;

    EXPECT_ERRNO(setuid(0), EPERM);
    EXPECT_ERRNO(seteuid(0), EPERM);
    EXPECT_ERRNO(setresuid(0, 0, 0), EPERM);
    EXPECT_ERRNO(setgid(0), EPERM);
    EXPECT_ERRNO(setgroups(1, &group), EPERM);
    EXPECT_ERRNO(initgroups("nobody", 7), EPERM);
    expect_ids((long)getuid(), (long)getuid(), (long)getuid(), (long)getgid(), (long)getgid(),
               (long)getgid(), NULL);
}

void change_as_root(void)
{
    gid_t groups[] = {5, 6};

    EXPECT_EQ(setgroups(2, groups), 0);
    expect_ids(0, 0, 0, 0, 0, 0, "5 6 ");
    EXPECT_EQ(initgroups("nobody", 7), 0);
    expect_ids(0, 0, 0, 0, 0, 0, "7 ");
    EXPECT_EQ(seteuid(NOBODY), 0);
    expect_ids(0, NOBODY, 0, 0, 0, 0, NULL);
    EXPECT_EQ(seteuid(0), 0);
    expect_ids(0, 0, 0, 0, 0, 0, NULL);
    EXPECT_EQ(setegid(NOBODY), 0);
    expect_ids(0, 0, 0, 0, NOBODY, 0, NULL);
    EXPECT_EQ(setregid(3, 4), 0);
    expect_ids(0, 0, 0, 3, 4, 4, NULL);
    EXPECT_EQ(setresgid(NOBODY, NOBODY, NOBODY), 0);
    EXPECT_EQ(setreuid(0, NOBODY), 0);
    expect_ids(0, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, "7 ");
    EXPECT_EQ(seteuid(0), 0);
    EXPECT_EQ(setgroups(0, NULL), 0);
    EXPECT_EQ(setuid(NOBODY), 0);
    expect_ids(NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY, " ");
}

void change_all(void)
{
    if (getuid() == 0)
        change_as_root();
    change_as_anybody();
    fail_as_nobody();
}

void *change_often(void *changed)
{
    for (int i = 0; i < CHANGES; i++)
        EXPECT_EQ(seteuid(getuid() ? getuid() : i % 2 ? 0 : NOBODY), 0);
    flag_set(changed, 1);
    return NULL;
}
