/* SPDX-License-Identifier: MIT
 *
 * object.h - dispatcher objects: their parts, and how long they live.
 *
 * An object has a type, a signal state and a list of wait blocks, and a lock over these and its
 * counts. A thread that signals the object decides, under that lock, which waits are satisfied. It
 * wakes the waiters after it has released the lock. waiters.h has the protocol, docs/dispatcher.md
 * the reasons.
 *
 * Life: references are counted under the object's lock; each handle and each wait block has one. A
 * named object loses its name with its last handle. The memory stays an object's for good
 * (object_store.h).
 *
 * `signal` of an event or timer is 0 or 1, that of a semaphore its count. That of a mutex is 1 when
 * the mutex is free, and one less each time its owner takes it. That of a thread is 1 when the
 * thread has ended. That of a proxy is never above 0.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_OBJECT_H

#include "platform/check.h"
#include "platform/linux/plat_types.h"

enum object_type {
    OBJECT_AUTO_EVENT,
    OBJECT_MANUAL_EVENT,
    OBJECT_SEMAPHORE,
    OBJECT_MUTEX,
    OBJECT_AUTO_TIMER,
    OBJECT_MANUAL_TIMER,
    OBJECT_THREAD,
    OBJECT_PROCESS,
    OBJECT_FILE,
    OBJECT_PORT,
    /* The next four are proxies for objects that processes share: proxy.h. */
    OBJECT_SHARED_AUTO_EVENT,
    OBJECT_SHARED_MANUAL_EVENT,
    OBJECT_SHARED_SEMAPHORE,
    OBJECT_SHARED_MUTEX,
    OBJECT_CHILD, /* a process of CreateProcess's or OpenProcess's */
    OBJECT_JOB,
    OBJECT_CHANGES, /* of a folder: FindFirstChangeNotification; or a file has it, without handle */
    /* No thread may wait for one of these. */
    OBJECT_SECTION,  /* of CreateFileMapping */
    OBJECT_SEARCH,   /* of FindFirstFile */
    OBJECT_SNAPSHOT, /* of CreateToolhelp32Snapshot */
    OBJECT_TOKEN,    /* of OpenProcessToken */
    OBJECT_LINK,     /* of two ends of a named pipe; it has no handle */
    OBJECT_LOCKING,  /* a wait of LockFileEx's; it has no handle */
};

/* Types for which `signal` alone does not say whether a wait is satisfied. */
enum {
    PROXY_TYPES = 1 << OBJECT_SHARED_AUTO_EVENT | 1 << OBJECT_SHARED_MANUAL_EVENT |
                  1 << OBJECT_SHARED_SEMAPHORE | 1 << OBJECT_SHARED_MUTEX,
    OWNED_TYPES = 1 << OBJECT_MUTEX | PROXY_TYPES
};

struct wait_block;
struct object_name;

struct object { /* the lock covers all but what never changes */
    PLAT_LOCK(OBJECT) lock;
    uint8_t type;
    uint8_t units;      /* object_store.c */
    bool stable;        /* its memory never becomes another kind of object: a list's event */
    uint8_t seat_index; /* the object's index in the wait that its seat is for */
    int32_t signal;
    uint32_t refs, handles;
    /* The number of waits on the list that are for all of several objects. Also under the
     * all-lock. */
    uint32_t all_waits;
    struct wait_block *first, *last;
    struct sitter *seat; /* of a thread that waits for any of several: seat.h. Looked at first */
    uint64_t seat_number;
    union {
        struct object_name *name;  /* set before the first handle is known */
        struct object *next_batch; /* in the store (stock.h) */
    };
    void (*closed)(struct object *); /* called after the last handle is closed; or NULL */
    /* Called at once when nothing refers to the object any more, on any thread; uses no heap; or
     * NULL. */
    void (*let_go)(struct object *);
    void (*destroy)(struct object *); /* called before the memory is freed; or NULL */
    struct object *next_free;         /* in the store, or among the dead */
};
_Static_assert(sizeof(struct object) <= 128, "an event is two cache lines");

struct mutex {
    struct object object;
    struct plat_thread *owner;
    /* Changed by the owner itself, or by the thread that gives it the mutex while it waits. */
    struct mutex *next_owned, *previous_owned;
    bool abandoned;
    bool orphan; /* closed by another thread while it was owned: the owner has the last reference */
};

static inline bool object_is_proxy(const struct object *object)
{
    return PROXY_TYPES >> object->type & 1;
}

static inline bool object_is_event(const struct object *object)
{
    return object->type == OBJECT_AUTO_EVENT || object->type == OBJECT_MANUAL_EVENT ||
           object->type == OBJECT_SHARED_AUTO_EVENT || object->type == OBJECT_SHARED_MANUAL_EVENT;
}

static inline bool object_is_mutex(const struct object *object)
{
    return object->type == OBJECT_MUTEX || object->type == OBJECT_SHARED_MUTEX;
}

struct semaphore {
    struct object object;
    int32_t limit;
};

/* ---- Life ---- */

/* A new object with one reference and signal 0, or NULL. `bytes`: of the type that embeds it. */
void *object_create(enum object_type type, size_t bytes);
/* Makes a mutex: free, or owned by `owner`, the calling thread. */
struct object *mutex_create(struct plat_thread *owner);
void object_hold(struct object *object);
void object_drop(struct object *object);

/* ---- For the dispatcher's own files ---- */

void object_unref_last(struct object *object);
/* Frees an object that nothing refers to any more. */
__attribute__((noinline)) void object_free(struct object *object);

/* Releases the lock of an object that the caller has found alive; frees it if no reference is
 * left. */
static inline void object_unlock(struct object *object)
{
    bool last = object->refs == 0;
    plat_unlock_lasting(&object->lock);
    if (UMS_UNLIKELY(last))
        object_free(object);
}

/* The next three need the object's lock. Gives back one reference; after the last one object_unlock
 * frees the object. */
static inline void object_unref(struct object *object)
{
    if (UMS_LIKELY(object->refs > 1))
        object->refs--;
    else
        object_unref_last(object);
}
void mutex_take(struct mutex *mutex, struct plat_thread *owner);
void mutex_disown(struct mutex *mutex);

/* With the object's lock: the caller took an event's signal. If the event is a completion list's,
 * this is a fence between that and the caller's look at the list. A thread that pushes to the list
 * looks at the signal after its push (event.c). */
static inline void event_taken(const struct object *event)
{
    if (UMS_UNLIKELY(event->stable))
        atomic_thread_fence(memory_order_seq_cst);
}

/* A completion list's event: `object` is stable. */
struct list_event {
    struct object object;
    uint64_t life; /* no other event ever had this number; also under the lock */
};

/* Makes an auto-reset event whose memory never becomes anything else; NULL: no memory. */
struct list_event *object_list_event(void);

#endif
