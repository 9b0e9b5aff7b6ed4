/* SPDX-License-Identifier: MIT
 *
 * ready_set.c - see ready_set.h.
 *
 * A server's threads take the ends of their calls from a port. While they do so no thread has to be
 * woken for data that comes in: a thread that finds its port empty looks at the set itself, makes
 * the calls, and so has packets. Only when all of them sleep another thread has to look: ums:ready.
 *
 * ums:ready sleeps in a second set, which has the first one in it, for one event (EPOLLONESHOT). A
 * thread that looked in vain and is about to sleep *arms* the second set. The kernel then looks at
 * the first one, and tells at once of events that have come before.
 *
 *     not armed -> armed    by the thread that changes `armed`, which then tells the kernel
 *     armed -> not armed    by ums:ready, which has the event, before it looks
 *
 * While the second set is not armed, ums:ready checks after each GLANCE_MS whether one of the
 * threads has looked since. If none has, it looks itself: the threads may compute, or have ended.
 * When it looks in vain it arms the set. So on a busy machine it helps threads that wait for a
 * processor. With four milliseconds in place of one, a server under load served a tenth fewer
 * requests.
 *
 * A thread that finds the set armed may be too late, for the event may have come already. So it
 * sets `dry` before it looks at `armed`, and ums:ready, which finds nothing then, looks at `dry`
 * last.
 *
 * The kernel tells each event once (EPOLLET), to the thread that fetches. If no call stands then,
 * that thread notes the event in the watch, and the next call that would stand is tried once more.
 * A thread holds the lock `fetching` from fetching an event to its effect on the watch. A thread
 * that takes a file out of the set waits for that lock, so no event names a watch that is gone.
 */
#include "platform/linux/async/ready_set.h"

#include <sys/epoll.h>

#include "platform/linux/async/async.h"
#include "platform/linux/calls/broker_once.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/object.h"
#include "platform/linux/dispatch/port.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

enum { STACK_BYTES = 128 << 10, EVENTS = 64, GLANCE_MS = 1, REFUSED_FOR = 1000000000 /* ns */ };

static struct broker_once once;
static int set = -1, outer_set = -1; /* written before `once` is done */
static PLAT_LOCK(HELPERS) fetching;
static _Atomic uint32_t looks; /* changes when one of the program's threads looks; the number does
                                * not matter */
static _Atomic bool armed, dry;
static _Atomic uint64_t refused_until; /* the set could not be made before, as when descriptors were
                                        * short */

/* ---- Fetching -------------------------------------------------------------------------------- */

/* Takes the call that stood there. NULL: none stood, and the watch has noted the event. */
static struct async_call *call_of(struct ready_watch *watch)
{
    uintptr_t state = atomic_load_explicit(&watch->state, memory_order_relaxed);
    while (state != READY_EDGE &&
           !atomic_compare_exchange_weak_explicit(&watch->state, &state,
                                                  state == READY_NONE ? READY_EDGE : READY_NONE,
                                                  memory_order_acq_rel, memory_order_relaxed))
        continue;
    return state == READY_EDGE ? NULL : (struct async_call *)state;
}

/* With the lock. Returns how many calls the caller now owns. */
static unsigned fetch(struct async_call **calls)
{
    struct epoll_event events[EVENTS];
    unsigned count = 0;
    long n = RAW6(SYS_epoll_pwait, set, events, EVENTS, 0, 0, 8);
    for (long i = 0; i < n; i++) {
        struct async_call *call = call_of(events[i].data.ptr);
        if (call)
            calls[count++] = call;
    }
    return count;
}

static bool make_all(struct async_call **calls, unsigned count)
{
    struct object *ends[EVENTS];
    if (!count)
        return false;
    atomic_fetch_sub_explicit(&port_calls_standing, count, memory_order_relaxed);
    for (unsigned i = 0; i < count; i++)
        ends[i] = calls[i]->ready(calls[i]);
    for (unsigned i = 0; i < count; i++) /* to drop the last reference may close a file, which may
                                          * wait */
        if (ends[i])
            object_drop(ends[i]);
    return true;
}

static void arm(void)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
    if (!atomic_exchange_explicit(&armed, true, memory_order_seq_cst))
        RAW4(SYS_epoll_ctl, outer_set, EPOLL_CTL_MOD, set, &event);
}

/* While another thread fetches, this one finds no call. Events that the other thread leaves in the
 * set are told once the set is armed. */
bool ready_look(bool sleeps)
{
    struct async_call *calls[EVENTS];
    unsigned count = 0;
    if (!atomic_load_explicit(&port_calls_standing, memory_order_relaxed))
        return false;
    atomic_store_explicit(&looks, atomic_load_explicit(&looks, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (plat_trylock(&fetching)) {
        count = fetch(calls);
        plat_unlock(&fetching);
    }
    if (make_all(calls, count))
        return true;
    if (sleeps) {
        atomic_store_explicit(&dry, true, memory_order_seq_cst);
        arm();
    }
    return false;
}

/* ---- ums:ready ------------------------------------------------------------------------------- */

static bool look_for_all(void)
{
    struct async_call *calls[EVENTS];
    unsigned all = 0, count;
    do {
        plat_lock(&fetching);
        count = fetch(calls);
        plat_unlock(&fetching);
        all += make_all(calls, count);
    } while (count == EVENTS);
    return all;
}

static void *ready_main(void *unused)
{
    uint32_t seen = 0;
    kthread_name("ums:ready");
    (void)unused;
    affinity_reset(); /* the broker that makes this thread may be bound to its lane's processor */
    for (;;) {
        struct epoll_event event;
        bool sleeps = atomic_load_explicit(&armed, memory_order_seq_cst);
        bool told = RAW6(SYS_epoll_pwait, outer_set, &event, 1, sleeps ? -1 : GLANCE_MS, 0, 8) == 1;
        uint32_t now = atomic_load_explicit(&looks, memory_order_relaxed);
        if (told)
            atomic_store_explicit(&armed, false, memory_order_seq_cst);
        bool came = (told || now == seen) && look_for_all();
        bool slept =
            told ? atomic_exchange_explicit(&dry, false, memory_order_seq_cst) : now == seen;
        if (slept && !came)
            arm();
        seen = now;
    }
    return NULL;
}

/* On a broker thread: no filter stops its calls. A worker that waits for it has left its
 * scheduler. */
static bool create(void)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
    if (set < 0)
        set = fd_move_high((int)RAW1(SYS_epoll_create1, EPOLL_CLOEXEC));
    if (outer_set < 0)
        outer_set = fd_move_high((int)RAW1(SYS_epoll_create1, EPOLL_CLOEXEC));
    if (set < 0 || outer_set < 0 || RAW6(SYS_epoll_pwait, set, &event, 1, 0, 0, 8) ||
        RAW4(SYS_epoll_ctl, outer_set, EPOLL_CTL_ADD, set, &event))
        return false;
    atomic_store_explicit(&armed, true, memory_order_relaxed);
    return !bare_thread_create(STACK_BYTES, ready_main, NULL);
}

bool ready_start(void)
{
    if (UMS_LIKELY(broker_once_done(&once)))
        return true;
    if (plat_now() < atomic_load_explicit(&refused_until, memory_order_relaxed))
        return false;
    bool there = !dispatch_hooks.start() && broker_once(&once, create);
    if (!there)
        atomic_store_explicit(&refused_until, plat_now() + REFUSED_FOR, memory_order_relaxed);
    return there;
}

/* ---- Watches --------------------------------------------------------------------------------- */

enum ready_answer ready_stand(struct ready_watch *watch, struct async_call *call)
{
    uintptr_t none = READY_NONE;
    if (!watch->in_set) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = watch};
        if (RAW4(SYS_epoll_ctl, set, EPOLL_CTL_ADD, call->fd, &event))
            return READY_CANNOT;
        watch->in_set = true;
    }
    atomic_fetch_add_explicit(&port_calls_standing, 1, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&watch->state, &none, (uintptr_t)call,
                                                memory_order_release, memory_order_relaxed))
        return READY_STANDS;
    atomic_fetch_sub_explicit(&port_calls_standing, 1, memory_order_relaxed);
    atomic_store_explicit(&watch->state, READY_NONE, memory_order_relaxed);
    return READY_AGAIN;
}

bool ready_take_back(struct ready_watch *watch, struct async_call *call)
{
    uintptr_t stands = (uintptr_t)call;
    bool ours = atomic_compare_exchange_strong_explicit(&watch->state, &stands, READY_NONE,
                                                        memory_order_acquire, memory_order_relaxed);
    if (ours)
        atomic_fetch_sub_explicit(&port_calls_standing, 1, memory_order_relaxed);
    return ours;
}

void ready_end(struct ready_watch *watch, int fd)
{
    RAW4(SYS_epoll_ctl, set, EPOLL_CTL_DEL, fd, 0);
    plat_lock(&fetching);
    plat_unlock(&fetching);
    watch->in_set = false;
    atomic_store_explicit(&watch->state, READY_NONE, memory_order_relaxed);
}

void ready_forget(void)
{
    if (outer_set >= 0)
        own_file_close(outer_set);
    if (set >= 0)
        own_file_close(set);
    set = outer_set = -1;
    plat_lock_forget(&fetching);
    atomic_store_explicit(&port_calls_standing, 0, memory_order_relaxed);
    atomic_store_explicit(&armed, false, memory_order_relaxed);
    atomic_store_explicit(&refused_until, 0, memory_order_relaxed);
    broker_once_forget(&once);
}
