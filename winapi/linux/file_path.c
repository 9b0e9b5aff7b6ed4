/* SPDX-License-Identifier: MIT
 *
 * file_path.c - see file_path.h.
 */
#include "winapi/linux/file_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "winapi/linux/dos_device.h"
#include "winapi/linux/drive.h"
#include "winapi/linux/error.h"
#include "winapi/linux/path_steps.h"
#include "winapi/linux/text.h"

/* ---- From Windows' paths to the system's --------------------------------------------------- */

static char *refuse(DWORD error)
{
    win__fail(error);
    return NULL;
}

/* Makes a path one on the drive of the current folder: a path that begins with a backslash, or one
 * that dots might lead out of the drive's folder. Takes over `path`. */
static char *on_drive(char letter, char *path)
{
    char *name, *whole = NULL;
    if (asprintf(&name, "%c:%s", letter, path) >= 0) {
        whole = win__drive_path(name);
        free(name);
    } else {
        win__fail(ERROR_NOT_ENOUGH_MEMORY);
    }
    free(path);
    return whole;
}

char *win__path(const char *name)
{
    if (!name || !*name)
        return refuse(ERROR_PATH_NOT_FOUND);
    bool verbatim = win__is_slash(name[0]) && win__is_slash(name[1]) &&
                    (name[2] == '?' || name[2] == '.') && win__is_slash(name[3]);
    if (verbatim)
        name += 4;
    if (win__letter_of(name))
        return win__drive_path(name);
    if ((verbatim && !strncasecmp(name, "UNC\\", 4)) || (name[0] == '\\' && name[1] == '\\'))
        return refuse(ERROR_BAD_NETPATH);
    char *path = strdup(name);
    if (!path)
        return refuse(ERROR_NOT_ENOUGH_MEMORY);
    win__forward(path);
    bool asks = *name == '\\' || (*name != '/' && strstr(name, ".."));
    char letter = asks ? win__current_drive() : 0;
    return letter ? on_drive(letter, path) : path;
}

char *win__plain_path(const char *name)
{
    enum dos_device device = name && *name ? win__dos_device(name) : DEVICE_NONE;
    if (device)
        return refuse(device == DEVICE_ABSENT ? ERROR_FILE_NOT_FOUND : ERROR_INVALID_NAME);
    return win__path(name);
}

char *win__name(LPCWSTR wide)
{
    if (!wide)
        return refuse(ERROR_PATH_NOT_FOUND);
    char *name = win__narrow(wide, win__wide_length(wide), NULL);
    return name ? name : refuse(ERROR_NOT_ENOUGH_MEMORY);
}

BOOL win__by_name(BOOL(WINAPI *call)(LPCSTR name), LPCWSTR wide)
{
    char *name = win__name(wide);
    BOOL done = name && call(name);
    free(name);
    return done;
}

char *win__full_path(const char *name)
{
    char *path = win__path(name);
    if (!path)
        return NULL;
    if (*path != '/') {
        char *folder = getcwd(NULL, 0), *joined = NULL;
        if (!folder)
            win__fail_errno();
        else if (asprintf(&joined, "%s/%s", folder, path) < 0)
            joined = refuse(ERROR_NOT_ENOUGH_MEMORY);
        free(folder);
        free(path);
        path = joined;
    }
    if (path)
        win__take_dots(path);
    return path;
}

/* ---- Errors and attributes ----------------------------------------------------------------- */

/* Windows has one error for a file that does not exist, and another for a folder on the way. */
static DWORD absence(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *last = memrchr(path, '/', length);
    if (!last || last == path)
        return ERROR_FILE_NOT_FOUND;
    char *folder = strndup(path, (size_t)(last - path));
    struct stat status;
    bool there = folder && stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
    free(folder);
    return there ? ERROR_FILE_NOT_FOUND : ERROR_PATH_NOT_FOUND;
}

DWORD win__open_error(const char *path)
{
    return errno == ENOENT ? absence(path) : win__error_of(errno);
}

bool win__is_read_only(const struct stat *status)
{
    return S_ISREG(status->st_mode) && !(status->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH));
}
