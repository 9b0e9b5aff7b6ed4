/* SPDX-License-Identifier: MIT
 *
 * proxy.h - an event, semaphore or mutex that processes share by its name: what stands for it in
 * this one.
 *
 * The state is a word in a page that all of them have mapped (shared_word.h). Each process has a
 * proxy, with the waits of its own threads in a list as any object has. A wait is decided in the
 * process of its thread, under the proxy's lock, by a thread that has taken the signal from the
 * word: the waiter itself, one that signals, or the thread that serves this process's bell
 * (peers.h).
 *
 *     a thread waits      it finds nothing in the word, and says in the page that it waits, with
 *                         the proxy's lock and the word held
 *     a thread signals    with the word held it rings at the processes that have waiters, and
 *                         changes the word; then it lets go of waiters of its own process. Each
 *                         eighth time that there are others it leaves its own to the bell, too, so
 *                         nobody waits for ever
 *     the bell            every proxy in the buckets that were rung is looked at: what there is to
 *                         take is taken for the first in line. One without waiters says so in the
 *                         page, with the proxy's lock
 *
 * A manual-reset event lets go of all who wait when it is set, also if it is reset before they are
 * looked at: the word counts that. A wait that begins later is not let go by it. For that a thread
 * that begins to wait first decides the waits before its own, and leaves their waking to the bell
 * (`owed`).
 *
 * A mutex is owned by a process as far as the word says; which thread owns it, and how often, is in
 * the proxy. A mutex whose owner's process has died is taken, abandoned, by whichever process looks
 * first; one with waiters is told of the owner's end by the kernel (async/shared_bell.h). Where a
 * thread ends with a mutex its process stays, and frees it itself.
 *
 * The proxies of a process are in buckets, under a lock that is taken before any object's. It may
 * have two for one page: where a wait keeps one whose handles were all closed, and the name, which
 * another process has still, is opened anew. A change by the one leaves waits at the other to the
 * bell.
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
    int32_t before;  /* the last change's: what the value was */
    uint32_t let_go; /* of a manual-reset event: how often all were let go, as far as is known */
    uint32_t hand_overs; /* changes while others waited */
    uint32_t watched;    /* of a mutex that is waited for: the owner of whom the bell knows */
    bool by_pulse;       /* the pulse is what was found */
    bool passes;   /* this thread sets or pulses it: a wait for all is let go by that, too, even if
                  * others have changed the word by now */
    bool expected; /* from proxy_expect until the next proxy_offers, or proxy_expect_no_more */
    bool missed;   /* all who wait were let go meanwhile */
    struct wait *owed; /* decided, to be woken by the bell, with a reference */
    _Atomic bool twin; /* this process has another for the same page; under the lock of the list */
    struct shared_name *name;
    struct proxy *next, **link; /* in its bucket */
};

/* ---- For the Win32 calls ---- */

/* One of these types, with this value in the word. NULL with an error: 4, 8; SHARED_NOT: as
 * shared_name_enter. */
struct object *proxy_create(enum object_type type, uint32_t value, int32_t limit, int *error);
/* For what another process has made; takes over the descriptor. NULL with an error: 6, it is of
 * another kind; 4 or 8; 1306, it is of processes that cannot be found any more. */
struct object *proxy_join(const struct shared_object *shared, int *error);
void proxy_describe(const struct object *object, struct shared_object *shared);
void proxy_named(struct object *object, struct shared_name *name);
/* The mutex's word was made with this process as the owner: the calling thread is it. */
void proxy_adopt(struct object *object);

/* ---- For the bell ---- */

/* Looks at these buckets. The numbers of other processes that own mutexes which are waited for
 * here: how many, at most so many. */
unsigned proxies_look(uint64_t which, uint32_t *owners, unsigned room);

/* ---- For the dispatcher's own files; the object's lock is held but for the first two ---- */

bool proxy_ready(const struct object *object, const struct wait *wait);
static inline uint64_t proxy_order(const struct object *object)
{
    return ((const struct proxy *)object)->file;
}
bool proxy_offers(struct object *object, const struct wait *wait);
/* The same for a wait that is on the list: a pulse is for it, too. */
bool proxy_offers_waiter(struct object *object, const struct wait *wait);
/* Whether all who wait were let go, and this process has not looked since. Asking is a look. */
bool proxy_lets_go(struct object *object);
/* Where waits are put that are decided, and that the bell is to wake. It is rung. */
struct wait **proxy_owed(struct object *object);
/* The calling thread signals another object, and begins to wait for this one: a change that comes
 * of the signal is for it. The lock is held until it has asked proxy_offers. */
void proxy_expect(struct object *object);
/* The signal has failed: the thread waits for nothing. */
void proxy_expect_no_more(struct object *object);
void proxy_keep(struct object *object);
uint32_t proxy_consume(struct object *object, const struct wait *wait);
/* As object_act, which takes an `enum object_action`. */
int proxy_act(struct object *object, int action, int32_t count, struct wait **chain);
/* What the value was before the last change. */
int32_t proxy_count_before(const struct object *object);
/* A mutex whose owner, a thread of this process, has ended. */
void proxy_abandon(struct object *object, struct wait **chain);

/* In a child after fork. It has the objects, and becomes one of the processes that share them when
 * it first waits, signals, or makes or finds such an object. */
void proxies_forget(void);
void proxy_forget(struct object *object);
extern _Atomic bool proxies_apart;    /* that is still to be done */
static inline void proxies_join(void) /* with nothing held */
{
    UMS_CHECK(!plat_tls.locks, plat_tls.locks, 0);
    if (UMS_UNLIKELY(atomic_load_explicit(&proxies_apart, memory_order_acquire)))
        dispatch_hooks.join();
}
/* It is one of them now. */
void proxies_enter(void);

#endif
