/* SPDX-License-Identifier: MIT
 *
 * file_path.c - see file_path.h.
 */
#include "winapi/linux/file_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "winapi/linux/error.h"

char *win__path(const char *name)
{
    char *path = strdup(name);
    for (char *at = path; at && *at; at++)
        if (*at == '\\')
            *at = '/';
    return path;
}

/* Windows tells a file that is not there from a folder on the way that is not. */
static DWORD absence(const char *path)
{
    const char *last = strrchr(path, '/');
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
