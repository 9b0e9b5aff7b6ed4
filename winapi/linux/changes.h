/* SPDX-License-Identifier: MIT
 *
 * changes.h - watches folders, for FindFirstChangeNotification and ReadDirectoryChangesW.
 *
 * A `struct changes` has an inotify of its own, with a watch for the folder and, if the user wants
 * it, one for each folder below. Its owner:
 *
 *     before            the caller of changes_start, which adds the first watches
 *     after             the thread ums:watch has the table of folders for itself. It reads the
 *                       events, follows folders that come, go and are renamed, and calls `told`
 *     changes_end       no new call of `told` begins; one that runs goes on to its end
 *
 * The list of watched ones has a reference to each, and so has ums:watch while it looks at one. The
 * descriptors are closed with the last reference.
 */
#ifndef UMSSHIM_WINAPI_LINUX_CHANGES_H
#define UMSSHIM_WINAPI_LINUX_CHANGES_H

#include "winapi/linux/surface.h"

enum {
    CHANGES_FILTERS = FILE_NOTIFY_CHANGE_FILE_NAME | FILE_NOTIFY_CHANGE_DIR_NAME |
                      FILE_NOTIFY_CHANGE_ATTRIBUTES | FILE_NOTIFY_CHANGE_SIZE |
                      FILE_NOTIFY_CHANGE_LAST_WRITE | FILE_NOTIFY_CHANGE_LAST_ACCESS |
                      FILE_NOTIFY_CHANGE_CREATION | FILE_NOTIFY_CHANGE_SECURITY,
    /* An action beside FILE_ACTION_ADDED and its kin: some changes are lost. */
    CHANGES_LOST = 100,
};

/* Called on ums:watch, and may use the heap. The path begins in the watched folder; NULL for
 * CHANGES_LOST. */
typedef void changes_told(void *user, DWORD action, const char *path);

struct changes_folder {
    int watch;  /* inotify's number of the watch */
    char *path; /* from the watched folder on; "" for that folder itself */
};

struct changes {
    struct object object;
    struct changes *next; /* in the list of watched ones */
    uint64_t number;      /* no other one ever had this number */
    int inotify, root;    /* root: an O_PATH descriptor of the folder */
    DWORD filter;
    bool subtree;
    changes_told *told;
    void *user;
    struct changes_folder *folders;
    size_t folder_count;
};

/* Makes one that is not watched yet, with one reference. NULL: no memory. `bytes`: the size of the
 * struct that begins with it. */
void *changes_create(size_t bytes);
/* Begins to watch the folder that is open as fd, which stays the caller's. 0 or a Win32 error; then
 * changes_end is not needed. */
DWORD changes_start(struct changes *changes, int fd);
/* Called once, but not on ums:watch. */
void changes_end(struct changes *changes);
void changes_forget(void); /* in a child after fork: ends all watching */

#endif
