/* SPDX-License-Identifier: MIT
 *
 * file_lock.c - see file_lock.h.
 *
 * The kernel's locks of open file descriptions keep other handles out, in this process and in
 * others. Like Windows' locks they belong to the file that CreateFile opened. But the kernel has
 * only one lock of an owner for each byte. Windows has ranges, which may overlap, and a program
 * unlocks each as it locked it. So each file has a list of its ranges, and for each byte the kernel
 * has the strongest held range over it.
 *
 * A new range waits until no range of its own handle is in its way, by the count of unlocks. Then
 * it is on the list, pending, until the kernel has given it its bytes, and is held from then on.
 * List, states and all changes of the kernel's locks but one are under `ranges`. That one is a
 * pending range's wait for other handles (F_OFD_SETLKW). Meanwhile another thread may unlock a
 * range of the same handle over the same bytes, and so take away what the wait got. So the thread
 * sets the bytes once more under `ranges`, and if that fails it waits again. If the thread is ended
 * meanwhile, the range goes with the object that the thread has for its wait (struct locking).
 */
#include "winapi/linux/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/interrupt/sync_call.h"
#include "winapi/linux/error.h"

struct file_lock {
    struct file_lock *next;
    uint64_t start, length, end; /* `end`: for the kernel, so start_max at most */
    bool exclusive, held;
};

/* A pending range whose thread waits for other handles. */
struct locking {
    struct object object;
    struct file *file;
    struct file_lock *lock; /* NULL: the wait is over */
};

static const uint64_t start_max = INT64_MAX;

static PLAT_LOCK(RANGES) ranges;
static _Atomic uint32_t unlocks; /* of any file; one more for each range that is gone */

/* ---- The kernel's locks: the caller has `ranges` ------------------------------------------- */

static short type_at(const struct file *file, uint64_t at)
{
    short type = F_UNLCK;
    for (const struct file_lock *lock = file->locks; lock; lock = lock->next)
        if (lock->held && lock->start <= at && at < lock->end) {
            if (lock->exclusive)
                return F_WRLCK;
            type = F_RDLCK;
        }
    return type;
}

/* The next place behind `at` where a range begins or ends, `end` at most. */
static uint64_t piece_end(const struct file *file, uint64_t at, uint64_t end)
{
    for (const struct file_lock *lock = file->locks; lock; lock = lock->next) {
        if (lock->start > at && lock->start < end)
            end = lock->start;
        if (lock->end > at && lock->end < end)
            end = lock->end;
    }
    return end;
}

static int set(struct file *file, int command, short type, uint64_t start, uint64_t end)
{
    struct flock range = {.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)start,
                          .l_len = end >= start_max ? 0 : (off_t)(end - start)};
    int error;
    /* With locks on a server, a signal may interrupt even a call that does not wait. */
    do
        error = fcntl(file->fd, command, &range) ? errno : 0;
    while (error == EINTR && command == F_OFD_SETLK);
    return error;
}

static int set_waiting(struct file *file, short type, uint64_t start, uint64_t end)
{
    int error = EINTR;
    while (error == EINTR && !sync_call_asked())
        error = set(file, F_OFD_SETLKW, type, start, end);
    return error;
}

/* Makes the kernel's locks of these bytes those of the held ranges. 0 or errno; then *start and
 * *end are the piece that the kernel refused. */
static int settle(struct file *file, uint64_t *start, uint64_t *end)
{
    uint64_t last = *end;
    for (uint64_t at = *start; at < last; at = *end) {
        *start = at;
        *end = piece_end(file, at, last);
        int error = set(file, F_OFD_SETLK, type_at(file, at), at, *end);
        if (error)
            return error;
    }
    return 0;
}

/* ---- Ranges -------------------------------------------------------------------------------- */

static bool overlaps(const struct file_lock *one, const struct file_lock *other)
{
    return one->start < other->end && other->start < one->end;
}

/* The caller has `ranges`. An exclusive range overlaps no other. A shared one may overlap an
 * exclusive one of the same handle, as documented. */
static bool is_in_the_way(const struct file *file, const struct file_lock *fresh)
{
    const struct file_lock *lock = fresh->exclusive ? file->locks : NULL;
    while (lock && !overlaps(lock, fresh))
        lock = lock->next;
    return lock;
}

/* The caller has `ranges`. */
static void unlist(struct file *file, struct file_lock *lock)
{
    struct file_lock *at = file->locks;
    if (at == lock) {
        file->locks = lock->next;
        return;
    }
    while (at->next != lock)
        at = at->next;
    at->next = lock->next;
}

static void tell_of_unlock(void)
{
    atomic_fetch_add(&unlocks, 1);
    WakeByAddressAll((void *)&unlocks);
}

/* The thread was ended. The kernel may have given it the bytes. */
static void let_go(struct object *object)
{
    const struct locking *locking = (struct locking *)object;
    if (!locking->lock)
        return;
    uint64_t from = locking->lock->start, to = locking->lock->end;
    plat_lock(&ranges);
    unlist(locking->file, locking->lock);
    settle(locking->file, &from, &to);
    plat_unlock(&ranges);
    tell_of_unlock();
}

static void destroy(struct object *object)
{
    free(((struct locking *)object)->lock);
}

/* Within the call. NULL: no memory. */
static struct locking *begin_to_wait(struct file *file, struct file_lock *lock)
{
    struct locking *locking = object_create(OBJECT_LOCKING, sizeof *locking);
    if (!locking)
        return NULL;
    locking->file = file;
    locking->lock = lock;
    locking->object.let_go = let_go;
    locking->object.destroy = destroy;
    sync_call_keep(&locking->object);
    return locking;
}

/* Gets a listed range its bytes, or takes it off the list again. 0 or a Win32 error. */
static DWORD obtain(struct file *file, struct file_lock *lock, enum lock_waits waits,
                    struct locking **locking)
{
    for (;;) {
        uint64_t start = lock->start, end = lock->end;
        plat_lock(&ranges);
        lock->held = true;
        int error = settle(file, &start, &end);
        if (error) {
            uint64_t from = lock->start, to = lock->end;
            lock->held = false;
            if ((error != EAGAIN && error != EACCES) || waits == LOCK_AT_ONCE)
                unlist(file, lock);
            settle(file, &from, &to);
        }
        plat_unlock(&ranges);
        if (!error)
            return ERROR_SUCCESS;
        if (error == EAGAIN || error == EACCES) {
            if (waits == LOCK_AT_ONCE)
                return ERROR_LOCK_VIOLATION;
            if (!*locking)
                *locking = begin_to_wait(file, lock);
            short type = lock->exclusive ? F_WRLCK : F_RDLCK;
            error = *locking ? set_waiting(file, type, start, end) : ENOMEM;
            if (!error)
                continue;
            plat_lock(&ranges);
            unlist(file, lock);
            plat_unlock(&ranges);
        }
        /* On Linux an exclusive lock needs a descriptor that can write, a shared one a descriptor
         * that can read. */
        return error == EBADF ? ERROR_ACCESS_DENIED : win__error_of(error);
    }
}

struct unlock_wait {
    const struct plat_thread *thread;
    uint32_t seen;
};

static bool still_locked(void *arg)
{
    const struct unlock_wait *wait = arg;
    return atomic_load(&unlocks) == wait->seen &&
           !(wait->thread && sync_call_is_asked(wait->thread));
}
LAYOUT_WAIT("LockFileEx", still_locked);

/* Waits for the next unlock. False: the call is cancelled. */
static bool await_unlock(uint32_t seen)
{
    struct unlock_wait wait = {thread_current(), seen};
    sync_call_waits_at(&unlocks);
    while (still_locked(&wait))
        address_wait(&unlocks, still_locked, NULL, &wait, PLAT_FOREVER);
    sync_call_waits_at(NULL);
    return !sync_call_asked();
}

static DWORD lock_range(struct file *file, struct file_lock *fresh, enum lock_waits waits,
                        struct locking **locking)
{
    for (;;) {
        plat_lock(&ranges);
        uint32_t seen = atomic_load(&unlocks);
        bool in_the_way = is_in_the_way(file, fresh);
        if (!in_the_way) {
            fresh->next = file->locks;
            file->locks = fresh;
        }
        plat_unlock(&ranges);
        if (!in_the_way)
            break;
        if (waits == LOCK_AT_ONCE)
            return ERROR_LOCK_VIOLATION;
        if (!await_unlock(seen))
            return ERROR_OPERATION_ABORTED;
    }
    DWORD error = obtain(file, fresh, waits, locking);
    if (error)
        tell_of_unlock();
    return error;
}

DWORD win__lock_range(struct file *file, uint64_t start, uint64_t length, bool exclusive,
                      enum lock_waits waits)
{
    if (file->type != FILE_TYPE_DISK)
        return ERROR_INVALID_FUNCTION;
    if (start > start_max || (length && start + length - 1 < start))
        return ERROR_INVALID_LOCK_RANGE;
    struct file_lock *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return ERROR_NOT_ENOUGH_MEMORY;
    bool to_the_end = length > start_max - start;
    *fresh = (struct file_lock){.start = start,
                                .length = length,
                                .exclusive = exclusive,
                                .end = to_the_end ? start_max : start + length};
    DWORD error;
    if (waits == LOCK_WAITS) { /* around all waits: a cancellation may come between two */
        struct locking *locking = NULL;
        struct sync_call outer = sync_call_begin(&file->object);
        error = lock_range(file, fresh, waits, &locking);
        sync_call_end(&outer);
        if (locking) {
            locking->lock = NULL;
            object_drop(&locking->object);
        }
    } else {
        error = lock_range(file, fresh, waits, NULL);
    }
    if (error)
        free(fresh);
    return error;
}

/* If an exclusive and a shared range have this place and length, unlocks the exclusive one. */
DWORD win__unlock_range(struct file *file, uint64_t start, uint64_t length)
{
    struct file_lock *found = NULL;
    plat_lock(&ranges);
    for (struct file_lock *lock = file->locks; lock; lock = lock->next)
        if (lock->held && lock->start == start && lock->length == length &&
            (!found || lock->exclusive))
            found = lock;
    if (found) {
        uint64_t from = found->start, to = found->end;
        unlist(file, found);
        settle(file, &from, &to);
    }
    plat_unlock(&ranges);
    if (!found)
        return ERROR_NOT_LOCKED;
    free(found);
    tell_of_unlock();
    return ERROR_SUCCESS;
}

void win__locks_free(struct file *file)
{
    struct file_lock *next;
    for (struct file_lock *lock = file->locks; lock; lock = next) {
        next = lock->next;
        free(lock);
    }
}

void file_locks_forget(void)
{
    plat_lock_forget(&ranges);
}
