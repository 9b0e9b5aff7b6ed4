/* SPDX-License-Identifier: MIT
 *
 * changes.h - what changes in a folder: for FindFirstChangeNotification and ReadDirectoryChanges.
 *
 * A `struct changes` is an inotify of its own, with a watch for the folder and, if wanted, one for
 * each folder below it. It belongs, at each moment,
 *
 *     changes_start     to its caller, which adds the first watches
 *     from then on      the table of folders to ums:watch alone, which reads the events, follows
 *                       folders that come, go and are renamed, and tells its user by `told`
 *     changes_end       its user is told nothing any more, but for a call that is under way
 *
 * The list of those that are watched has a reference to each, and so has a look that is under way.
 * The descriptors are closed with the last reference.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHANGES_H
#define UMSSHIM_WINAPI_LINUX_CHANGES_H

#include "winapi/linux/surface.h"

enum {
    CHANGES_FILTERS = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME |
                      FILE_NOTIFY_CHANGE_ATTRIBUTES | FILE_NOTIFY_CHANGE_SIZE |
                      FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_LAST_ACCESS |
                      FILE_NOTIFY_CHANGE_CREATION | FILE_NOTIFY_CHANGE_SECURITY,
    /* An action beside FILE_ACTION_ADDED and its kin: more than can be told has changed. */
    CHANGES_LOST = 100,
};

/* On ums:watch, which may use the heap. The path is from the folder on; NULL for CHANGES_LOST. */
typedef void changes_told(void *user, DWORD action, const char *path);

struct changes_folder {
    int watch;  /* inotify's number */
    char *path; /* from the folder on, "" for itself */
};

struct changes {
    struct object object;
    struct changes *next; /* in the list */
    uint64_t number;      /* unlike any other's, ever */
    int inotify, root;    /* the latter an O_PATH descriptor of the folder */
    DWORD filter;
    bool subtree;
    changes_told *told;
    void *user;
    struct changes_folder *folders;
    size_t folder_count;
};

/* A new one with one reference, which is not watched yet; NULL: no memory. `bytes` covers the type
 * that embeds it. */
void *changes_create(size_t bytes);
/* Begins to watch the folder that is open as fd, which stays the caller's. 0, or a Win32 error;
 * then it is ended already. */
DWORD changes_start(struct changes *changes, int fd);
/* One thread calls it, once; not ums:watch. */
void changes_end(struct changes *changes);
void changes_forget(void); /* in a child after fork: nothing is watched */

#endif
