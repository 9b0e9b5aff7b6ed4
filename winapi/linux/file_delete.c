/* SPDX-License-Identifier: MIT
 *
 * file_delete.c - DeleteFile, and the deletion of a file when it is closed.
 *
 * A program can delete files, links, pipes and sockets. Even as root it cannot delete what the
 * machine needs: no device anywhere, and in /dev itself only plain files.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/linux/os/raw.h"
#include "winapi/linux/dos_device.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_facts.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/file_share.h"

/* As `ends` of win__delete_name says. 0, or not. */
static long look_at(const char *path, struct stat *status, int flags, bool ends)
{
    return ends ? RAW4(SYS_newfstatat, AT_FDCWD, path, status, flags)
                : fstatat(AT_FDCWD, path, status, flags);
}

static bool is_dev(const char *folder, bool ends)
{
    struct stat here, dev;
    return !look_at(folder, &here, 0, ends) && !look_at("/dev", &dev, 0, ends) &&
           here.st_dev == dev.st_dev && here.st_ino == dev.st_ino;
}

/* Whether the path's folder is /dev. */
static bool is_in_dev(const char *path, bool ends)
{
    const char *last = strrchr(path, '/');
    char folder[PATH_MAX + 1] = ".";
    size_t length = !last ? 1 : last == path ? 1 : (size_t)(last - path);
    if (length > PATH_MAX)
        return true;
    if (last)
        memcpy(folder, path, length);
    folder[length] = 0;
    return is_dev(folder, ends);
}

/* 0, or the error why the file may not be deleted. */
static DWORD why_not(const char *path, const struct stat *status, bool ends)
{
    if (S_ISREG(status->st_mode))
        return win__is_read_only(status) ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
    if (S_ISDIR(status->st_mode) || S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode))
        return ERROR_ACCESS_DENIED;
    return is_in_dev(path, ends) ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
}

/* Deletes this file from its path. False: something else has that by now, or nothing. */
static bool delete_from(const char *path, const struct stat *file, bool ends)
{
    struct stat named;
    if (look_at(path, &named, AT_SYMLINK_NOFOLLOW, ends) || named.st_dev != file->st_dev ||
        named.st_ino != file->st_ino)
        return false;
    bool folder = S_ISDIR(named.st_mode);
    int flags = folder ? AT_REMOVEDIR : 0; /* only an empty one, as on Windows */
    if (!folder && why_not(path, &named, ends))
        return true;
    if (ends)
        RAW3(SYS_unlinkat, AT_FDCWD, path, flags);
    else
        unlinkat(AT_FDCWD, path, flags);
    return true;
}

void win__delete_name(const char *path, int fd, const struct stat *file, bool ends)
{
    char link[PROC_PATH], now[PATH_MAX + 1];
    win__proc_path(link, fd);
    long length = ends ? RAW3(SYS_readlink, link, now, PATH_MAX) : readlink(link, now, PATH_MAX);
    now[length > 0 ? length : 0] = 0;
    if (length <= 0 || !delete_from(now, file, ends))
        delete_from(path, file, ends);
}

BOOL WINAPI DeleteFileA(LPCSTR lpFileName)
{
    struct stat status;
    if (!lpFileName || !*lpFileName)
        return win__fail(ERROR_PATH_NOT_FOUND);
    switch (win__dos_device(lpFileName)) {
    case DEVICE_NONE:
        break;
    case DEVICE_ABSENT:
        return win__fail(ERROR_FILE_NOT_FOUND);
    default:
        return win__fail(ERROR_INVALID_PARAMETER);
    }
    char *path = win__path(lpFileName);
    if (!path)
        return FALSE;
    DWORD error = lstat(path, &status) ? win__open_error(path) : why_not(path, &status, false);
    if (!error && win__share_denies_delete(path))
        error = ERROR_SHARING_VIOLATION;
    if (!error && unlink(path))
        error = win__open_error(path);
    free(path);
    return error ? win__fail(error) : TRUE;
}

BOOL WINAPI DeleteFileW(LPCWSTR lpFileName)
{
    return win__by_name(DeleteFileA, lpFileName);
}
