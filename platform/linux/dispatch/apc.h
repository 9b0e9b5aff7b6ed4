/* SPDX-License-Identifier: MIT
 *
 * apc.h - asynchronous procedure calls: functions that a thread calls in its next alertable wait.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_DISPATCH_APC_H
#define UMSSHIM_PLATFORM_LINUX_DISPATCH_APC_H

#include "platform/linux/dispatch/thread_object.h"

/* Has the thread call fn(a, b, c) in its next alertable wait. 0, 8: no memory, or 31: it has
 * ended. */
int apc_queue(struct plat_thread *thread, void (*fn)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a,
              uintptr_t b, uintptr_t c);
/* Makes the calls that are queued for the calling thread. False: there were none. */
__attribute__((noinline)) bool apcs_run(void);
void apcs_discard(struct plat_thread *thread);

/* ---- For the dispatcher's own files ---- */

struct object;

/* A call that is a member of an object is queued once at a time. While it is queued it holds the
 * object. */
struct apc {
    struct apc *next;
    _Atomic(struct plat_thread *) thread; /* in whose queue it is; NULL: in none */
    void (*fn)(uintptr_t, uintptr_t, uintptr_t);
    uintptr_t a, b, c;
    struct object *source; /* the object that it is a member of; NULL: it has memory of its own */
};

/* For both: the caller has the lock of the source, if there is one, and keeps the thread alive. */
/* False: the thread has ended. The caller calls wait_alert next, with no lock. */
bool apc_append(struct apc *apc, struct plat_thread *thread);
/* Takes the call out of the thread's queue, if it is there. */
void apc_withdraw(struct apc *apc, struct plat_thread *thread);

#endif
