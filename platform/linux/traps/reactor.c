/* SPDX-License-Identifier: MIT
 *
 * reactor.c - one thread per lane that receives the lane's notifications and completes calls by the
 * ring.
 *
 * The reactor alone receives from its listener: the kernel wakes every thread that waits for a
 * notification, so of several threads all but one would wake in vain. The reactor alone uses its
 * ring: the ring finishes a request that waits for readiness on the thread that submitted it. If a
 * carrier had done that, the request would stand still as soon as the carrier waits in the kernel.
 *
 * The reactor waits for nothing but its listener and its ring, never takes a libc lock, and has no
 * filter. It makes no call of a worker's (messenger.c).
 */
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "platform/check.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/notify.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/messenger.h"
#include "platform/linux/traps/reactor.h"
#include "platform/linux/traps/user_call.h"
#include "platform/linux/calls/futex_wake.h"
#include "platform/linux/os/policy.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/refused.h"
#include "platform/linux/calls/ring.h"

/* ---- Starting a call ------------------------------------------------------------------------- */

/* Gives a call that has to wait to the poller, the ring, a helper, a timer or the signals. From
 * here on the call may be over at any moment, so its worker must be marked blocked already. A
 * request to the ring leaves with the next enter. */
static void entrust(struct lane *lane, struct call *call, enum outcome outcome)
{
    struct settling *settling;
    call->how = (uint8_t)outcome;
    if (outcome == CALL_WAIT && poller_watch(lane, call))
        return;
    if (outcome != CALL_WAIT && outcome != CALL_ARM) {
        call_entrust(call, outcome);
        return;
    }
    settling = call->settling;
    call->settling = NULL;
    if (!ring_submit(lane, call))
        helper_submit(call);
    else if (settling)
        ring_enter(lane); /* the request is in the kernel when this returns */
    if (settling)
        futex_settled(settling);
}

static void ring_answered(struct lane *lane, struct call *call, int result)
{
    if ((result == -ECANCELED || result == -EINTR) &&
        atomic_load_explicit(&call->cancelled, memory_order_acquire)) {
        call_interrupt(call);
        return;
    }
    enum outcome outcome = call->entry->ops->answered(call, result);
    if (outcome == CALL_DONE)
        call_complete(call, call->result);
    else
        entrust(lane, call, outcome);
}

/* Takes the ring's results. True: there is a notification. */
static bool ring_harvest(struct lane *lane)
{
    bool notified = false;
    uint64_t tag;
    int result;
    while (ring_take(lane, &tag, &result)) {
        if (tag == RING_LISTENER) {
            /* A signal to this thread may end the kernel's poll of the listener with an error. To
             * receive then would wait for a notification that need not come. */
            if (result & POLLIN)
                notified = true;
            else
                ring_watch_listener(lane);
        } else if (tag == RING_WAKE) {
            ring_watch_wake_fd(lane);
        } else if (tag != RING_NOTHING) {
            ring_answered(lane, (struct call *)(uintptr_t)tag, result);
        }
    }
    return notified;
}

/* ---- Calls that left in user mode ------------------------------------------------------------ */

/* Turns the inbox round: the waits on one futex are served in the order in which they came. */
static void serve_inbox(struct lane *lane)
{
    struct call *newest = atomic_exchange_explicit(&lane->inbox, NULL, memory_order_acquire),
                *call = NULL;
    while (newest) {
        struct call *older = newest->next;
        newest->next = call;
        call = newest;
        newest = older;
    }
    while (call) {
        struct call *next = call->next;
        entrust(lane, call, call->how);
        call = next;
    }
}

/* The call may be over by now, but its worker does not end before the call has left this queue. */
static void serve_cancelled(struct lane *lane)
{
    struct call *call = atomic_exchange_explicit(&lane->cancelled, NULL, memory_order_acquire);
    while (call) {
        struct call *next = call->futex.next_cancelled;
        if (call->in_flight && atomic_load_explicit(&call->cancelled, memory_order_acquire))
            ring_cancel(lane, call);
        atomic_store_explicit(&call->futex.in_cancel_queue, 0, memory_order_release);
        futex_wake(&call->futex.in_cancel_queue, 1);
        call = next;
    }
}

/* ---- The loop -------------------------------------------------------------------------------- */

static void run_with_ring(struct lane *lane)
{
    struct messages messages = {.count = 0};
    ring_watch_wake_fd(lane);
    if (lane->listener >= 0)
        ring_watch_listener(lane);
    for (;;) {
        ring_enter_and_wait(lane, messages_look(&messages, lane));
        if (ring_harvest(lane)) {
            messenger_receive(&messages, lane);
            ring_watch_listener(lane);
        }
        serve_inbox(lane);
        serve_cancelled(lane);
    }
}

/* Waits by poll if a sandbox refuses ppoll. */
static void wait_with_poll(struct pollfd *fds, uint64_t limit)
{
    const struct timespec time = {0, (long)limit};
    long r = RAW5(SYS_ppoll, fds, 2, limit ? &time : NULL, 0, 8);
    if (UMS_UNLIKELY(call_was_refused(r)))
        r = RAW3(SYS_poll, fds, 2, limit ? (int)(limit / 1000000 + 1) : -1);
    if (UMS_UNLIKELY(call_was_refused(r)))
        UMS_FATAL("a sandbox refuses io_uring, ppoll and poll. Allow one of them", -r, 0);
}

static void run_with_poll(struct lane *lane)
{
    struct messages messages = {.count = 0};
    for (;;) {
        struct pollfd fds[2] = {{lane->listener, POLLIN, 0}, {lane->wake_fd, POLLIN, 0}};
        uint64_t wait = messages_look(&messages, lane);
        wait_with_poll(fds, wait);
        if (fds[0].revents & POLLIN)
            messenger_receive(&messages, lane);
        if (fds[1].revents & POLLIN) {
            uint64_t count;
            RAW3(SYS_read, lane->wake_fd, &count, sizeof count);
            serve_inbox(lane);
        }
    }
}

void *reactor_main(void *arg)
{
    kthread_name("ums:reactor");
    struct lane *lane = arg;
    lane_bind(lane);
    lane->reactor_tid = own_tid();
    int tried = queueing_refused() ? -ENOMSG : notify_refused() ? -ENOTTY : 1;
    atomic_store_explicit(&lane->reactor_tried, tried, memory_order_release);
    futex_wake((_Atomic uint32_t *)&lane->reactor_tried, 1);
    uint32_t go;
    while (!(go = atomic_load_explicit(&lane->reactor_go, memory_order_acquire)))
        futex_wait(&lane->reactor_go, 0);
    if (go == REACTOR_ENDS)
        return NULL;
    policy_rises();
    /* ring_open uses the heap. A worker that forks holds the heap's locks until its call is over.
     * So no worker may run in this lane before the ring is open. */
    ring_open(lane);
    atomic_store_explicit(&lane->reactor_up, 1, memory_order_release);
    futex_wake(&lane->reactor_up, 1);
    if (lane->have_ring)
        run_with_ring(lane);
    run_with_poll(lane);
    return NULL;
}
