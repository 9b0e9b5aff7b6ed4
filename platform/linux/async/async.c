/* SPDX-License-Identifier: MIT
 *
 * async.c - ums:async, the thread that sees calls through which nobody waits for (async.h).
 *
 * Two lists that any thread pushes to and ums:async alone empties: calls that are new, and calls
 * that are to be cancelled. ums:async empties the second list first. A call in it has been pushed
 * to the first list before, and is in flight when ums:async acts on the cancellation.
 *
 * It says that it is about to sleep (async_flight.c), then looks at both lists again; a thread that
 * has pushed looks whether it sleeps after that, both sequentially consistent. So one of the two
 * sees the other, and the descriptor is written once for each sleep.
 */
#include "platform/check.h"
#include "platform/linux/async/async.h"
#include "platform/linux/async/async_parts.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/wake_file.h"

enum { STACK_BYTES = 128 << 10 };
enum { NOT_STARTED, STARTING, UP };

static _Atomic uint32_t state; /* futex */
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
    while (call) { /* the last one to come is the first */
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

static void started(uint32_t result)
{
    atomic_store_explicit(&state, result, memory_order_release);
    futex_wake(&state, INT32_MAX);
}

static void *async_main(void *unused)
{
    kthread_name("ums:async");
    (void)unused;
    affinity_reset(); /* a lane's broker may have made it */
    bool ring = async_ring.open(async_wake_file);
    way = ring ? &async_ring : &async_poll;
    bool up = ring || async_poll.open(async_wake_file);
    started(up ? UP : NOT_STARTED);
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

static void wait_up(void *unused)
{
    (void)unused;
    while (atomic_load_explicit(&state, memory_order_acquire) == STARTING)
        futex_wait(&state, STARTING);
}

/* On a broker thread, which is outside the filter, and which a worker waits for without its
 * scheduler. */
static void create(void *unused)
{
    if (async_wake_file < 0)
        async_wake_file = wake_file_open(0);
    if (async_wake_file < 0 || bare_thread_create(STACK_BYTES, async_main, NULL))
        started(NOT_STARTED);
    wait_up(unused);
}

int async_start(void)
{
    uint32_t seen = atomic_load_explicit(&state, memory_order_acquire);
    if (UMS_LIKELY(seen == UP))
        return 0;
    if (dispatch_hooks.start())
        return 8;
    seen = NOT_STARTED;
    bool mine = atomic_compare_exchange_strong_explicit(&state, &seen, STARTING,
                                                        memory_order_acquire, memory_order_acquire);
    if (seen != UP)
        broker_run(mine ? create : wait_up, NULL);
    return atomic_load_explicit(&state, memory_order_acquire) == UP ? 0 : 8;
}

void async_forget(void)
{
    if (atomic_load_explicit(&state, memory_order_relaxed) == UP)
        way->forget();
    if (async_wake_file >= 0)
        own_file_close(async_wake_file);
    async_wake_file = -1;
    atomic_store_explicit(&state, NOT_STARTED, memory_order_relaxed);
    atomic_store_explicit(&asked, NULL, memory_order_relaxed);
    atomic_store_explicit(&cancels, NULL, memory_order_relaxed);
    async_sleeps(false);
    async_flying.next = async_flying.previous = &async_flying;
}
