/* SPDX-License-Identifier: MIT
 *
 * reactor.c - one thread per lane that receives the lane's notifications and sees calls through.
 *
 * It is the only receiver of its listener and the only user of its ring. Only receiver: the kernel
 * wakes every thread that waits for a notification, so a pool of them would stampede. Only user: the
 * ring finishes what waits for readiness as work of the thread that submitted it; were that a
 * carrier, the work would stand still as soon as the carrier itself waits in the kernel.
 *
 * The reactor never waits for anything but its own two sources, never takes a libc lock, and is
 * outside the filter. What it decides about a call:
 *     done at once        answered, the worker goes on, no upcall
 *     identity            answered in the worker's name
 *     not ours            "continue": plain threads made inside the filter, children, schedulers
 *     has to wait         worker blocked, scheduler handed to an idle carrier (engine.h)
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "platform/linux/calls/call_kit.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/noticed.h"
#include "platform/linux/traps/lent_call.h"
#include "platform/linux/engine.h"
#include "platform/linux/traps/user_call.h"
#include "platform/linux/calls/futex_wake.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/os/clock.h"
#include "platform/trace/trace.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/calls/ring.h"
#include "platform/linux/signals/worker_signals.h"

/* ---- Starting a call ----------------------------------------------------------------------------- */

/* Gives a call that has to wait to what will complete it. From here on it may be over at any
 * moment: its worker must be marked blocked already. A ring submission leaves with the next enter. */
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
        ring_enter(lane); /* in the kernel when this returns */
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

/* Takes what the ring has. `awaited`: the call just submitted; true when its answer is among it,
 * with *outcome set instead of completing it. */
static bool ring_harvest(struct lane *lane, struct call *awaited, enum outcome *outcome,
                         bool *notified)
{
    bool found = false;
    uint64_t tag;
    int result;
    while (ring_take(lane, &tag, &result)) {
        if (tag == RING_LISTENER) {
            /* A signal to this thread may end the kernel's look at the listener with an error: receiving would
             * wait then, for a notification that need not come. */
            if (result & POLLIN)
                *notified = true;
            else
                ring_watch_listener(lane);
        } else if (tag == RING_WAKE) {
            ring_watch_wake_fd(lane);
        } else if (tag == RING_NOTHING) {
            continue;
        } else if (awaited && tag == (uint64_t)(uintptr_t)awaited) {
            *outcome = awaited->entry->ops->answered(awaited, result);
            found = true;
        } else {
            ring_answered(lane, (struct call *)(uintptr_t)tag, result);
        }
    }
    return found;
}

/* Submits a call and looks whether that was enough. The submission makes the attempt itself, so for
 * a call that need not wait the answer is there when it returns. */
static enum outcome ring_attempt(struct lane *lane, struct call *call, bool *notified)
{
    enum outcome outcome = CALL_WAIT;
    while (ring_submit(lane, call)) {
        ring_enter(lane);
        if (!ring_harvest(lane, call, &outcome, notified))
            return CALL_IN_RING;
        if (outcome != CALL_WAIT)
            return outcome;
    }
    return CALL_HELPER;
}

/* ---- Notifications --------------------------------------------------------------------------------- */

static void block_worker(struct lane *lane, struct carrier *carrier, struct plat_context *worker,
                         enum outcome outcome)
{
    struct plat_context *scheduler = carrier->scheduler;
    struct lane *home = scheduler->lane;
    plat_lock(&carrier->lock);
    carrier->standing = &worker->call;
    carrier_release(carrier);
    plat_unlock(&carrier->lock);
    worker->kernel_at = carrier;
    worker->left_at = engine_clock_set(plat_now());
    scheduler->blocked_by = worker;
    scheduler->by_fault = false;
    engine_core->worker_blocked(worker);
    trace(NULL, TRACE_BLOCK, worker, (uint64_t)worker->call.args[0],
          (uint32_t)worker->call.entry->nr, DOOR_TRAP);
    /* Before the call can be over: where no carrier is left, its end has to find the scheduler waiting for one
     * (lane_unhost). Nobody else would take it on. */
    struct carrier *next = lane_reserve(home, scheduler);
    if (outcome != CALL_IN_RING)
        entrust(lane, &worker->call, outcome);
    lane_assign(home, next, scheduler); /* without one to give, the scheduler may be gone */
}

/* A call of a scheduler or of an idle carrier's passer-by: only its identity has to be answered. */
static void serve_scheduler(struct lane *lane, const struct notification *n,
                            struct plat_context *scheduler, const struct trapped_call *entry)
{
    if (scheduler_call(scheduler, lane, entry, n->args))
        notify_answer(lane->listener, n->id, scheduler->call.result);
    else
        notify_continue(lane->listener, n->id);
}

/* Whether the kernel made a call again that is in flight, or was answered too late (call_answer). A
 * notification that a signal has withdrawn since it was received counts as well: nobody stands in it, and
 * the worker may have gone on with the result that came with the signal (by_signal). */
static bool made_anew(const struct notification *n, struct carrier *carrier, struct call *call)
{
    plat_lock(&carrier->lock);
    bool gone = !engine_caps.killable && !notify_valid(carrier->lane->listener, n->id);
    bool anew = gone || call->in_flight || call->delivered || call->by_signal;
    if (anew && !gone) {
        call->notif_id = n->id;
        call->withdrawn = false;
        if (call->in_flight)
            carrier_release(carrier); /* another signal may be due */
        else if (call->delivered && !call_comes_again(carrier))
            call_deliver(call, carrier);
    }
    plat_unlock(&carrier->lock);
    return anew;
}

/* The worker that was found in a page fault has its page, and its carrier stands in this notification
 * (traps/fault_watch.h). False: a call of the program's with that number. */
static bool fault_is_over(const struct notification *n, struct carrier *carrier, struct call *call)
{
    if (!call->in_flight || call->how != CALL_FAULT)
        return false;
    plat_lock(&carrier->lock);
    call->notif_id = n->id;
    carrier->standing = call;
    carrier_release(carrier);
    plat_unlock(&carrier->lock);
    call_complete(call, 0);
    return true;
}

static void serve_worker(struct lane *lane, const struct notification *n, struct carrier *carrier,
                         const struct trapped_call *entry, bool *notified)
{
    struct plat_context *worker = carrier->context;
    struct call *call = &worker->call;

    if ((!engine_caps.killable || call->withdrawn) && made_anew(n, carrier, call))
        return;
    if (entry->ops != &ops_process)
        call_noticed(n->behind);

    if (entry->ops == &ops_fault_over && fault_is_over(n, carrier, call))
        return;
    call_begin(call, lane, entry);
    call->in_kernel = true;
    call->notif_id = n->id;
    memcpy(call->args, n->args, sizeof call->args);

    enum outcome outcome = call_attempt(call);
    if (outcome == CALL_WAIT && !entry->ops->readiness && lane->have_ring && entry->ops->submit)
        outcome = ring_attempt(lane, call, notified);
    if (outcome == CALL_DONE) {
        if (entry->ops->readiness == EPOLLOUT)
            poller_retry_deferred(lane);
        call_answer(call, carrier);
    } else if (outcome == CALL_PASS) {
        notify_continue(lane->listener, n->id);
    } else {
        call->in_flight = true;
        call->how = (uint8_t)outcome;
        block_worker(lane, carrier, worker, outcome);
    }
}

/* A call that the carrier has to make itself, and whose worker's scheduler may be taken meanwhile (lent_call.h): the
 * handler of the stop signal makes it, which is pending when this answer lets the carrier go. */
static void lend(const struct lane *lane, const struct notification *n, struct plat_context *worker)
{
    call_noticed(n->behind);
    worker->lend_number = n->nr;
    atomic_store_explicit(&worker->lend_behind, n->behind, memory_order_release);
    RAW3(SYS_tgkill, RAW0(SYS_getpid), n->tid, stop_signal);
    notify_answer(lane->listener, n->id, -EINTR);
}

static void serve(struct lane *lane, bool *notified)
{
    struct notification n;
    if (notify_receive(lane->listener, &n) < 0)
        return; /* withdrawn meanwhile */
    const struct trapped_call *entry = trapped_call_find(n.nr);
    struct carrier *carrier = tid_carrier((pid_t)n.tid);
    if (!entry && carrier && carrier->context && call_is_lent(n.nr) && engine_caps.killable) {
        lend(lane, &n, carrier->context);
    } else if (!entry || !carrier || (!carrier->context && !carrier->scheduler)) {
        if (entry && entry->ops == &ops_process)
            guardian_ensure(lane);
        notify_continue(lane->listener, n.id);
    } else if (carrier->context) {
        serve_worker(lane, &n, carrier, entry, notified);
    } else {
        serve_scheduler(lane, &n, carrier->scheduler, entry);
    }
}

/* ---- Calls that left in user mode -------------------------------------------------------------------- */

/* In the order in which they came: the waits on one futex are served in that order. */
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

/* The call may be over by now; its worker does not end before it has left this queue. */
static void serve_cancelled(struct lane *lane)
{
    struct call *call = atomic_exchange_explicit(&lane->cancelled, NULL, memory_order_acquire);
    while (call) {
        struct call *next = call->next_cancelled;
        if (call->in_flight && atomic_load_explicit(&call->cancelled, memory_order_acquire))
            ring_cancel(lane, call);
        atomic_store_explicit(&call->in_cancel_queue, 0, memory_order_release);
        futex_wake(&call->in_cancel_queue, 1);
        call = next;
    }
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

static void run_with_ring(struct lane *lane)
{
    enum outcome unused;
    ring_watch_wake_fd(lane);
    if (lane->listener >= 0)
        ring_watch_listener(lane);
    for (;;) {
        bool notified = false;
        ring_enter_and_wait(lane);
        ring_harvest(lane, NULL, &unused, &notified);
        while (notified) {
            notified = false;
            serve(lane, &notified);
            ring_watch_listener(lane);
        }
        serve_inbox(lane);
        serve_cancelled(lane);
    }
}

static void run_with_poll(struct lane *lane)
{
    for (;;) {
        struct pollfd fds[2] = {{lane->listener, POLLIN, 0}, {lane->wake_fd, POLLIN, 0}};
        bool unused;
        RAW5(SYS_ppoll, fds, 2, 0, 0, 8);
        if (fds[0].revents & POLLIN)
            serve(lane, &unused);
        if (fds[1].revents & POLLIN) {
            uint64_t count;
            RAW3(SYS_read, lane->wake_fd, &count, sizeof count);
            serve_inbox(lane);
        }
    }
}

void *reactor_main(void *arg)
{
    struct lane *lane = arg;
    lane_bind(lane);
    uint32_t go;
    while (!(go = atomic_load_explicit(&lane->reactor_go, memory_order_acquire)))
        futex_wait(&lane->reactor_go, 0);
    if (go == REACTOR_ENDS)
        return NULL;
    /* Setting the ring up uses the heap, whose locks a worker that forks holds until we have answered
     * it: so nobody may run in this lane before it is done. */
    ring_open(lane);
    atomic_store_explicit(&lane->reactor_up, 1, memory_order_release);
    futex_wake(&lane->reactor_up, 1);
    if (lane->have_ring)
        run_with_ring(lane);
    run_with_poll(lane);
    return NULL;
}
