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
#include "winapi/linux/error.h"
#include "winapi/linux/text.h"

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* ---- From Windows' paths to the system's --------------------------------------------------- */

static bool is_drive(const char *name)
{
    return ((name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z') && name[1] == ':';
}

static void tell_of_drives(const char *name)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&told))
        plat_log("\"%.200s\" is on a drive, and here are none: paths are the system's "
                 "(/home/me/file). Give the program such a path, or one that is relative",
                 name);
}

static char *refuse(DWORD error)
{
    win__fail(error);
    return NULL;
}

char *win__path(const char *name)
{
    if (!name || !*name)
        return refuse(ERROR_PATH_NOT_FOUND);
    bool verbatim = is_slash(name[0]) && is_slash(name[1]) && (name[2] == '?' || name[2] == '.') &&
                    is_slash(name[3]);
    if (verbatim)
        name += 4;
    if (is_drive(name)) {
        tell_of_drives(name);
        return refuse(ERROR_PATH_NOT_FOUND);
    }
    if ((verbatim && !strncasecmp(name, "UNC\\", 4)) || (name[0] == '\\' && name[1] == '\\'))
        return refuse(ERROR_BAD_NETPATH);
    char *path = strdup(name);
    if (!path)
        return refuse(ERROR_NOT_ENOUGH_MEMORY);
    for (char *at = path; *at; at++)
        if (*at == '\\')
            *at = '/';
    return path;
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

const char *win__last_part(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

/* Takes . and .. and double slashes out of an absolute path, in place. A slash at its end stays. */
static void normalise(char *path)
{
    char *to = path;
    const char *at = path;
    while (*at) {
        while (*at == '/')
            at++;
        size_t length = strcspn(at, "/");
        if (length == 2 && at[0] == '.' && at[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (length && !(length == 1 && *at == '.')) {
            *to++ = '/';
            memmove(to, at, length);
            to += length;
        }
        at += length;
        if (at[0] == '/' && !at[strspn(at, "/")])
            break; /* slashes at the end */
    }
    if (to == path || *at == '/')
        *to++ = '/';
    *to = 0;
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
        normalise(path);
    return path;
}

/* ---- Errors and attributes ----------------------------------------------------------------- */

/* Windows tells a file that is not there from a folder on the way that is not. */
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
