/* SPDX-License-Identifier: MIT
 *
 * async.c - ums:async, the thread that sees calls through for which no thread waits (async.h).
 *
 * There are two lists, of new calls and of calls that are to be cancelled. Any thread pushes to
 * them, and only ums:async empties them. ums:async empties the second list first. A call in it has
 * been pushed to the first list before, and is in flight when ums:async acts on the cancellation.
 *
 * ums:async says that it is about to sleep (async_flight.c), and then looks at both lists again. A
 * thread that has pushed a call then looks whether ums:async sleeps. Both are sequentially
 * consistent, so one of the two sees the other, and the descriptor is written once for each sleep.
 */
#include "platform/check.h"
#include "platform/linux/async/async.h"
#include "platform/linux/async/async_parts.h"
#include "platform/linux/async/ready_set.h"
#include "platform/linux/calls/broker_once.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/wake_file.h"

enum { STACK_BYTES = 128 << 10 };
enum { OPENS, OPENED, REFUSED };

static struct broker_once once;
static _Atomic uint32_t opened; /* futex: how far ums:async is */
static const struct async_way *way;
static _Atomic(struct async_call *) asked, cancels;

/* ---- Any thread ------------------------------------------------------------------------------ */

void async_submit(struct async_call *call)
{
    call->readying = call->cancelled = call->away = false;
    call->next = atomic_load_explicit(&asked, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&asked, &call->next, call, memory_order_seq_cst,
                                                  memory_order_relaxed))
        continue;
    async_wake();
}

void async_cancel(struct async_call *call)
{
    call->next_cancelled = atomic_load_explicit(&cancels, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&cancels, &call->next_cancelled, call,
                                                  memory_order_seq_cst, memory_order_relaxed))
        continue;
    async_wake();
}

/* ---- On ums:async ---------------------------------------------------------------------------- */

static void begin_all(void)
{
    struct async_call *call = atomic_exchange_explicit(&asked, NULL, memory_order_acquire);
    struct async_call *in_order = NULL;
    while (call) { /* the newest call is the first: reverses the list */
        struct async_call *next = call->next;
        call->next = in_order;
        in_order = call;
        call = next;
    }
    while (in_order) {
        call = in_order;
        in_order = call->next;
        async_flies(call);
        way->begin(call);
    }
}

static void cancel_all(struct async_call *call)
{
    while (call) {
        struct async_call *next = call->next_cancelled;
        call->cancelled = true;
        way->cancel(call);
        call = next;
    }
}

void async_cancel_seen(struct async_call *call)
{
    if (call->cancelled)
        return;
    /* The call is in the list of cancels, and no other call of the list is over: `done` runs for
     * one call at a time, and takes that call out. */
    struct async_call *first = atomic_exchange_explicit(&cancels, NULL, memory_order_acquire);
    struct async_call **link = &first;
    while (*link && *link != call)
        link = &(*link)->next_cancelled;
    if (*link)
        *link = call->next_cancelled;
    begin_all();
    cancel_all(first);
}

static bool anything(void)
{
    return atomic_load_explicit(&asked, memory_order_seq_cst) ||
           atomic_load_explicit(&cancels, memory_order_seq_cst);
}

static void has(uint32_t result)
{
    atomic_store_explicit(&opened, result, memory_order_release);
    futex_wake(&opened, 1);
}

static void *async_main(void *unused)
{
    kthread_name("ums:async");
    (void)unused;
    affinity_reset(); /* the broker that makes this thread may be bound to its lane's processor */
    bool ring = async_ring.open(async_wake_file);
    way = ring ? &async_ring : &async_poll;
    bool up = ring || async_poll.open(async_wake_file);
    has(up ? OPENED : REFUSED);
    if (!up)
        return NULL;
    for (;;) {
        struct async_call *cancelled =
            atomic_exchange_explicit(&cancels, NULL, memory_order_acquire);
        begin_all();
        cancel_all(cancelled);
        async_sleeps(true);
        bool look = anything();
        way->serve(look);
        async_sleeps(false);
    }
}

/* ---- Start ----------------------------------------------------------------------------------- */

/* On a broker thread: no filter stops its calls. A worker that waits for it has left its
 * scheduler. */
static bool create(void)
{
    atomic_store_explicit(&opened, OPENS, memory_order_relaxed);
    if (async_wake_file < 0)
        async_wake_file = wake_file_open(0);
    if (async_wake_file < 0 || bare_thread_create(STACK_BYTES, async_main, NULL))
        return false;
    while (atomic_load_explicit(&opened, memory_order_acquire) == OPENS)
        futex_wait(&opened, OPENS);
    return atomic_load_explicit(&opened, memory_order_acquire) == OPENED;
}

int async_start(void)
{
    if (UMS_LIKELY(broker_once_done(&once)))
        return 0;
    return dispatch_hooks.start() || !broker_once(&once, create) ? 8 : 0;
}

void async_forget(void)
{
    ready_forget();
    if (broker_once_done(&once))
        way->forget();
    if (async_wake_file >= 0)
        own_file_close(async_wake_file);
    async_wake_file = -1;
    broker_once_forget(&once);
    atomic_store_explicit(&asked, NULL, memory_order_relaxed);
    atomic_store_explicit(&cancels, NULL, memory_order_relaxed);
    async_sleeps(false);
    async_flying = (struct async_chain){0};
}
