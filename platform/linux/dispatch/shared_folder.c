/* SPDX-License-Identifier: MIT
 *
 * shared_folder.c - see shared_folder.h.
 */
#include "platform/linux/dispatch/shared_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "platform/linux/dispatch/shared_holder.h"
#include "platform/linux/os/directory_entry.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

/* The beginning of the name, for people, and a number made of the whole name (FNV-1a). */
void folder_entry(char *entry, const char *text)
{
    enum { SHOWN = 80 };
    uint64_t number = UINT64_C(0xcbf29ce484222325);
    char *at = entry;
    for (unsigned i = 0; text[i]; i++) {
        number = (number ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
        if (i < SHOWN)
            *at++ = is_plain(text[i]) ? text[i] : '_';
    }
    *at++ = '.';
    put_number(at, number, 16);
}

/* ---- The folder ------------------------------------------------------------------------------ */

static void put_folder(char *folder, uid_t user)
{
    static const char *const spaces[] = {"/proc/self/ns/user", "/proc/self/ns/pid"};
    struct stat status;
    char *at = put_number(put_text(folder, "umsshim-"), user, 10);
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (!RAW4(SYS_newfstatat, AT_FDCWD, spaces[i], &status, 0))
            at = put_number(put_text(at, "-"), status.st_ino, 10);
}

static bool is_ours(const struct stat *status, uid_t user)
{
    return S_ISDIR(status->st_mode) && status->st_uid == user && !(status->st_mode & 077);
}

static long problem(long error)
{
    switch (-error) {
    case EMFILE:
    case ENFILE:
        return FOLDER_NO_NUMBER;
    case ENOSPC:
    case EDQUOT:
        return FOLDER_FULL;
    default:
        return FOLDER_NOWHERE;
    }
}

/* Looks at the folder, sets its mode and opens it by `found`, so all three are for one folder,
 * whatever another process puts at its path meanwhile. */
static long open_found(long found, uid_t user)
{
    struct stat status;
    char path[48];
    if (RAW2(SYS_fstat, found, &status) || !is_ours(&status, user))
        return FOLDER_NOT_OURS;
    if ((status.st_mode & 0700) != 0700) { /* by the umask of the process that made it */
        put_number(put_text(path, "/proc/self/fd/"), (uint64_t)found, 10);
        RAW3(SYS_fchmodat, AT_FDCWD, path, 0700);
    }
    long fd = RAW4(SYS_openat, found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (fd >= 0)
        return fd;
    return fd == -EMFILE || fd == -ENFILE ? FOLDER_NO_NUMBER : FOLDER_NOT_OURS;
}

static long open_in(long place, const char *folder, uid_t user, bool make)
{
    long made = make ? RAW3(SYS_mkdirat, place, folder, 0700) : -EEXIST;
    if (made && made != -EEXIST)
        return problem(made);
    long found = RAW4(SYS_openat, place, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (found < 0)
        return found == -ENOTDIR || found == -ELOOP ? FOLDER_NOT_OURS : problem(found);
    long result = open_found(found, user);
    RAW1(SYS_close, found);
    return result;
}

long folder_open(uid_t user, bool make)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    char folder[FOLDER_ROOM];
    long result = FOLDER_NOWHERE;
    pid_t number = own_pid_in_proc();
    if (!number || number != own_pid())
        return FOLDER_NO_PROC;
    put_folder(folder, user);
    for (unsigned i = 0; result == FOLDER_NOWHERE && i < sizeof places / sizeof *places; i++) {
        long place = RAW4(SYS_openat, AT_FDCWD, places[i], O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
        result = place < 0 ? problem(place) : open_in(place, folder, user, make);
        if (place >= 0)
            RAW1(SYS_close, place);
    }
    return result;
}

/* ---- Entries --------------------------------------------------------------------------------- */

long folder_lock(long fd, int how)
{
    long result;
    do
        result = RAW2(SYS_flock, fd, how);
    while (result == -EINTR);
    return result;
}

bool folder_remove_unused(long folder, long fd, const char *entry, uid_t user)
{
    struct stat own, there;
    if (RAW2(SYS_fstat, fd, &own) || !S_ISREG(own.st_mode) || own.st_uid != user ||
        folder_lock(fd, LOCK_EX | LOCK_NB))
        return false;
    if (!RAW4(SYS_newfstatat, folder, entry, &there, AT_SYMLINK_NOFOLLOW) &&
        there.st_dev == own.st_dev && there.st_ino == own.st_ino)
        RAW3(SYS_unlinkat, folder, entry, 0);
    return true;
}

bool folder_remove_unfinished(long folder, const char *entry, uid_t user)
{
    struct stat status;
    return !RAW4(SYS_newfstatat, folder, entry, &status, AT_SYMLINK_NOFOLLOW) &&
           S_ISREG(status.st_mode) && status.st_uid == user && (status.st_mode & 0600) != 0600 &&
           !RAW3(SYS_unlinkat, folder, entry, 0);
}

void folder_sweep(long folder, uid_t user)
{
    static _Alignas(8) char buffer[4096];
    static bool swept;
    long bytes;
    if (swept)
        return;
    swept = true;
    while ((bytes = RAW3(SYS_getdents64, folder, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < bytes;) {
            const struct directory_entry *entry = (const struct directory_entry *)(buffer + at);
            at += entry->bytes;
            long fd = RAW4(SYS_openat, folder, entry->name,
                           O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
            if (fd < 0)
                continue;
            folder_remove_unused(folder, fd, entry->name, user);
            RAW1(SYS_close, fd);
        }
}
