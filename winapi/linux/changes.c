/* SPDX-License-Identifier: MIT
 *
 * changes.c - see changes.h.
 *
 * A renaming is two events in Linux, of the old name and of the new, which the kernel queues one
 * right after the other. So ums:watch tells that a name has gone only when it knows whether a new
 * name follows. The second event may be late by a moment: ums:watch waits some milliseconds for it.
 * Without it the name was removed, and a name that comes later is a new one.
 */
#include "winapi/linux/changes_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "platform/linux/async/fd_watch.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "winapi/linux/error.h"

static PLAT_LOCK(CHANGES) lock; /* for the list */
static struct changes *list;
static uint64_t numbers;

/* ---- Events: on the thread ums:watch --------------------------------------------------------- */

/* A name that has gone, and may have become another one. */
struct leaving {
    uint32_t cookie; /* 0: no name has left */
    bool folder;
    char *path;
};

static void tell(const struct changes *changes, bool folder, DWORD action, const char *path)
{
    if (changes_names_are_wanted(changes, folder))
        changes->told(changes->user, action, path);
}

static void has_left(struct changes *changes, struct leaving *leaving)
{
    if (!leaving->cookie)
        return;
    if (leaving->folder)
        changes_unwatch_below(changes, leaving->path);
    tell(changes, leaving->folder, FILE_ACTION_REMOVED, leaving->path);
    free(leaving->path);
    leaving->cookie = 0;
}

static bool same_folder(const char *left, const char *right)
{
    const char *end = strrchr(left, '/'), *other = strrchr(right, '/');
    size_t length = end ? (size_t)(end - left) : 0;
    return length == (other ? (size_t)(other - right) : 0) && !strncmp(left, right, length);
}

static bool comes(struct changes *changes, const struct inotify_event *event, const char *path,
                  struct leaving *leaving)
{
    bool folder = event->mask & IN_ISDIR;
    if (event->mask & IN_MOVED_TO && leaving->cookie && leaving->cookie == event->cookie) {
        bool renamed = same_folder(leaving->path, path);
        bool known = !folder || changes_rename_below(changes, leaving->path, path);
        tell(changes, folder, renamed ? FILE_ACTION_RENAMED_OLD_NAME : FILE_ACTION_REMOVED,
             leaving->path);
        tell(changes, folder, renamed ? FILE_ACTION_RENAMED_NEW_NAME : FILE_ACTION_ADDED, path);
        free(leaving->path);
        leaving->cookie = 0;
        return known;
    }
    has_left(changes, leaving);
    bool made = event->mask & IN_CREATE, below = folder && changes->subtree;
    /* A folder that was moved here is watched before it is told: the program may change it once it
     * knows. */
    bool whole = made || !below || !changes_add_tree(changes, path, false);
    tell(changes, folder, FILE_ACTION_ADDED, path);
    return made && below ? !changes_add_tree(changes, path, true) : whole;
}

/* An event about a name in a watched folder. Takes over the path. False: some changes are lost. */
static bool named(struct changes *changes, const struct inotify_event *event, char *path,
                  struct leaving *leaving)
{
    bool whole = true, folder = event->mask & IN_ISDIR;
    if (event->mask & (IN_CREATE | IN_MOVED_TO)) {
        whole = comes(changes, event, path, leaving);
        free(path);
        return whole;
    }
    has_left(changes, leaving);
    if (event->mask & IN_MOVED_FROM) {
        *leaving = (struct leaving){event->cookie, folder, path};
        return true;
    }
    if (event->mask & IN_DELETE)
        tell(changes, folder, FILE_ACTION_REMOVED, path);
    else
        changes->told(changes->user, FILE_ACTION_MODIFIED, path);
    free(path);
    return whole;
}

static void event_came(struct changes *changes, const struct inotify_event *event,
                       struct leaving *leaving)
{
    bool whole = !(event->mask & IN_Q_OVERFLOW);
    struct changes_folder *folder = whole ? changes_folder_of(changes, event->wd) : NULL;
    if (folder && event->len) {
        char *path = changes_joined(folder->path, event->name);
        whole = path && named(changes, event, path, leaving);
    } else if (folder && event->mask & IN_IGNORED) {
        changes_forget_folder(changes, folder);
    }
    if (!whole)
        changes->told(changes->user, CHANGES_LOST, NULL);
}

/* Whether there are more events. If a name has just gone, waits some milliseconds for one. */
static bool more(const struct changes *changes, const struct leaving *leaving)
{
    enum { RENAMED_WITHIN_MS = 5 };
    struct pollfd file = {.fd = changes->inotify, .events = POLLIN};
    return leaving->cookie && poll(&file, 1, RENAMED_WITHIN_MS) > 0;
}

static void look_at(struct changes *changes)
{
    _Alignas(struct inotify_event) char bytes[8192];
    struct leaving leaving = {0};
    do {
        long got = RAW3(SYS_read, changes->inotify, bytes, sizeof bytes);
        for (long at = 0; at < got;) {
            const struct inotify_event *event = (const void *)(bytes + at);
            at += (long)(sizeof *event + event->len);
            event_came(changes, event, &leaving);
        }
        if (got > 0)
            continue;
        if (!more(changes, &leaving))
            break;
    } while (true);
    has_left(changes, &leaving);
}

/* ---- The list -------------------------------------------------------------------------------- */

static bool look(void *number)
{
    plat_lock(&lock);
    struct changes *changes = list;
    while (changes && changes->number != (uint64_t)(uintptr_t)number)
        changes = changes->next;
    if (changes)
        object_hold(&changes->object);
    plat_unlock(&lock);
    if (!changes)
        return true;
    look_at(changes);
    object_drop(&changes->object);
    return false;
}

static void destroy(struct object *object)
{
    struct changes *changes = (struct changes *)object;
    while (changes->folder_count)
        changes_forget_folder(changes, &changes->folders[0]);
    free(changes->folders);
}

static void let_go(struct object *object)
{
    struct changes *changes = (struct changes *)object;
    if (changes->inotify >= 0)
        own_file_close(changes->inotify);
    if (changes->root >= 0)
        own_file_close(changes->root);
    changes->inotify = changes->root = -1;
}

void *changes_create(size_t bytes)
{
    struct changes *changes = object_create(OBJECT_CHANGES, bytes);
    if (!changes)
        return NULL;
    memset((char *)changes + sizeof changes->object, 0, bytes - sizeof changes->object);
    changes->inotify = changes->root = -1;
    changes->object.let_go = let_go;
    changes->object.destroy = destroy;
    return changes;
}

/* Takes it off the list. True: it was there, and the list's reference is the caller's now. */
static bool take_out(struct changes *changes)
{
    plat_lock(&lock);
    struct changes **link = &list;
    while (*link && *link != changes)
        link = &(*link)->next;
    bool found = *link;
    if (found)
        *link = changes->next;
    plat_unlock(&lock);
    return found;
}

void changes_end(struct changes *changes)
{
    if (!take_out(changes))
        return;
    fd_watch_end(changes->inotify);
    object_drop(&changes->object);
}

static DWORD error_of(int error)
{
    return error == ENOSPC || error == EMFILE ? (DWORD)ERROR_NO_SYSTEM_RESOURCES
           : error == ENOTDIR                 ? (DWORD)ERROR_DIRECTORY
                                              : win__error_of(error);
}

DWORD changes_start(struct changes *changes, int fd)
{
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    changes->root = fd_move_high(open(link, O_PATH | O_CLOEXEC | O_DIRECTORY));
    if (changes->root < 0)
        return error_of(errno);
    changes->inotify = fd_move_high(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (changes->inotify < 0)
        return error_of(errno);
    int error = changes_add_tree(changes, "", false);
    if (error)
        return error_of(error);
    object_hold(&changes->object);
    plat_lock(&lock);
    changes->number = ++numbers;
    changes->next = list;
    list = changes;
    plat_unlock(&lock);
    if (!fd_watch(changes->inotify, look, (void *)(uintptr_t)changes->number))
        return ERROR_SUCCESS;
    changes_end(changes);
    return ERROR_NOT_ENOUGH_MEMORY;
}

/* In a child after fork. The child's descriptors are the parent's files: to read there would take
 * events from the parent. */
void changes_forget(void)
{
    plat_lock_forget(&lock);
    for (struct changes *changes = list; changes; changes = changes->next)
        let_go(&changes->object);
    list = NULL;
}
