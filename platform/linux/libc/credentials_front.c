/* SPDX-License-Identifier: MIT
 *
 * credentials_front.c - the fronts of setuid and its kin: libc's functions serve until the engine
 * has threads, the library's from then on (credentials.c).
 */
#pragma GCC visibility push(default)
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>
#pragma GCC visibility pop

#include "platform/linux/current.h"
#include "platform/linux/os/front_behind.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/threads/credentials.h"

int setuid(uid_t uid)
{
    return engine_runs() ? credentials_change(SYS_setuid, (int)uid, 0, 0) : LIBC(setuid)(uid);
}

int setgid(gid_t gid)
{
    return engine_runs() ? credentials_change(SYS_setgid, (int)gid, 0, 0) : LIBC(setgid)(gid);
}

int setreuid(uid_t real, uid_t effective)
{
    return engine_runs() ? credentials_change(SYS_setreuid, (int)real, (int)effective, 0)
                         : LIBC(setreuid)(real, effective);
}

int setregid(gid_t real, gid_t effective)
{
    return engine_runs() ? credentials_change(SYS_setregid, (int)real, (int)effective, 0)
                         : LIBC(setregid)(real, effective);
}

int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    return engine_runs() ? credentials_change(SYS_setresuid, (int)real, (int)effective, (int)saved)
                         : LIBC(setresuid)(real, effective, saved);
}

int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    return engine_runs() ? credentials_change(SYS_setresgid, (int)real, (int)effective, (int)saved)
                         : LIBC(setresgid)(real, effective, saved);
}

static int invalid(void)
{
    errno = EINVAL;
    return -1;
}

int seteuid(uid_t uid)
{
    if (!engine_runs())
        return LIBC(seteuid)(uid);
    return uid == (uid_t)-1 ? invalid() : credentials_change(SYS_setresuid, -1, (int)uid, -1);
}

int setegid(gid_t gid)
{
    if (!engine_runs())
        return LIBC(setegid)(gid);
    return gid == (gid_t)-1 ? invalid() : credentials_change(SYS_setresgid, -1, (int)gid, -1);
}

int setgroups(size_t count, const gid_t *groups)
{
    return engine_runs() ? credentials_change(SYS_setgroups, (long)count, (long)groups, 0)
                         : LIBC(setgroups)(count, groups);
}

/* libc's initgroups would call its own setgroups. Both leave out groups for which the kernel has no
 * room. */
int initgroups(const char *user, gid_t group)
{
    if (!engine_runs())
        return LIBC(initgroups)(user, group);
    int room = 32, count;
    gid_t *list = NULL;
    do {
        gid_t *larger = realloc(list, (size_t)room * sizeof *list);
        if (!larger) {
            free(list);
            errno = ENOMEM;
            return -1;
        }
        list = larger;
        count = room;
        room *= 2;
    } while (getgrouplist(user, group, list, &count) < 0);
    int r;
    do
        r = setgroups((size_t)count, list);
    while (r == -1 && errno == EINVAL && --count > 0);
    int error = errno;
    free(list);
    errno = error;
    return r;
}
