/* SPDX-License-Identifier: MIT
 *
 * file_facts.c - see file_facts.h.
 */
#include "winapi/linux/file_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "winapi/linux/calendar.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"

static const char kept_as[] = "user.DOSATTRIB";
enum {
    KEPT = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM | FILE_ATTRIBUTE_ARCHIVE |
           FILE_ATTRIBUTE_TEMPORARY | FILE_ATTRIBUTE_OFFLINE | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED,
    /* If one of these cannot be kept the call fails. The others are only advice. */
    MEANT = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM,
};

void win__proc_path(char *path, int fd)
{
    snprintf(path, PROC_PATH, "/proc/self/fd/%d", fd);
}

/* The kept attributes, from a text such as "0x22"; `otherwise`: there are none. */
static DWORD kept_attributes(const char *path, DWORD otherwise)
{
    char text[16];
    ssize_t length = getxattr(path, kept_as, text, sizeof text - 1);
    if (length < 3 || text[0] != '0' || text[1] != 'x')
        return otherwise;
    text[length] = 0;
    return (DWORD)strtoul(text, NULL, 16) & KEPT;
}

static DWORD attributes_of(const char *path, const struct file_facts *facts)
{
    struct stat status = {.st_mode = facts->status.stx_mode};
    DWORD attributes = 0;
    if (S_ISDIR(status.st_mode))
        attributes = FILE_ATTRIBUTE_DIRECTORY | kept_attributes(path, 0);
    else if (S_ISREG(status.st_mode))
        attributes = (win__is_read_only(&status) ? FILE_ATTRIBUTE_READONLY : 0) |
                     kept_attributes(path, FILE_ATTRIBUTE_ARCHIVE);
    if (facts->is_link)
        attributes |= FILE_ATTRIBUTE_REPARSE_POINT;
    return attributes ? attributes : FILE_ATTRIBUTE_NORMAL;
}

static FILETIME time_of(const struct statx_timestamp *stamp)
{
    struct timespec time = {stamp->tv_sec, stamp->tv_nsec};
    return win__file_time(&time);
}

static void complete(const char *path, struct file_facts *facts)
{
    const struct statx *status = &facts->status;
    facts->attributes = attributes_of(path, facts);
    facts->accessed = time_of(&status->stx_atime);
    facts->written = time_of(&status->stx_mtime);
    facts->changed = time_of(&status->stx_ctime);
    bool born = status->stx_mask & STATX_BTIME && status->stx_btime.tv_sec;
    facts->created = born ? time_of(&status->stx_btime) : facts->written;
}

enum { WANTED = STATX_BASIC_STATS | STATX_BTIME };

bool win__facts_at(const char *path, struct file_facts *facts)
{
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, WANTED, &facts->status))
        return false;
    facts->is_link = S_ISLNK(facts->status.stx_mode);
    struct statx target;
    if (facts->is_link && !statx(AT_FDCWD, path, 0, WANTED, &target))
        facts->status = target;
    complete(path, facts);
    return true;
}

bool win__facts_of(int fd, struct file_facts *facts)
{
    char path[PROC_PATH];
    if (statx(fd, "", AT_EMPTY_PATH, WANTED, &facts->status))
        return false;
    facts->is_link = S_ISLNK(facts->status.stx_mode);
    win__proc_path(path, fd);
    complete(path, facts);
    return true;
}

DWORD win__volume_serial(const struct file_facts *facts)
{
    return (DWORD)makedev(facts->status.stx_dev_major, facts->status.stx_dev_minor);
}

/* ---- Changes ------------------------------------------------------------------------------- */

static DWORD keep(const char *path, DWORD kept, DWORD otherwise)
{
    char text[16];
    int length = snprintf(text, sizeof text, "0x%x", kept);
    if (kept_attributes(path, otherwise) == kept ||
        !setxattr(path, kept_as, text, (size_t)length, 0))
        return ERROR_SUCCESS;
    if (errno != EOPNOTSUPP && errno != EPERM)
        return win__error_of(errno);
    return kept & MEANT ? ERROR_NOT_SUPPORTED : ERROR_SUCCESS;
}

/* Changes permissions only of plain files. A folder without write permission would let no one make
 * files in it, which READONLY does not mean. */
static DWORD set_permissions(const char *path, const struct stat *status, bool read_only)
{
    if (!S_ISREG(status->st_mode) || win__is_read_only(status) == read_only)
        return ERROR_SUCCESS;
    mode_t mode = status->st_mode & 07777;
    mode = read_only ? mode & ~(mode_t)0222 : mode | S_IWUSR;
    return chmod(path, mode) ? win__error_of(errno) : ERROR_SUCCESS;
}

DWORD win__set_attributes(const char *path, DWORD attributes)
{
    struct stat status;
    if (stat(path, &status))
        return win__open_error(path);
    bool read_only = attributes & FILE_ATTRIBUTE_READONLY;
    DWORD otherwise = S_ISREG(status.st_mode) ? FILE_ATTRIBUTE_ARCHIVE : 0;
    /* A user who may not write a file cannot change its extended attributes. So permissions change
     * first where they get wider, and last where they get narrower. */
    DWORD error = read_only ? ERROR_SUCCESS : set_permissions(path, &status, false);
    if (!error && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)))
        error = keep(path, attributes & KEPT, otherwise);
    if (!error && read_only)
        error = set_permissions(path, &status, true);
    return error;
}

struct timespec win__utime(const FILETIME *time)
{
    if (!time || (!time->dwLowDateTime && !time->dwHighDateTime) ||
        (time->dwLowDateTime == 0xFFFFFFFF && time->dwHighDateTime == 0xFFFFFFFF))
        return (struct timespec){.tv_nsec = UTIME_OMIT};
    int64_t hundreds =
        (int64_t)((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime) - 116444736000000000;
    int64_t seconds = hundreds / 10000000, rest = hundreds % 10000000;
    if (rest < 0) {
        seconds--;
        rest += 10000000;
    }
    return (struct timespec){seconds, rest * 100};
}
