/* SPDX-License-Identifier: MIT
 *
 * thread_pool.h - objects of the thread pool with a callback, for its Win32 calls.
 */
#ifndef UMSSHIM_WINAPI_LINUX_THREAD_POOL_H
#define UMSSHIM_WINAPI_LINUX_THREAD_POOL_H

#include "platform/linux/pool/pool.h"
#include "winapi/linux/surface.h"

/* A PTP_WORK, PTP_TIMER, PTP_WAIT or PTP_IO points to one. A simple callback has one, too. */
struct tp_object {
    union { /* each begins with the item */
        struct pool_item item;
        struct pool_timer timer;
        struct pool_wait wait;
    };
    union {
        PTP_WORK_CALLBACK work;
        PTP_TIMER_CALLBACK timer;
        PTP_WAIT_CALLBACK wait;
        PTP_SIMPLE_CALLBACK simple;
        PTP_WIN32_IO_CALLBACK io;
        LPTHREAD_START_ROUTINE plain;
    } fn;
    PVOID context;
    PTP_CLEANUP_GROUP_CANCEL_CALLBACK cancelled;
    bool runs_long;
    _Atomic bool set; /* a timer that is set */
};

/* Calls the object's callback with an instance, and then does what the callback asked for by it. */
typedef void tp_callback(struct tp_object *object, PTP_CALLBACK_INSTANCE instance,
                         const struct pool_call *call);
void win__tp_call(struct pool_item *item, struct pool_call *call, tp_callback *fn);

/* Makes an object in the environment's pool and group; `init` is that of its kind. NULL with the
 * last error: no function, an unknown version of the environment, no memory. */
typedef int tp_init(struct tp_object *object, struct pool *pool, struct pool_group *group);
struct tp_object *win__tp_create(bool has_function, PVOID context,
                                 const TP_CALLBACK_ENVIRON *environ, tp_init *init,
                                 void (*run)(struct pool_item *, struct pool_call *));
/* The same for a type that begins with a tp_object. */
struct tp_object *win__tp_create_sized(size_t bytes, bool has_function, PVOID context,
                                       const TP_CALLBACK_ENVIRON *environ, tp_init *init,
                                       void (*run)(struct pool_item *, struct pool_call *));
void win__tp_wait(struct tp_object *object, BOOL cancel);

/* Deletes an item as the older calls do. `event`: NULL: return at once; INVALID_HANDLE_VALUE: wait
 * until its callbacks are over; else an event to signal then. */
BOOL win__pool_delete(struct pool_item *item, HANDLE event);
/* The event, with a reference; NULL for the other two values. 0 or ERROR_INVALID_HANDLE. */
int win__completion_event(HANDLE handle, struct object **event);
/* An object for which the pool can wait, with a reference. 0; ERROR_INVALID_HANDLE;
 * ERROR_INVALID_PARAMETER: a mutex, as no thread would own it. */
int win__pool_object(HANDLE handle, struct object **object);

static inline uint64_t win__file_time_due(const FILETIME *time)
{
    return win__due((int64_t)((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime));
}

#endif
