/* SPDX-License-Identifier: MIT
 *
 * changes_folders.c - see changes_folders.h.
 */
#include "winapi/linux/changes_folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO };

/* ---- Which events ---------------------------------------------------------------------------- */

static uint32_t mask_of(const struct changes *changes)
{
    DWORD filter = changes->filter;
    uint32_t mask = IN_ONLYDIR;
    if (filter & (FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME) || changes->subtree)
        mask |= NAMES;
    if (filter & (FILE_NOTIFY_CHANGE_SIZE | FILE_NOTIFY_CHANGE_LAST_WRITE))
        mask |= IN_MODIFY;
    if (filter & (FILE_NOTIFY_CHANGE_ATTRIBUTES | FILE_NOTIFY_CHANGE_SECURITY |
                  FILE_NOTIFY_CHANGE_LAST_WRITE))
        mask |= IN_ATTRIB;
    if (filter & FILE_NOTIFY_CHANGE_LAST_ACCESS)
        mask |= IN_ACCESS;
    return mask;
}

bool changes_names_are_wanted(const struct changes *changes, bool folder)
{
    return changes->filter &
           (folder ? (DWORD)FILE_NOTIFY_CHANGE_DIR_NAME : (DWORD)FILE_NOTIFY_CHANGE_FILE_NAME);
}

/* ---- The folders ----------------------------------------------------------------------------- */

char *changes_joined(const char *folder, const char *name)
{
    char *path;
    int length = asprintf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
    return length < 0 ? NULL : path;
}

/* Names the path by the folder's descriptor, which stays right when the folder is renamed. */
static char *system_path(const struct changes *changes, const char *path)
{
    char *whole;
    int length = asprintf(&whole, "/proc/self/fd/%d/%s", changes->root, path);
    return length < 0 ? NULL : whole;
}

struct changes_folder *changes_folder_of(struct changes *changes, int watch)
{
    for (size_t i = 0; i < changes->folder_count; i++)
        if (changes->folders[i].watch == watch)
            return &changes->folders[i];
    return NULL;
}

void changes_forget_folder(struct changes *changes, struct changes_folder *folder)
{
    free(folder->path);
    *folder = changes->folders[--changes->folder_count];
}

/* Whether a path is the folder itself, or below it. */
static bool is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

void changes_unwatch_below(struct changes *changes, const char *folder)
{
    for (size_t i = changes->folder_count; i-- > 0;) {
        if (!is_in(changes->folders[i].path, folder))
            continue;
        inotify_rm_watch(changes->inotify, changes->folders[i].watch);
        changes_forget_folder(changes, &changes->folders[i]);
    }
}

bool changes_rename_below(struct changes *changes, const char *from, const char *to)
{
    for (size_t i = 0; i < changes->folder_count; i++) {
        struct changes_folder *folder = &changes->folders[i];
        if (!is_in(folder->path, from))
            continue;
        char *path;
        if (asprintf(&path, "%s%s", to, folder->path + strlen(from)) < 0)
            return false;
        free(folder->path);
        folder->path = path;
    }
    return true;
}

/* Watches a folder. Takes over the path. 0, or an errno: the folder may be gone already. */
static int add_folder(struct changes *changes, char *path)
{
    enum { STEP = 16 };
    char *whole = path ? system_path(changes, path) : NULL;
    uint32_t mask = mask_of(changes) | (path && *path ? IN_DONT_FOLLOW : 0);
    int watch = whole ? inotify_add_watch(changes->inotify, whole, mask) : -1;
    int error = !whole ? ENOMEM : watch < 0 ? errno : 0;
    free(whole);
    struct changes_folder *known = error ? NULL : changes_folder_of(changes, watch);
    if (known) { /* inotify has the folder already, under its former name */
        free(known->path);
        known->path = path;
        return 0;
    }
    if (!error && changes->folder_count % STEP == 0) {
        struct changes_folder *more =
            realloc(changes->folders, (changes->folder_count + STEP) * sizeof *more);
        error = more ? 0 : ENOMEM;
        changes->folders = more ? more : changes->folders;
    }
    if (error)
        free(path);
    else
        changes->folders[changes->folder_count++] = (struct changes_folder){watch, path};
    return error;
}

static bool is_gone(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

int changes_add_tree(struct changes *changes, const char *path, bool tells)
{
    int error = add_folder(changes, strdup(path));
    if (error || !changes->subtree)
        return *path && is_gone(error) ? 0 : error;
    char *whole = system_path(changes, path);
    DIR *folder = whole ? opendir(whole) : NULL;
    error = folder || (whole && (is_gone(errno) || errno == EACCES)) ? 0 : whole ? errno : ENOMEM;
    free(whole);
    for (struct dirent *entry; !error && folder && (entry = readdir(folder));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        char *below = changes_joined(path, entry->d_name);
        struct stat status;
        bool is_folder = entry->d_type == DT_DIR ||
                         (entry->d_type == DT_UNKNOWN &&
                          !fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
                          S_ISDIR(status.st_mode));
        if (below && tells && changes_names_are_wanted(changes, is_folder))
            changes->told(changes->user, FILE_ACTION_ADDED, below);
        error = !below ? ENOMEM : is_folder ? changes_add_tree(changes, below, tells) : 0;
        free(below);
    }
    if (folder)
        closedir(folder);
    return error;
}
