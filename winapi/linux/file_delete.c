/* SPDX-License-Identifier: MIT
 *
 * file_delete.c - DeleteFile, and the deletion of a file when it is closed.
 *
 * A program can delete files, links, pipes and sockets. Even as root it cannot delete what the
 * machine needs: no device anywhere, and in /dev itself only plain files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/dos_device.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file.h"
#include "winapi/linux/file_path.h"
#include "winapi/linux/file_share.h"

static bool is_dev(const char *folder)
{
    struct stat here, dev;
    return stat(folder, &here) == 0 && stat("/dev", &dev) == 0 && here.st_dev == dev.st_dev &&
           here.st_ino == dev.st_ino;
}

/* The folder of a path, in malloc's memory. */
static char *folder_of(const char *path)
{
    const char *last = strrchr(path, '/');
    if (!last)
        return strdup(".");
    return last == path ? strdup("/") : strndup(path, (size_t)(last - path));
}

/* 0, or the error why the file may not be deleted. */
static DWORD why_not(const char *path, const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return win__is_read_only(status) ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
    if (S_ISDIR(status->st_mode) || S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode))
        return ERROR_ACCESS_DENIED;
    char *folder = folder_of(path);
    bool dev = !folder || is_dev(folder);
    free(folder);
    return dev ? ERROR_ACCESS_DENIED : ERROR_SUCCESS;
}

bool win__delete_closed(const char *path, dev_t device, ino_t inode)
{
    struct stat named;
    if (lstat(path, &named) || named.st_dev != device || named.st_ino != inode)
        return false;
    if (S_ISDIR(named.st_mode))
        rmdir(path); /* only an empty one, as on Windows */
    else if (!why_not(path, &named))
        unlink(path);
    return true;
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
    DWORD error = lstat(path, &status) ? win__open_error(path) : why_not(path, &status);
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
