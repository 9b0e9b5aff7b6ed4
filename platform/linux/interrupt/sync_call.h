/* SPDX-License-Identifier: MIT
 *
 * sync_call.h - a synchronous call of Windows' that another thread may end: CancelSynchronousIo.
 *
 * The thread that makes the call says so in `sync_call` of its thread object:
 *
 *     SYNC_NONE    it makes no such call
 *     SYNC_MAKES   it makes one. A thread that asks it to end writes SYNC_ASKED, once
 *     SYNC_ASKED   the call is to end soon. The thread is nudged until it does
 *
 * The thread itself writes SYNC_NONE when the call is over, so no later call is ever hit. It also
 * decides: it makes a system call that was interrupted again, unless the call is asked to end
 * (sync_call_again). A system call that has moved data was not interrupted, and counts.
 *
 * The call has references to objects, mostly to a file. If the thread is ended in the call, they
 * are given back at the thread's end (sync_call_died). Else the file would stay open. The thread
 * notes them in `sync_kept`, those of its outer calls first. An entry that is not NULL is a
 * reference, and none is behind a NULL. So a handler may come, and its thread may end, between any
 * two of these functions' instructions. A reference for which there is no room is lost with its
 * thread.
 *
 * The asking thread wakes a wait at an address. It ends a worker's system call by call_cancel, any
 * other thread's by the stop signal, whose handler keeps the kernel from making the call again
 * (sync_call_leave). Each may come at the wrong moment, and does nothing then: a worker's call goes
 * on, and the nudge comes again.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_SYNC_CALL_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_SYNC_CALL_H

#include <errno.h>
#include <ucontext.h>

#include "platform/linux/dispatch/thread_object.h"

/* The thread's outer call, if a handler on top of it makes this one; SYNC_NONE: there is none. `at`
 * is restored in any case: the handler may have come between two instructions of
 * sync_call_begin_at. */
struct sync_call {
    uintptr_t at;
    uint32_t call;
    uint32_t kept; /* how many objects were noted before this call's */
};

/* The outer call goes on. It may have been asked to end before. */
void sync_call_go_on(struct plat_thread *self, const struct sync_call *outer);

static inline uint32_t sync_call_keeps(const struct plat_thread *self)
{
    uint32_t count = 0;
    while (count < SYNC_KEPT && self->stopping.sync_kept[count])
        count++;
    return count;
}

/* Within a call: the calling thread has a reference to this object, too, until the call is over. */
static inline void sync_call_keep(struct object *kept)
{
    struct plat_thread *self = plat_tls.thread;
    uint32_t count = self ? sync_call_keeps(self) : SYNC_KEPT;
    if (UMS_LIKELY(count < SYNC_KEPT))
        self->stopping.sync_kept[count] = kept;
}

/* Begins a call's wait: in system calls, or at this address. `kept`: the object to which the
 * calling thread has a reference until the call is over; or NULL. As little else as possible lies
 * between begin and end. A call that waits several times begins once: a request that comes between
 * two waits counts for the next one. */
static inline struct sync_call sync_call_begin_at(const volatile void *address, struct object *kept)
{
    struct sync_call outer = {0, SYNC_NONE, 0};
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        return outer;
    outer.at = atomic_load_explicit(&self->stopping.sync_at, memory_order_relaxed);
    if (UMS_UNLIKELY(atomic_load_explicit(&self->stopping.sync_call, memory_order_relaxed)))
        outer.call =
            atomic_exchange_explicit(&self->stopping.sync_call, SYNC_NONE, memory_order_acq_rel);
    outer.kept = sync_call_keeps(self);
    sync_call_keep(kept);
    atomic_store_explicit(&self->stopping.sync_at, (uintptr_t)address, memory_order_relaxed);
    atomic_store_explicit(&self->stopping.sync_call, SYNC_MAKES, memory_order_release);
    return outer;
}

static inline struct sync_call sync_call_begin(struct object *kept)
{
    return sync_call_begin_at(NULL, kept);
}

/* Within the call: from now on it waits there; NULL: in system calls. */
static inline void sync_call_waits_at(const volatile void *address)
{
    struct plat_thread *self = plat_tls.thread;
    if (UMS_LIKELY(self != NULL))
        atomic_store_explicit(&self->stopping.sync_at, (uintptr_t)address, memory_order_relaxed);
}

static inline void sync_call_end(const struct sync_call *outer)
{
    struct plat_thread *self = plat_tls.thread;
    if (UMS_UNLIKELY(!self))
        return;
    for (uint32_t count = sync_call_keeps(self); count > outer->kept;)
        self->stopping.sync_kept[--count] = NULL;
    if (UMS_UNLIKELY(outer->call)) {
        sync_call_go_on(self, outer);
        return;
    }
    atomic_store_explicit(&self->stopping.sync_call, SYNC_NONE, memory_order_release);
    atomic_store_explicit(&self->stopping.sync_at, outer->at, memory_order_relaxed);
}

/* The calling thread makes a longjmp. A handler may leave the call below it in that way, so the
 * call is dropped. If the handler jumps within itself the call goes on, but can no longer be
 * cancelled. */
static inline void sync_call_left(void)
{
    struct plat_thread *self = plat_tls.thread;
    if (UMS_UNLIKELY(self && atomic_load_explicit(&self->stopping.sync_call, memory_order_relaxed)))
        atomic_store_explicit(&self->stopping.sync_call, SYNC_NONE, memory_order_release);
}

/* The thread's call is to end. */
static inline bool sync_call_is_asked(const struct plat_thread *thread)
{
    return atomic_load_explicit(&thread->stopping.sync_call, memory_order_acquire) == SYNC_ASKED;
}

/* The same of the calling thread. */
static inline bool sync_call_asked(void)
{
    return plat_tls.thread && sync_call_is_asked(plat_tls.thread);
}

/* After a system call has failed: whether it was interrupted and is to be made again. */
static inline bool sync_call_again(void)
{
    return errno == EINTR && !sync_call_asked();
}

/* On a thread that ends, and may have been ended in a call. */
static inline void sync_call_died(struct plat_thread *self)
{
    for (uint32_t count = sync_call_keeps(self); UMS_UNLIKELY(count);) {
        struct object *kept = self->stopping.sync_kept[--count];
        self->stopping.sync_kept[count] = NULL;
        object_drop(kept);
    }
}

/* Asks the thread's call to end. False: it makes none. With thread->binding held. */
bool sync_call_cancel(struct plat_thread *thread);
/* Wakes a thread that waits at an address, in a call that is to end. */
void sync_call_wake(struct plat_thread *thread);

/* In the handler of the stop signal: the thread's call, which is about to be made, or made again,
 * fails with EINTR instead if it is asked to end. */
void sync_call_leave(const struct plat_thread *thread, ucontext_t *interrupted);

#endif
