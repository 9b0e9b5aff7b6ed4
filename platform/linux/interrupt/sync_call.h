/* SPDX-License-Identifier: MIT
 *
 * sync_call.h - a synchronous call of Windows' that another thread may end: CancelSynchronousIo.
 *
 * The thread that makes the call says so in `sync_call` of its thread object:
 *
 *     SYNC_NONE    it makes no such call
 *     SYNC_MAKES   it makes one. The thread that asks puts SYNC_ASKED in its place, once
 *     SYNC_ASKED   the call is to end soon. It is nudged until it does
 *
 * The thread itself takes either back when the call is over, so a call that comes later is never
 * meant. It decides, too: a system call that was interrupted is made again, unless it is asked to
 * end (sync_call_again). One that has moved something has not been interrupted, and counts.
 *
 * A wait at an address is woken. Of a system call a worker is let go by call_cancel, any other
 * thread by the stop signal, whose handler does not let the kernel make the call once more
 * (sync_call_leave). Each may come at the wrong moment, and does nothing then: a worker's call goes
 * on by itself, and the nudge comes again.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_SYNC_CALL_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_SYNC_CALL_H

#include <errno.h>
#include <ucontext.h>

#include "platform/linux/dispatch/thread_object.h"

/* Another such call of the thread's, on top of which this one is made by a handler; SYNC_NONE:
 * there is none. `at` is given back in any case: the handler may have come between two
 * instructions of sync_call_begin_at. */
struct sync_call {
    uintptr_t at;
    uint32_t call;
};

/* The call further out goes on. It may have been asked to end before. */
void sync_call_go_on(struct plat_thread *self, const struct sync_call *outer);

/* Around what one call of the program's waits in, as tightly as can be: system calls, or a wait at
 * this address. A call that waits several times begins once: what is said between two of its waits
 * is for the next one. */
static inline struct sync_call sync_call_begin_at(const volatile void *address)
{
    struct sync_call outer = {0, SYNC_NONE};
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        return outer;
    outer.at = atomic_load_explicit(&self->stopping.sync_at, memory_order_relaxed);
    if (UMS_UNLIKELY(atomic_load_explicit(&self->stopping.sync_call, memory_order_relaxed)))
        outer.call =
            atomic_exchange_explicit(&self->stopping.sync_call, SYNC_NONE, memory_order_acq_rel);
    atomic_store_explicit(&self->stopping.sync_at, (uintptr_t)address, memory_order_relaxed);
    atomic_store_explicit(&self->stopping.sync_call, SYNC_MAKES, memory_order_release);
    return outer;
}

static inline struct sync_call sync_call_begin(void)
{
    return sync_call_begin_at(NULL);
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
    if (UMS_UNLIKELY(outer->call)) {
        sync_call_go_on(self, outer);
        return;
    }
    atomic_store_explicit(&self->stopping.sync_call, SYNC_NONE, memory_order_release);
    atomic_store_explicit(&self->stopping.sync_at, outer->at, memory_order_relaxed);
}

/* The calling thread makes a jump (longjmp), as a handler does that leaves the call it is on top
 * of. One that jumps within itself drops that call, too: it can be cancelled no more. */
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

/* The calling thread's. */
static inline bool sync_call_asked(void)
{
    return plat_tls.thread && sync_call_is_asked(plat_tls.thread);
}

/* After a system call has failed: it was interrupted, and is to be made again. */
static inline bool sync_call_again(void)
{
    return errno == EINTR && !sync_call_asked();
}

/* Asks the thread's call to end. False: it makes none. With thread->binding held. */
bool sync_call_cancel(struct plat_thread *thread);
/* Lets a thread go that waits at an address in its call, which is to end. */
void sync_call_wake(struct plat_thread *thread);

/* In the handler of the stop signal: the thread's call, which is about to be made, or made again,
 * fails with EINTR instead if it is asked to end. */
void sync_call_leave(const struct plat_thread *thread, ucontext_t *interrupted);

#endif
