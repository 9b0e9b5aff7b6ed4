/* SPDX-License-Identifier: MIT
 *
 * create_file.c - see create_file.h.
 *
 * The code follows the path step by step, each from a descriptor of the folder before it. It judges
 * and reads each link through a descriptor of its own. So no process can exchange a step between
 * the judgement and its use.
 */
#include "platform/linux/os/create_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/os/raw.h"

enum { MOST_LINKS = 40 }; /* as many as the kernel follows */

struct walk {
    char rest[PATH_MAX]; /* the rest of the path, from `folder` on */
    long folder;         /* a descriptor, or -errno */
    int links;
};

static long open_step(long folder, const char *name, int flags)
{
    return RAW4(SYS_openat, folder, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static void enter(struct walk *walk, long folder)
{
    if (walk->folder >= 0)
        RAW1(SYS_close, walk->folder);
    walk->folder = folder;
}

/* Cuts the first name off; false: it was the last. An empty path stays empty. */
static bool cut_name(struct walk *walk, char name[PATH_MAX])
{
    size_t length = strcspn(walk->rest, "/");
    size_t next = length + strspn(walk->rest + length, "/");
    bool more = walk->rest[next] != 0;
    /* A slash after the last name asks for a folder, so it stays. */
    size_t taken = more ? length : next;
    memcpy(name, walk->rest, taken);
    name[taken] = 0;
    memmove(walk->rest, walk->rest + next, strlen(walk->rest + next) + 1);
    return more;
}

static void begin_at_root(struct walk *walk)
{
    if (*walk->rest != '/')
        return;
    size_t slashes = strspn(walk->rest, "/");
    memmove(walk->rest, walk->rest + slashes, strlen(walk->rest + slashes) + 1);
    enter(walk, open_step(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
}

/* Replaces the link's name by its target. 0, or -errno. */
static long follow(struct walk *walk, long link, uid_t owner, bool more)
{
    uid_t self = (uid_t)RAW0(SYS_geteuid);
    if (++walk->links > MOST_LINKS || (owner != self && !(more && owner == 0)))
        return -ELOOP;
    char target[PATH_MAX];
    long n = RAW4(SYS_readlinkat, link, "", target, sizeof target);
    if (n <= 0)
        return n ? n : -ENOENT;
    size_t behind = strlen(walk->rest) + 1;
    if ((size_t)n + 1 + behind > sizeof walk->rest)
        return -ENAMETOOLONG;
    memmove(walk->rest + n + (more ? 1 : 0), walk->rest, behind);
    memcpy(walk->rest, target, (size_t)n);
    if (more)
        walk->rest[n] = '/';
    begin_at_root(walk);
    return walk->folder < 0 && walk->folder != AT_FDCWD ? walk->folder : 0;
}

/* Whether the file is a link; *owner is its owner. */
static bool is_link(long file, uid_t *owner)
{
    struct stat is;
    if (RAW4(SYS_newfstatat, file, "", &is, AT_EMPTY_PATH) < 0)
        return false;
    *owner = is.st_uid;
    return S_ISLNK(is.st_mode);
}

/* Follows one name of the path. True: more names follow. Else *result is the file, or -errno. */
static bool step(struct walk *walk, long *result)
{
    char name[PATH_MAX];
    bool more = cut_name(walk, name);
    uid_t owner;
    if (!more) {
        *result =
            open_step(walk->folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY);
        if (*result != -ELOOP)
            return false;
    }
    long file = open_step(walk->folder, name, O_PATH);
    *result = file;
    if (file < 0)
        return false;
    if (!is_link(file, &owner)) {
        enter(walk, file);
        return true;
    }
    *result = follow(walk, file, owner, more);
    RAW1(SYS_close, file);
    return *result == 0;
}

long create_file(const char *path)
{
    struct walk walk = {.folder = AT_FDCWD};
    long result;
    if (strlen(path) >= sizeof walk.rest)
        return -ENAMETOOLONG;
    strcpy(walk.rest, path);
    begin_at_root(&walk);
    while (step(&walk, &result)) {
    }
    enter(&walk, AT_FDCWD);
    return result;
}
