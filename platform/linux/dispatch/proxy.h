/* SPDX-License-Identifier: MIT
 *
 * proxy.h - a proxy stands, in one process, for an event, semaphore or mutex that processes share
 * by a name.
 *
 * The object's state is a word in a page that all these processes have mapped (shared_word.h). Each
 * process has a proxy, with a list of the waits of its own threads. A thread of the waiter's
 * process decides a wait, under the proxy's lock, after it has taken the signal from the word. That
 * thread is the waiter itself, one that signals, or the one that serves the process's bell
 * (peers.h).
 *
 *     a thread waits      it finds nothing in the word, and says in the page that its process
 *                         waits, with the proxy's lock and the word held
 *     a thread signals    with the word held it rings at the processes that have waiters, and
 *                         changes the word. Then it decides waits of its own process. Each eighth
 *                         time that others have waiters, it leaves its own process's waits to the
 *                         bell as well, so no wait lasts for ever
 *     the bell rings      its thread looks at every proxy in the buckets that were rung, and takes
 *                         the signals that are there for the first in line. For a proxy without
 *                         waiters it says so in the page, with the proxy's lock
 *
 * A manual-reset event lets all its waiters go when it is set, even if it is reset before their
 * process looks. An event that is pulsed lets its waiters go, an auto-reset event one of them. The
 * word counts both. Neither lets a wait go that begins later. So a thread that begins to wait first
 * decides the waits before its own, and leaves the waking to the bell (`owed`). It leaves waits for
 * all of several objects to the bell altogether, which takes the all-lock. Each of these has its
 * process rung by all its events, and remembers for each at which count it had its last chance
 * (`seen`). It has the next one when its process looks, at whichever of its objects: then all of
 * them are signalled, or have let it go, or the chance is over.
 *
 * The word names the process that owns a mutex. The proxy knows which thread of that process owns
 * it, and how often. If the process has died, the first process that looks takes the mutex,
 * abandoned. The kernel tells a process with waiters of the owner's end (async/shared_bell.h). If
 * only the thread has ended, its process frees the mutex.
 *
 * The proxies of a process are in buckets, under a lock that is taken before any object's. A
 * process may have two proxies for one page, *twins*: a wait keeps one whose handles were all
 * closed, and the program opens the name anew, which another process still has. A change by one
 * twin leaves waits at the other to the bell.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_PROXY_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_PROXY_H

#include <stdatomic.h>

#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object.h"

struct shared_name;
struct shared_object;
struct shared_page;
struct wait;

struct proxy {
    struct mutex mutex;       /* `signal` is 0, and less each time its owner takes it */
    struct shared_page *page; /* never changes, as the next three */
    uint64_t file;            /* the number of the page's file */
    int fd;                   /* its descriptor */
    int32_t limit;            /* of a semaphore */
    /* Under the object's lock: */
    int32_t before;      /* the value before the last change */
    uint32_t let_go;     /* of an event: how often it let waiters go, as known here */
    uint32_t hand_overs; /* changes while other processes waited */
    uint32_t watched;    /* of a mutex with waiters: the owner that the bell knows of */
    bool by_pulse;       /* offers() has found a pulse, not a signal */
    bool expected;     /* from proxy_expect until the next proxy_offers, or proxy_expect_no_more */
    bool missed;       /* the event has let its waiters go meanwhile */
    struct wait *owed; /* decided waits that the bell is to wake; with a reference */
    _Atomic bool twin; /* this process has another for the same page; under the lock of the list */
    struct shared_name *name;
    struct proxy *next, **link; /* in its bucket */
};

/* ---- For the Win32 calls ---- */

/* Makes an object of one of the shared types, with this value in the word. NULL with an error: 4,
 * 8; SHARED_NOT: as shared_name_enter. */
struct object *proxy_create(enum object_type type, uint32_t value, int32_t limit, int *error);
/* Makes a proxy for an object that another process has made; takes over the descriptor. NULL with
 * an error: 8; 1306: the object is of another version of this library, or of processes that cannot
 * be found any more. */
struct object *proxy_join(const struct shared_object *shared, int *error);
void proxy_describe(const struct object *object, struct shared_object *shared);
void proxy_named(struct object *object, struct shared_name *name);
/* The mutex's word was made with this process as the owner: makes the calling thread the owner. */
void proxy_adopt(struct object *object);

/* ---- For the bell ---- */

/* Looks at the proxies in these buckets. Fills in the numbers of other processes that own mutexes
 * which threads of this one wait for: at most `room`. Returns how many. */
unsigned proxies_look(uint64_t which, uint32_t *owners, unsigned room);

/* ---- For the dispatcher's own files; the object's lock is held but for the first two ---- */

bool proxy_ready(const struct object *object, const struct wait *wait);
static inline uint64_t proxy_order(const struct object *object)
{
    return ((const struct proxy *)object)->file;
}
bool proxy_offers(struct object *object, const struct wait *wait);
/* The same for a wait that is on the list. `let_go`: proxy_lets_go has said so. */
bool proxy_offers_waiter(struct object *object, const struct wait *wait, bool let_go);
/* The same for a wait for all, which had its last chance when the event had let waits go this
 * often. */
bool proxy_offers_since(struct object *object, const struct wait *wait, uint32_t seen);
/* A wait for all begins: this process looks each time that the event lets waits go. Returns how
 * often it has. */
uint32_t proxy_await(struct object *object);
/* How often an event has let its waiters go. */
uint32_t proxy_times(const struct object *object);
/* Whether it has since this process looked last. Asking is a look. */
bool proxy_lets_go(struct object *object);
/* A look that may miss a change which is just being made. */
static inline bool proxy_may_let_go(const struct object *object)
{
    return object_is_event(object) && proxy_times(object) != ((const struct proxy *)object)->let_go;
}
/* These waits are decided, and the bell is to wake them. It is rung. */
void proxy_owe(struct object *object, struct wait *chain);
/* The calling thread signals another object, and begins to wait for this one: a change that comes
 * of the signal is for it. The lock is held until it has asked proxy_offers. */
void proxy_expect(struct object *object);
/* Takes proxy_expect back: the other object could not be signalled, so the thread does not wait. */
void proxy_expect_no_more(struct object *object);
void proxy_keep(struct object *object);
uint32_t proxy_consume(struct object *object, const struct wait *wait);
/* As object_act, which takes an `enum object_action`. */
int proxy_act(struct object *object, int action, int32_t count, struct wait **chain);
/* The value before the last change. */
int32_t proxy_count_before(const struct object *object);
/* Frees a mutex, abandoned, whose owner, a thread of this process, has ended. */
void proxy_abandon(struct object *object, struct wait **chain);

/* In a child after fork. The child has the objects. It becomes one of the processes that share them
 * when it first waits, signals, or makes or finds such an object. */
void proxies_forget(void);
void proxy_forget(struct object *object);
extern _Atomic bool proxies_apart; /* this process is still to become one of them */
static inline bool proxies_are_apart(void)
{
    return UMS_UNLIKELY(atomic_load_explicit(&proxies_apart, memory_order_acquire));
}
/* With nothing held. False: it could not become one, and nobody would end a wait for a proxy. */
static inline bool proxies_join(void)
{
    UMS_CHECK(!plat_tls.locks, plat_tls.locks, 0);
    if (UMS_LIKELY(!proxies_are_apart()))
        return true;
    dispatch_hooks.join();
    return !proxies_are_apart();
}
/* This process is one of them now. */
void proxies_enter(void);

#endif
