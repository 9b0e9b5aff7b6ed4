/* SPDX-License-Identifier: MIT
 *
 * handle_info.h - what the engine knows of the objects behind this process's handles.
 *
 * A record is made when a worker first waits on a handle, and lasts until the handle is closed.
 * Each handle value has a place for its record, in blocks that stay for good. So a thread that
 * looks takes no lock, and at worst finds a record that is out of date.
 *
 * An event or semaphore is private if it has no name, and its only handle is in this process. Then
 * this process signals it, through hooks (direct_signal.h). When the handle is duplicated or given
 * to a file operation the object ceases to be private, for good. A signal may still come from
 * elsewhere: from a driver that got the handle in a buffer, or a process that duplicates the handle
 * from outside. The engine notices such a signal a little later.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_HANDLE_INFO_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_HANDLE_INFO_H

#include "platform/windows/engine.h"

enum handle_kind {
    HANDLE_UNKNOWN,   /* nothing known */
    HANDLE_OWNED,     /* a mutex: the thread that waits becomes its owner */
    HANDLE_OTHER,     /* a thread of the pool may wait in the worker's place */
    HANDLE_AUTO,      /* private: an event that a wait resets */
    HANDLE_MANUAL,    /* private: an event that a wait does not reset */
    HANDLE_SEMAPHORE, /* private: a semaphore */
};

struct handle_info {
    _Alignas(64) _Atomic uint8_t kind; /* written last, by a release store */
    bool may_signal;                   /* the handle has the right to signal */
    int32_t maximum;                   /* of the semaphore */
    _Atomic uint32_t closes;
    _Atomic uint32_t file; /* enum file_kind, and `closes` when it was asked: handle_file_kind */
    /* Bit 0: the object was not signalled at the last look, and the system got no signal since. The
     * other bits count the signals that the system got. */
    _Atomic uint32_t word;
    struct plat_lock lock;   /* for the waiters, and for filling the record */
    _Atomic uint32_t direct; /* waiters; changed under the lock, read by any thread */
    _Atomic uint32_t armed;  /* waiters of a manual event that the pool has */
    struct plat_context *first, *last;
};

enum { INFO_EMPTY = 1, INFO_SIGNAL = 2 };

/* Kept: hooks see handles closed, so records may be kept. Private: hooks see objects signalled, so
 * objects may count as private. Set once. */
extern bool handle_info_kept, handle_info_private;

/* The handle's record. NULL: it has no place yet, or the process ends and threads that held our
 * locks are gone. */
struct handle_info *handle_info_of(HANDLE handle);

/* The same, but asks the system about a handle that has no record yet, and keeps the answer. NULL:
 * there is no place to keep it. `kind` has the answer in any case. */
struct handle_info *handle_info_learn(HANDLE handle, uint8_t *kind);

/* The handle was just made, for an object that the pool may wait for, so no thread need ask the
 * system. */
void handle_info_made(HANDLE handle);

/* The kind that handle_say_file_kind has noted for the file behind a handle since it was opened; 0:
 * none. A caller that gets 0 asks the system and notes the answer with the same `closes`: it counts
 * only if the handle was not closed meanwhile. */
uint8_t handle_file_kind(HANDLE handle, uint32_t *closes);
void handle_say_file_kind(HANDLE handle, uint32_t closes, uint8_t kind);

/* Another handle of the same object, or NULL. */
HANDLE handle_duplicate(HANDLE handle);

static inline uint8_t handle_kind(const struct handle_info *info)
{
    return info ? atomic_load_explicit(&info->kind, memory_order_acquire) : HANDLE_UNKNOWN;
}

#endif
