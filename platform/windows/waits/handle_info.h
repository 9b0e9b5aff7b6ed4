/* SPDX-License-Identifier: MIT
 *
 * handle_info.h - what is known of the objects behind this process's handles: what may satisfy a
 * wait.
 *
 * A record is made when a worker first waits on a handle, and lasts until the handle is closed.
 * There is a place for one for each handle value, in blocks that are never given back: so a look
 * takes no lock, and at worst finds a record that is out of date.
 *
 * An event or semaphore is private when it has no name and this process one handle of it: then it
 * is signalled in this process, through hooks (direct_signal.h). It ceases to be private for good
 * when the handle is duplicated or given to a file operation. A signal from elsewhere (a driver
 * that got the handle in a buffer, another process that duplicates it from outside) is noticed a
 * little later.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_HANDLE_INFO_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_HANDLE_INFO_H

#include "platform/windows/engine.h"

enum handle_kind {
    HANDLE_UNKNOWN,   /* nothing known */
    HANDLE_OWNED,     /* whoever waits becomes its owner: a mutex */
    HANDLE_OTHER,     /* the pool may wait in another's place */
    HANDLE_AUTO,      /* these are private: an event that a wait resets, */
    HANDLE_MANUAL,    /* one that it does not, */
    HANDLE_SEMAPHORE, /* a semaphore */
};

struct handle_info {
    _Alignas(64) _Atomic uint8_t kind; /* released last */
    bool may_signal;                   /* the handle has the right */
    int32_t maximum;                   /* of the semaphore */
    _Atomic uint32_t closes;
    _Atomic uint32_t file; /* enum file_kind, and of which closes: handle_file_kind */
    /* Bit 0: when it was last looked at it was not signalled, and no signal has gone to the system
     * since. The rest counts those signals. */
    _Atomic uint32_t word;
    struct plat_lock lock;   /* for the waiters, and for becoming known */
    _Atomic uint32_t direct; /* waiters; changes under the lock, read by anyone */
    _Atomic uint32_t armed;  /* those that the pool has, of a manual event */
    struct plat_context *first, *last;
};

enum { INFO_EMPTY = 1, INFO_SIGNAL = 2 };

/* Hooks see handles closed and objects signalled: records may be kept, private ones made. Set
 * once. */
extern bool handle_info_kept, handle_info_private;

/* NULL: there is no place for one (yet), or the process ends and the threads that held our locks
 * are gone. */
struct handle_info *handle_info_of(HANDLE handle);

/* The same, but asks the system about a handle that has no record yet, and keeps the answer. NULL:
 * there is no place to keep it. `kind` has the answer in any case. */
struct handle_info *handle_info_learn(HANDLE handle, uint8_t *kind);

/* It was just made, for an object that the pool may wait for: nobody need ask the system. */
void handle_info_made(HANDLE handle);

/* What was said of the file behind a handle, since it was opened; 0: nothing. Closes are read
 * before the system is asked, and what is told then is said of that opening. */
uint8_t handle_file_kind(HANDLE handle, uint32_t *closes);
void handle_say_file_kind(HANDLE handle, uint32_t closes, uint8_t kind);

/* Another handle of the same object, NULL if there can be none. */
HANDLE handle_duplicate(HANDLE handle);

static inline uint8_t handle_kind(const struct handle_info *info)
{
    return info ? atomic_load_explicit(&info->kind, memory_order_acquire) : HANDLE_UNKNOWN;
}

#endif
