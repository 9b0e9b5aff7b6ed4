/* SPDX-License-Identifier: MIT
 *
 * directory_changes.c - ReadDirectoryChangesW: tells which files of a folder have changed.
 *
 * The first call on a handle begins to watch the folder. Its filter and the length of its buffer
 * hold for all calls on the handle. The thread ums:watch adds records to `kept`, sets `any` and
 * writes to the eventfd `ready`. An overlapped read polls `ready`, and its step takes the records,
 * on the thread ums:async. Any other read waits at the address of `any`. All changes are made under
 * `lock`, and `ready` is readable when `any` is set. Records that do not fit are lost, and the next
 * read gives 0 bytes: then the program has to look at the folder itself.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/copy.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "winapi/linux/changes.h"
#include "winapi/linux/directory_changes.h"
#include "winapi/linux/error.h"
#include "winapi/linux/overlapped.h"
#include "winapi/linux/text.h"

struct directory_changes {
    struct changes changes; /* must be first */
    int ready;
    void (*destroy_changes)(struct object *);
    PLAT_LOCK(CHANGES) lock; /* for the rest */
    char *kept;
    size_t room, used;
    size_t last; /* the position of the last record */
    bool lost;
    _Atomic bool any; /* records, or lost ones; waiting threads read it without the lock */
};

/* ---- Adding records: on the thread ums:watch ------------------------------------------------- */

static bool is_told_already(const struct directory_changes *self, DWORD action, const WCHAR *name,
                            size_t bytes)
{
    const FILE_NOTIFY_INFORMATION *last = (const void *)(self->kept + self->last);
    return self->used && action == FILE_ACTION_MODIFIED && last->Action == action &&
           last->FileNameLength == bytes && !memcmp(last->FileName, name, bytes);
}

static void add(struct directory_changes *self, DWORD action, const WCHAR *name, size_t bytes)
{
    enum { ALIGNED = sizeof(DWORD) - 1 };
    size_t size =
        (offsetof(FILE_NOTIFY_INFORMATION, FileName) + bytes + ALIGNED) & ~(size_t)ALIGNED;
    if (self->lost || is_told_already(self, action, name, bytes))
        return;
    if (self->room - self->used < size) {
        self->lost = true;
        self->used = 0;
        return;
    }
    FILE_NOTIFY_INFORMATION *last = (void *)(self->kept + self->last);
    if (self->used)
        last->NextEntryOffset = (DWORD)(self->used - self->last);
    FILE_NOTIFY_INFORMATION *record = (void *)(self->kept + self->used);
    record->NextEntryOffset = 0;
    record->Action = action;
    record->FileNameLength = (DWORD)bytes;
    memcpy(record->FileName, name, bytes);
    self->last = self->used;
    self->used += size;
}

/* The caller has the lock. */
static void say_ready(const struct directory_changes *self)
{
    static const uint64_t one = 1;
    RAW3(SYS_write, self->ready, &one, sizeof one);
}

static void told(void *user, DWORD action, const char *path)
{
    struct directory_changes *self = user;
    SIZE_T units = 0;
    WCHAR *name = path ? win__widen(path, strlen(path), &units) : NULL;
    plat_lock(&self->lock);
    if (action == CHANGES_LOST || !name) {
        self->lost = true;
        self->used = 0;
    } else {
        add(self, action, name, units * sizeof *name);
    }
    atomic_store(&self->any, true);
    say_ready(self);
    plat_unlock(&self->lock);
    free(name);
    address_wake(&self->any, UINT32_MAX, NULL, NULL);
}

/* ---- Taking records: the caller has the lock ------------------------------------------------- */

/* `any` is set. Copies the records out. An error if the buffer is not writable: the records
 * stay. */
static DWORD take(struct directory_changes *self, void *buffer, DWORD length, DWORD *bytes)
{
    uint64_t times;
    bool whole = !self->lost && self->used <= length;
    int error = whole && self->used ? copy_out(buffer, self->kept, self->used) : 0;
    if (error)
        return win__error_of(-error);
    *bytes = whole ? (DWORD)self->used : 0;
    self->lost = false;
    self->used = self->last = 0;
    atomic_store(&self->any, false);
    RAW3(SYS_read, self->ready, &times, sizeof times);
    return ERROR_SUCCESS;
}

/* On ums:async, or on the thread that began the operation. */
static bool step(struct operation *operation, long result)
{
    struct directory_changes *self = (struct directory_changes *)operation->other;
    if (result < 0) {
        operation->error = win__error_of((int)-result);
        return true;
    }
    plat_lock(&self->lock);
    bool any = self->any;
    if (any)
        operation->error = take(self, (void *)(uintptr_t)operation->state[0],
                                (DWORD)operation->state[1], &operation->bytes);
    plat_unlock(&self->lock);
    return any;
}

struct waiting {
    struct directory_changes *changes;
    const struct plat_thread *thread;
};

static bool still_nothing(void *arg)
{
    const struct waiting *waiting = arg;
    return !waiting->changes->any && !(waiting->thread && sync_call_is_asked(waiting->thread));
}
LAYOUT_WAIT("ReadDirectoryChangesW", still_nothing);

static DWORD take_waiting(struct directory_changes *self, void *buffer, DWORD length, DWORD *bytes)
{
    struct waiting waiting = {self, thread_current()};
    for (;;) {
        plat_lock(&self->lock);
        bool any = self->any;
        DWORD error = any ? take(self, buffer, length, bytes) : ERROR_SUCCESS;
        plat_unlock(&self->lock);
        if (any)
            return error;
        if (sync_call_asked())
            return ERROR_OPERATION_ABORTED;
        address_wait(&self->any, still_nothing, NULL, &waiting, PLAT_FOREVER);
    }
}

/* ---- The file's record ----------------------------------------------------------------------- */

static void let_go(struct directory_changes *self)
{
    changes_end(&self->changes);
    object_drop(&self->changes.object);
}

static void end_of_file(struct file *file)
{
    let_go(file->record);
}

/* In a child after fork. The eventfd is the parent's as well: if one process read it, the other
 * would miss a change. */
static void forget(struct file *file)
{
    struct directory_changes *self = file->record;
    plat_lock_forget(&self->lock);
    if (self->ready >= 0)
        own_file_close(self->ready);
    self->ready = fd_move_high(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (self->any)
        say_ready(self);
}

/* A folder's file gets this kind with its first call; its record is an object. */
static const struct file_kind directory_kind = {.end = end_of_file, .forget = forget};

static void destroy(struct object *object)
{
    struct directory_changes *self = (struct directory_changes *)object;
    free(self->kept);
    if (self->ready >= 0)
        own_file_close(self->ready);
    self->destroy_changes(object);
}

static DWORD begin(struct file *file, DWORD length, bool subtree, DWORD filter)
{
    struct directory_changes *self = changes_create(sizeof *self);
    if (!self)
        return ERROR_NOT_ENOUGH_MEMORY;
    self->destroy_changes = self->changes.object.destroy;
    self->changes.object.destroy = destroy;
    self->changes.filter = filter;
    self->changes.subtree = subtree;
    self->changes.told = told;
    self->changes.user = self;
    self->room = length;
    self->kept = malloc(length ? length : 1);
    self->ready = fd_move_high(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    DWORD error = !self->kept       ? (DWORD)ERROR_NOT_ENOUGH_MEMORY
                  : self->ready < 0 ? (DWORD)ERROR_NO_SYSTEM_RESOURCES
                                    : changes_start(&self->changes, file->fd);
    if (error) {
        object_drop(&self->changes.object);
        return error;
    }
    file->record = self;
    file->kind = &directory_kind;
    return ERROR_SUCCESS;
}

/* Several threads may make the first calls on a handle. */
static SRWLOCK beginning = SRWLOCK_INIT;

void directory_changes_forget(void)
{
    InitializeSRWLock(&beginning);
}

static DWORD refusal(const struct file *file, const void *buffer, DWORD length, DWORD filter)
{
    struct stat status;
    if (fstat(file->fd, &status) || !S_ISDIR(status.st_mode) || !filter ||
        filter & ~(DWORD)CHANGES_FILTERS)
        return ERROR_INVALID_PARAMETER;
    return (uintptr_t)buffer % sizeof(DWORD) || (!buffer && length) ? ERROR_NOACCESS
                                                                    : ERROR_SUCCESS;
}

/* Takes over the caller's reference to the file. */
static DWORD begin_overlapped(struct file *file, void *buffer, DWORD length, DWORD *bytes,
                              OVERLAPPED *overlapped, LPOVERLAPPED_COMPLETION_ROUTINE routine)
{
    struct directory_changes *self = file->record;
    struct operation *operation;
    DWORD error = (DWORD)operation_create(file, overlapped, routine, 0, &operation);
    if (error) {
        object_drop(&file->object);
        return error;
    }
    object_hold(&self->changes.object);
    operation->other = &self->changes.object;
    operation->call.kind = ASYNC_POLL;
    operation->call.fd = self->ready;
    operation->call.flags = POLLIN;
    operation->call.disk = false;
    operation->step = step;
    operation->direction = INWARD;
    operation->state[0] = (uintptr_t)buffer;
    operation->state[1] = length;
    error = (DWORD)operation_begin(operation, bytes);
    return error == ERROR_IO_PENDING ? ERROR_SUCCESS : error;
}

static void fill_in(OVERLAPPED *overlapped, DWORD bytes)
{
    if (!overlapped)
        return;
    overlapped->InternalHigh = bytes;
    overlapped->Internal = overlapped_status(ERROR_SUCCESS);
    if (overlapped->hEvent)
        SetEvent(overlapped->hEvent);
}

BOOL WINAPI ReadDirectoryChangesW(HANDLE hDirectory, LPVOID lpBuffer, DWORD nBufferLength,
                                  BOOL bWatchSubtree, DWORD dwNotifyFilter, LPDWORD lpBytesReturned,
                                  LPOVERLAPPED lpOverlapped,
                                  LPOVERLAPPED_COMPLETION_ROUTINE lpCompletionRoutine)
{
    struct file *file = win__file_for(hDirectory, FILE_MAY_READ);
    if (!file)
        return FALSE;
    DWORD bytes = 0, error = refusal(file, lpBuffer, nBufferLength, dwNotifyFilter);
    if (!error && !file->overlapped && lpCompletionRoutine)
        error = ERROR_INVALID_PARAMETER;
    AcquireSRWLockExclusive(&beginning);
    if (!error && !file->record)
        error = begin(file, nBufferLength, bWatchSubtree, dwNotifyFilter);
    ReleaseSRWLockExclusive(&beginning);
    if (!error && file->overlapped) {
        error = begin_overlapped(file, lpBuffer, nBufferLength, &bytes, lpOverlapped,
                                 lpCompletionRoutine);
    } else {
        struct directory_changes *self = file->record;
        if (!error) {
            struct sync_call outer = sync_call_begin_at(&self->any, &file->object);
            error = take_waiting(self, lpBuffer, nBufferLength, &bytes);
            sync_call_end(&outer);
        }
        if (!error)
            fill_in(lpOverlapped, bytes);
        object_drop(&file->object);
    }
    if (lpBytesReturned && !error)
        *lpBytesReturned = bytes;
    return win__result((int)error);
}
