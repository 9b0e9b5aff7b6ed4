/* SPDX-License-Identifier: MIT
 *
 * change_notification.c - FindFirstChangeNotification, FindNextChangeNotification,
 * FindCloseChangeNotification: an object that is signalled when something has changed in a folder.
 *
 * The object is armed until the first change, which signals it. It remembers later changes as one,
 * and FindNextChangeNotification, which arms it again, signals it at once for that one. The
 * object's lock is for both flags and the signal, so a change is one step, and so is
 * FindNextChangeNotification.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/linux/dispatch/object_signal.h"
#include "winapi/linux/changes.h"
#include "winapi/linux/error.h"
#include "winapi/linux/file_path.h"

struct notification {
    struct changes changes; /* must be first */
    bool armed, changed;    /* under the object's lock */
};

/* On the thread ums:watch. It wakes the waiters with no lock held, as a waiter may be a thread
 * pool's. */
static void told(void *user, DWORD action, const char *path)
{
    struct notification *self = user;
    struct object *object = &self->changes.object;
    struct wait *chain = NULL;
    (void)action, (void)path;
    bool all = object_lock_to_signal(object);
    if (self->armed) {
        object->signal = 1;
        object_release_waiters(object, &chain);
    }
    self->changed = !self->armed;
    self->armed = false;
    object_unlock_signalled(object, all);
    waits_open(chain);
}

static void closed(struct object *object)
{
    changes_end((struct changes *)object);
}

static DWORD start(const char *name, bool subtree, DWORD filter, void **handle)
{
    char *path = win__plain_path(name);
    if (!path)
        return GetLastError();
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DWORD error = fd >= 0            ? ERROR_SUCCESS
                  : errno == ENOTDIR ? (DWORD)ERROR_DIRECTORY
                                     : win__open_error(path);
    free(path);
    if (error)
        return error;
    struct notification *self = changes_create(sizeof *self);
    if (self) {
        self->armed = true;
        self->changes.filter = filter;
        self->changes.subtree = subtree;
        self->changes.told = told;
        self->changes.user = self;
        self->changes.object.closed = closed;
    }
    error = self ? changes_start(&self->changes, fd) : (DWORD)ERROR_NOT_ENOUGH_MEMORY;
    close(fd);
    if (!error) {
        error = (DWORD)handle_create(&self->changes.object, handle);
        if (error)
            changes_end(&self->changes);
    }
    if (self)
        object_drop(&self->changes.object);
    return error;
}

HANDLE WINAPI FindFirstChangeNotificationA(LPCSTR lpPathName, BOOL bWatchSubtree,
                                           DWORD dwNotifyFilter)
{
    void *handle = INVALID_HANDLE_VALUE;
    bool known = dwNotifyFilter && !(dwNotifyFilter & ~(DWORD)CHANGES_FILTERS);
    DWORD error = known ? start(lpPathName, bWatchSubtree, dwNotifyFilter, &handle)
                        : (DWORD)ERROR_INVALID_PARAMETER;
    if (!error)
        return handle;
    win__fail(error);
    return INVALID_HANDLE_VALUE;
}

HANDLE WINAPI FindFirstChangeNotificationW(LPCWSTR lpPathName, BOOL bWatchSubtree,
                                           DWORD dwNotifyFilter)
{
    char *name = win__name(lpPathName);
    if (!name)
        return INVALID_HANDLE_VALUE;
    HANDLE handle = FindFirstChangeNotificationA(name, bWatchSubtree, dwNotifyFilter);
    free(name);
    return handle;
}

/* The notification of a handle, with a reference. NULL: ERROR_INVALID_HANDLE. */
static struct notification *notification_of(HANDLE handle)
{
    struct object *object = win__object(handle);
    if (object && object->type != OBJECT_CHANGES) {
        object_drop(object);
        win__fail(ERROR_INVALID_HANDLE);
        return NULL;
    }
    return (struct notification *)object;
}

BOOL WINAPI FindNextChangeNotification(HANDLE hChangeHandle)
{
    struct notification *self = notification_of(hChangeHandle);
    if (!self)
        return FALSE;
    struct object *object = &self->changes.object;
    plat_lock(&object->lock);
    self->armed = !self->changed;
    if (self->armed)
        object->signal = 0;
    self->changed = false;
    plat_unlock_lasting(&object->lock);
    object_drop(object);
    return TRUE;
}

BOOL WINAPI FindCloseChangeNotification(HANDLE hChangeHandle)
{
    struct notification *self = notification_of(hChangeHandle);
    if (!self)
        return FALSE;
    object_drop(&self->changes.object);
    return win__result(handle_close(hChangeHandle));
}
