/* SPDX-License-Identifier: MIT
 *
 * limits.c - limits and namespaces of a sandbox.
 *
 * Each needs root, or a user namespace of its own; what neither allows cannot be made here, and a line says
 * so.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);

    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        cannot(path);
    close(file);
}

/* A user namespace in which the caller keeps its ids, and may make other namespaces. */
static void enter_user_namespace(int others)
{
    char uids[40], gids[40];

    snprintf(uids, sizeof uids, "%u %u 1", geteuid(), geteuid());
    snprintf(gids, sizeof gids, "%u %u 1", getegid(), getegid());
    if (unshare(CLONE_NEWUSER | others))
        cannot("a user namespace");
    write_file("/proc/self/setgroups", "deny");
    write_file("/proc/self/uid_map", uids);
    write_file("/proc/self/gid_map", gids);
}

void limit_capabilities(uint64_t left)
{
    for (int number = 0; number < 64; number++)
        if (!(left >> number & 1) && prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1 &&
            prctl(PR_CAPBSET_DROP, number, 0, 0, 0) && geteuid() == 0)
            cannot("dropping capabilities");
}

void limit_descriptors(unsigned most)
{
    struct rlimit limit = {most, most};

    if (setrlimit(RLIMIT_NOFILE, &limit))
        cannot("a limit on descriptors");
}

/* To read programs that only root may read, and for nothing else. */
static void keep_reading(uid_t user)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0}};

    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) || setresgid(user, user, user) ||
        setresuid(user, user, user))
        cannot("another user");
    data[0].permitted = data[0].effective = data[0].inheritable = 1u << CAP_DAC_READ_SEARCH;
    if (syscall(SYS_capset, &header, data) ||
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0))
        cannot("an ordinary user that reads the build");
}

/* The kernel counts a user's threads, and root's are not limited. So root becomes a user that nobody else is;
 * a user gets a namespace, where the count begins at one. */
void limit_threads(unsigned most)
{
    struct rlimit limit = {most, most};

    if (geteuid() == 0)
        keep_reading((uid_t)(0x40000000 + getpid()));
    else
        enter_user_namespace(0);
    if (setrlimit(RLIMIT_NPROC, &limit))
        cannot("a limit on threads");
}

void hide_proc(void)
{
    if (geteuid() || unshare(CLONE_NEWNS))
        enter_user_namespace(CLONE_NEWNS);
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("nothing", "/proc", "tmpfs", MS_RDONLY, "size=4k"))
        cannot("a mount over /proc");
}
