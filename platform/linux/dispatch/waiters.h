/* SPDX-License-Identifier: MIT
 *
 * waiters.h - waits, and how they are decided. For the dispatcher's own files. docs/dispatcher.md
 * says why.
 *
 * A wait lies on the stack of the waiter. It is decided once. The thread that decides it wakes the
 * waiter, after releasing every lock, and does not touch the wait after that. Each kind is decided
 * in its own way:
 *
 *   for one object    decided under that object's lock
 *   at an address     under the lock of the address's bucket
 *   for time alone    under the lock of the thread, which is an object, too
 *   for all of many   under the all-lock
 *   for any of many   by a claim: the first thread to set a bit in the waiter's sitter (seat.h).
 *                     Entries in lists stay until the waiter takes them off, so no thread needs
 *                     two objects' locks
 *
 * A worker that waits in one of the first four ways keeps that one lock until it has left its stack
 * and is marked blocked: then the scheduler releases the lock. So the thread that decides the wait
 * finds a worker that can be queued, and the two need no word to agree by. For any of many there is
 * such a word: the scheduler sets SEAT_PARKED, the decider sets SEAT_OPEN, and the second of the
 * two sees the first.
 *
 * Order of locks: the all-lock, the names', one object's or one bucket's. Only a holder of the
 * all-lock may hold several objects' locks; any thread may try a lock, which is no wait. Below
 * them, leaves: a thread's own_lock, the table of handles', the store's, the timers'.
 *
 * The all-lock is for objects that a thread waits for together with others, all of them
 * (`all_waits`). A thread that changes the signal of such an object takes the all-lock first.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITERS_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_WAITERS_H

#include "platform/chain.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/thread_object.h"

struct wait_block {
    struct object *object;
    struct wait *wait;
    struct wait_block *next, *previous;
    uint32_t seen; /* of a wait for all, at a proxy: proxy_times, when it last had its chance */
    uint32_t now;  /* the same, when it has the chance that it is having */
};

/* How to wake a thread that waits. It waits in the futex unless its word says otherwise. */
enum wait_go {
    GO_NOT = 0,
    GO = 1,
    GO_AWAKE = 2, /* it looks again before it sleeps: no thread has to wake it */
    GO_BY = 3     /* or more: eight bytes written to the descriptor `word - GO_BY` wake it */
};

struct wait {
    struct plat_context *worker; /* the waiter, if a worker */
    _Atomic uint32_t go;         /* futex: enum wait_go, of a thread that waits */
    struct sitter *sitter;       /* for any of many: its word decides the wait */
    struct wait_block *blocks;
    struct plat_thread *thread;   /* the waiter; NULL: none (watch.h) */
    struct wait *to_open;         /* the next wait of a chain that one thread has decided */
    const volatile void *address; /* waited for instead of objects */
    void *why; /* with an address: still() or queued(); tools find the call by it */
    struct wait *next_at, *previous_at; /* waits for addresses in the same bucket */
    /* A wait without a thread (watch.h): this is called instead of waking one, on any thread, with
     * no lock held. */
    void (*notify)(struct wait *);
    uint32_t result;
    uint8_t count; /* blocks on lists */
    bool all;      /* for all of many */
    bool any;  /* for any of many: a block that names the wait is on a list, another has the seat */
    bool left; /* for any: the worker had left its stack when it was decided */
    bool alertable, decided;
    bool packets; /* it is for a port's packets: port.c */
    bool timed;   /* the timer was set */
    struct plat_timer timer;
    _Atomic uint32_t timer_done; /* futex: the timer came too late, and reads the wait no more */
};

/* What waits_at of a thread holds: 0, the address of an object, of a bucket with this bit, or one
 * of these. */
enum { WAITS_AT_BUCKET = 1, WAITS_FOR_TIME = 2, WAITS_FOR_ANY = 4 };

void wait_init(struct wait *wait, struct wait_block *blocks, struct plat_thread *self);
/* The lock that the wait is decided under; none for any of many. */
struct plat_lock *wait_lock(const struct wait *wait);

/* Whether the wait could be satisfied now. Without the object's lock it is a guess. */
__attribute__((noinline)) bool object_ready_more(const struct object *object,
                                                 const struct wait *wait); /* of OWNED_TYPES */
static inline bool object_ready(const struct object *object, const struct wait *wait)
{
    return object->signal > 0 ||
           (UMS_UNLIKELY(OWNED_TYPES >> object->type & 1) && object_ready_more(object, wait));
}

/* ---- With the object's lock ---- */

/* The same, for certain. True: the caller calls object_consume, or object_keep to take nothing,
 * before it releases the lock, and takes no other lock before that. False, and the object is a
 * proxy: a change that another process makes from here on leads to object_release_shared. */
bool object_offers_more(struct object *object, struct wait *wait); /* of OWNED_TYPES */
static inline bool object_offers(struct object *object, struct wait *wait)
{
    return object->signal > 0 ||
           (UMS_UNLIKELY(OWNED_TYPES >> object->type & 1) && object_offers_more(object, wait));
}
/* The calling thread signals another object, and begins to wait for this one, a proxy: a change
 * that comes of the signal is for it. The lock is held until object_offers was asked. */
void object_expect(struct object *object);
/* After object_offers: the caller takes nothing. */
static inline void object_keep(struct object *object)
{
    if (UMS_UNLIKELY(object_is_proxy(object)))
        proxy_keep(object);
}
/* object_offers for a wait for all of these objects. `first` is the address of the first of `count`
 * pointers to them, which lie `apart` bytes apart. Under the all-lock, with the objects' locks. */
bool objects_offer(const void *first, size_t apart, unsigned count, struct wait *wait);
/* The same for a wait that begins. First it decides the waits that a set event has let go: the new
 * wait is not one of them. */
bool objects_offer_all(struct object *const *objects, unsigned count, struct wait *wait);
/* Decides a wait for all, if all are ready. Under the all-lock, with the locks of `held` and
 * all_beside. Takes the locks of the other objects for a moment. */
void wait_satisfy_all(struct wait *wait, struct object *held, struct wait **chain);
/* Takes the signal. Returns what to add to the result: 0, WAITED_ABANDONED or WAITED_DENIED. */
uint32_t object_consume(struct object *object, struct wait *wait);
/* Takes the block off the object's list. */
void wait_block_remove(struct wait_block *block);
/* Puts the block, or the next block, of the wait on the object's list. */
void wait_enqueue_block(struct wait_block *block, struct wait *wait, struct object *object);
void wait_enqueue(struct wait *wait, struct object *object);
/* The same for a wait for one object. */
static inline void wait_enqueue_only(struct wait *wait, struct object *object)
{
    struct wait_block *block = wait->blocks;
    *block = (struct wait_block){.object = object, .wait = wait};
    CHAIN_APPEND(object, block, next, previous);
    object->refs++;
    wait->count = 1;
    if (wait->thread)
        atomic_store_explicit(&wait->thread->waits_at, (uintptr_t)object, memory_order_release);
}
/* Decides each wait that the object's signal satisfies, and adds it to the chain. pre: the
 * all-lock, if there are all_waits. */
void object_release_waiters(struct object *object, struct wait **chain);
/* The same for a proxy. */
void object_release_shared(struct object *object, struct wait **chain);

/* ---- Deciding ---- */

/* With the wait's lock. Takes the wait off its lists, sets its result, and adds it to the chain. */
void wait_decide(struct wait *wait, uint32_t result, struct wait **chain);
/* The same by the waiter itself, which does not wait yet: there is no thread to wake. */
void wait_take_back(struct wait *wait, uint32_t result);
/* For any of many. True: the caller has decided the wait, and sets the result. */
bool wait_claim(struct wait *wait);
void wait_set_result(struct wait *wait, uint32_t result);
/* The same, and adds the wait to the chain. */
void wait_set_result_in(struct wait *wait, uint32_t result, struct wait **chain);
/* Takes off their lists the blocks that are still there. On the waiter, or on a thread that clears
 * up after it. */
void wait_leave_lists(struct wait *wait);
/* Wakes the waiters of a chain of decided waits. On any thread, with no lock held. */
void waits_open(struct wait *chain);

/* Between wakes_hold and wakes_release this thread's waits_open lets waiters go without waking
 * them; wakes_release wakes each once. The caller waits for no other thread in between. */
struct held_wakes {
    unsigned count;
    struct {
        _Atomic uint32_t *word;
        uint32_t was;
    } threads[4];
};
void wakes_hold(struct held_wakes *held);
void wakes_release(struct held_wakes *held);

/* ---- Locks ---- */

extern PLAT_LOCK(ALL) all_lock;
/* Under the all-lock: a second object that its holder has locked (SignalObjectAndWait); or NULL. */
extern struct object *all_beside;

/* ---- Addresses ---- */

struct bucket {
    _Alignas(64) PLAT_LOCK(OBJECT) lock;
    struct wait *first, *last;
};
enum { BUCKET_BITS = 11, BUCKETS = 1 << BUCKET_BITS };
/* All bits of the address count: each thread's first allocation lies at the same place of a heap of
 * its own, which libc aligns to 64 megabytes. */
static inline unsigned bucket_number(const volatile void *address)
{
    uint64_t mixed = (uint64_t)((uintptr_t)address >> 3) * 0x9e3779b97f4a7c15u;
    return (unsigned)(mixed >> (64 - BUCKET_BITS));
}
struct bucket *bucket_of(const volatile void *address);
/* With the bucket's lock: puts the wait at the end. */
void address_enqueue(struct wait *wait, struct bucket *bucket, const volatile void *address);
/* With the bucket's lock: takes the wait out. */
void address_remove(struct wait *wait);
void buckets_forget(void);

void waiters_forget(void); /* in a child after fork */

#endif
