/* SPDX-License-Identifier: MIT
 *
 * crt_path.c - takes paths apart and puts them together: _splitpath, _makepath, _fullpath. Forward
 * and backward slashes divide a path.
 */
#pragma GCC visibility push(default) /* umsshim.map has the last word */
#include <stdlib.h>
#pragma GCC visibility pop

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "winapi/linux/drive.h"

static bool is_slash(char character)
{
    return character == '/' || character == '\\';
}

/* The beginnings of a path's folder, name and extension, and its end. The drive is before the
 * folder. */
struct parts {
    const char *folder, *name, *extension, *end;
};

static struct parts parts_of(const char *path)
{
    struct parts parts = {.folder = path};
    bool letter = (*path >= 'A' && *path <= 'Z') || (*path >= 'a' && *path <= 'z');
    if (letter && path[1] == ':')
        parts.folder += 2;
    parts.name = parts.folder;
    const char *at = parts.folder;
    for (; *at; at++)
        if (is_slash(*at)) {
            parts.name = at + 1;
            parts.extension = NULL;
        } else if (*at == '.') {
            parts.extension = at;
        }
    parts.end = at;
    if (!parts.extension)
        parts.extension = at;
    return parts;
}

static bool copy_part(char *to, size_t size, const char *from, const char *end)
{
    size_t length = (size_t)(end - from);
    if (!to)
        return true;
    if (length >= size)
        return false;
    memcpy(to, from, length);
    to[length] = 0;
    return true;
}

errno_t _splitpath_s(const char *path, char *drive, size_t drive_size, char *folder,
                     size_t folder_size, char *name, size_t name_size, char *extension,
                     size_t extension_size)
{
    char *const to[] = {drive, folder, name, extension};
    const size_t sizes[] = {drive_size, folder_size, name_size, extension_size};
    bool valid = path != NULL, fits = true;
    for (int i = 0; i < 4; i++)
        valid &= (to[i] != NULL) == (sizes[i] != 0);
    if (valid) {
        struct parts parts = parts_of(path);
        fits = copy_part(drive, drive_size, path, parts.folder) &&
               copy_part(folder, folder_size, parts.folder, parts.name) &&
               copy_part(name, name_size, parts.name, parts.extension) &&
               copy_part(extension, extension_size, parts.extension, parts.end);
    }
    if (valid && fits)
        return 0;
    for (int i = 0; i < 4; i++)
        if (to[i] && sizes[i])
            *to[i] = 0;
    errno = valid ? ERANGE : EINVAL;
    return errno;
}

/* Copies a part for a buffer of the documented size; cuts a part that is longer. */
static void copy_cut(char *to, size_t size, const char *from, const char *end)
{
    copy_part(to, size, from, (size_t)(end - from) < size ? end : from + size - 1);
}

void _splitpath(const char *path, char *drive, char *folder, char *name, char *extension)
{
    struct parts parts = parts_of(path);
    copy_cut(drive, _MAX_DRIVE, path, parts.folder);
    copy_cut(folder, _MAX_DIR, parts.folder, parts.name);
    copy_cut(name, _MAX_FNAME, parts.name, parts.extension);
    copy_cut(extension, _MAX_EXT, parts.extension, parts.end);
}

struct path {
    char *to;
    size_t size, length;
};

static void append(struct path *path, const char *text, size_t length)
{
    if (length < path->size - path->length)
        memcpy(path->to + path->length, text, length);
    else if (path->length < path->size)
        length = path->size - path->length; /* the length alone says that it is full */
    path->length += length;
}

errno_t _makepath_s(char *path, size_t size, const char *drive, const char *folder,
                    const char *name, const char *extension)
{
    struct path made = {path, size, 0};
    if (!path || !size) {
        errno = EINVAL;
        return EINVAL;
    }
    if (drive && *drive) {
        append(&made, drive, 1);
        append(&made, ":", 1);
    }
    if (folder && *folder) {
        bool backward = strchr(folder, '\\') && !strchr(folder, '/');
        append(&made, folder, strlen(folder));
        if (!is_slash(folder[strlen(folder) - 1]))
            append(&made, backward ? "\\" : "/", 1);
    }
    if (name)
        append(&made, name, strlen(name));
    if (extension && *extension) {
        if (*extension != '.')
            append(&made, ".", 1);
        append(&made, extension, strlen(extension));
    }
    bool fits = made.length < size;
    path[fits ? made.length : 0] = 0;
    errno = fits ? errno : ERANGE;
    return fits ? 0 : ERANGE;
}

void _makepath(char *path, const char *drive, const char *folder, const char *name,
               const char *extension)
{
    _makepath_s(path, _MAX_PATH, drive, folder, name, extension);
}

/* ---- From the root --------------------------------------------------------------------------- */

/* Appends each step of a path to `to`, which begins with a slash. */
static size_t walk(char *to, size_t length, const char *path)
{
    while (*path) {
        size_t step = 0;
        while (path[step] && !is_slash(path[step]))
            step++;
        if (step == 2 && path[0] == '.' && path[1] == '.') {
            while (length > 0 && to[length - 1] != '/')
                length--;
            length = length > 0 ? length - 1 : 0;
        } else if (step > 0 && !(step == 1 && *path == '.')) {
            to[length++] = '/';
            memcpy(to + length, path, step);
            length += step;
        }
        path += step;
        while (is_slash(*path))
            path++;
    }
    to[length] = 0;
    return length;
}

/* NULL means the current folder. */
static char *full_path(const char *path)
{
    if (path && win__letter_of(path))
        return win__drive_path(path);
    char *here = path && is_slash(*path) ? strdup("") : getcwd(NULL, 0);
    char *whole = here ? malloc(strlen(here) + (path ? strlen(path) : 0) + 3) : NULL;
    if (whole) {
        size_t given = path ? strlen(path) : 0;
        size_t length = walk(whole, walk(whole, 0, here), path ? path : "");
        if (length == 0 || (given && is_slash(path[given - 1])))
            strcpy(whole + length, "/");
    }
    free(here);
    return whole;
}

char *_fullpath(char *to, const char *path, size_t size)
{
    char *whole = full_path(path);
    if (!whole || !to)
        return whole;
    bool fits = strlen(whole) < size;
    if (fits)
        strcpy(to, whole);
    else
        errno = ERANGE;
    free(whole);
    return fits ? to : NULL;
}
