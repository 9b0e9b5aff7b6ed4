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

#include "platform/linux/call_kit.h"
#include "platform/linux/engine.h"
#include "platform/linux/gate.h"
#include "platform/linux/raw.h"
#include "platform/linux/worker_signals.h"

enum { RING_ENTRIES = 256 };

/* What a completion of the ring belongs to: a call's address, or one of these. */
enum { TAG_LISTENER = 1, TAG_WAKE = 2, TAG_NOTHING = 3 };

/* ---- Completing ------------------------------------------------------------------------------ */

void call_complete(struct call *call, long result)
{
    struct plat_context *worker = call_worker(call);
    struct plat_context *scheduler = engine_core->scheduler_of(worker);
    if (UMS_UNLIKELY(call->masked))
        call_mask_end(call, result);
    call->result = result;
    if (!call->in_kernel) {
        call->in_flight = false;
        gate_open(call->gate);
        return;
    }
    /* No carrier could be had for the scheduler yet: then nobody was told of the block, and the
     * worker goes on as if there had been none. */
    if (scheduler && lane_unhost(scheduler->lane, scheduler, worker)) {
        struct carrier *waiting = worker->kernel_at;
        engine_core->worker_unblocked(worker);
        worker->kernel_at = NULL;
        call_answer(call, waiting);
        return;
    }
    engine_core->worker_completed(worker);
}

static void timer_fired(struct plat_timer *timer)
{
    struct call *call = (struct call *)((char *)timer - offsetof(struct call, timer));
    call_complete(call, 0);
}

/* ---- The ring ---------------------------------------------------------------------------------- */

static struct io_uring_sqe *ring_slot(struct lane *lane)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&lane->ring);
    if (!sqe) {
        io_uring_submit(&lane->ring);
        sqe = io_uring_get_sqe(&lane->ring);
    }
    if (!sqe)
        UMS_FATAL("the ring takes no submission", lane->cpu, 0);
    return sqe;
}

static void watch_listener(struct lane *lane)
{
    struct io_uring_sqe *sqe = ring_slot(lane);
    io_uring_prep_poll_add(sqe, lane->listener, POLLIN);
    sqe->user_data = TAG_LISTENER;
}

static void watch_wake_fd(struct lane *lane)
{
    struct io_uring_sqe *sqe = ring_slot(lane);
    io_uring_prep_read(sqe, lane->wake_fd, &lane->wake_count, sizeof lane->wake_count, 0);
    sqe->user_data = TAG_WAKE;
}

/* False: the ring cannot do this call. */
static bool ring_submit(struct lane *lane, struct call *call)
{
    const struct call_ops *ops = call->entry->ops;
    if (!lane->have_ring || !ops->submit)
        return false;
    /* A linked time-out must be submitted together with what it limits. */
    if (io_uring_sq_space_left(&lane->ring) < 2)
        io_uring_submit(&lane->ring);
    struct io_uring_sqe *sqe = ring_slot(lane);
    unsigned tail = lane->ring.sq.sqe_tail;
    if (!ops->submit(call, sqe)) {
        lane->ring.sq.sqe_tail = tail - 1;
        return false;
    }
    sqe->user_data = (uint64_t)(uintptr_t)call;
    if (call->deadline != PLAT_FOREVER) {
        sqe->flags |= IOSQE_IO_LINK;
        call->timeout[0] = (int64_t)(call->deadline / 1000000000u);
        call->timeout[1] = (int64_t)(call->deadline % 1000000000u);
        sqe = ring_slot(lane);
        io_uring_prep_link_timeout(sqe, (struct __kernel_timespec *)call->timeout,
                                   IORING_TIMEOUT_ABS |
                                       (call->realtime ? IORING_TIMEOUT_REALTIME : 0));
        sqe->user_data = TAG_NOTHING;
    }
    return true;
}

/* ---- Starting a call ----------------------------------------------------------------------------- */

/* Gives a call that has to wait to whoever will complete it. From here on it may be over at any
 * moment: its worker must be marked blocked already. A ring submission leaves with the next enter. */
static void entrust(struct lane *lane, struct call *call, enum outcome outcome)
{
    call->how = (uint8_t)outcome;
    switch (outcome) {
    case CALL_TIMER:
        call->timer.deadline = call->deadline;
        call->timer.fire = timer_fired;
        timer_add_in(lane, &call->timer);
        break;
    case CALL_SIGNAL:
        signal_wait_start(call);
        break;
    case CALL_WAIT:
        if (poller_watch(lane, call))
            break;
        /* fall through */
    case CALL_OLD:
        if (ring_submit(lane, call))
            break;
        /* fall through */
    default:
        helper_submit(call);
        break;
    }
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
    struct io_uring_cqe *cqe;
    bool found = false;
    while (io_uring_peek_cqe(&lane->ring, &cqe) == 0) {
        uint64_t tag = cqe->user_data;
        int result = cqe->res;
        io_uring_cqe_seen(&lane->ring, cqe);
        if (tag == TAG_LISTENER) {
            /* A signal to this thread may end the kernel's look at the listener with an error: receiving would
             * wait then, for a notification that need not come. */
            if (result & POLLIN)
                *notified = true;
            else
                watch_listener(lane);
        } else if (tag == TAG_WAKE) {
            watch_wake_fd(lane);
        } else if (tag == TAG_NOTHING) {
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
        io_uring_submit(&lane->ring);
        if (!ring_harvest(lane, call, &outcome, notified))
            return CALL_IN_RING;
        if (outcome != CALL_WAIT)
            return outcome;
    }
    return CALL_HELPER;
}

/* ---- Notifications --------------------------------------------------------------------------------- */

void call_begin(struct call *call, struct lane *lane, const struct trapped_call *entry)
{
    call->entry = entry;
    call->result = 0;
    call->progress = 0;
    call->deadline = PLAT_FOREVER;
    call->realtime = false;
    call->lane = lane;
    call->interrupted = call->masked = false;
    atomic_store_explicit(&call->cancelled, false, memory_order_relaxed);
}

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
    scheduler->blocked_by = worker;
    engine_core->worker_blocked(worker);
    /* Before the call can be over: where no carrier is left, its end has to find the scheduler waiting for one
     * (lane_unhost). Nobody else would take it on. */
    struct carrier *next = lane_reserve(home, scheduler);
    if (outcome != CALL_IN_RING)
        entrust(lane, &worker->call, outcome);
    lane_assign(home, next, scheduler); /* without one to give, the scheduler may be gone */
}

/* A call of a scheduler or of an idle carrier's passer-by: only who it is has to be answered. */
static void serve_scheduler(struct lane *lane, const struct notification *n,
                            struct plat_context *scheduler, const struct trapped_call *entry)
{
    struct call *call = &scheduler->call;
    if (entry->ops == &ops_identity || entry->ops == &ops_affinity ||
        entry->ops == &ops_scheduling || entry->ops == &ops_home || entry->ops == &ops_process) {
        call_begin(call, lane, entry);
        memcpy(call->args, n->args, sizeof call->args);
        if (entry->ops->attempt(call) == CALL_DONE) {
            notify_answer(lane->listener, n->id, call->result);
            return;
        }
    }
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

/* A call that would wait with a mask of its own is interrupted by what the mask lets through. */
static enum outcome attempt_masked(struct call *call)
{
    int error = call_mask_begin(call);
    if (UMS_UNLIKELY(error))
        return call_done(call, error);
    enum outcome outcome = call->entry->ops->attempt(call);
    if (UMS_LIKELY(!call->masked))
        return outcome;
    if ((outcome != CALL_DONE || call->result == 0) && signals_due(call_worker(call))) {
        call->interrupted = true;
        outcome = call_done(call, -EINTR);
    }
    if (outcome == CALL_DONE)
        call_mask_end(call, call->result);
    return outcome;
}

static void serve_worker(struct lane *lane, const struct notification *n, struct carrier *carrier,
                         const struct trapped_call *entry, bool *notified)
{
    struct plat_context *worker = carrier->context;
    struct call *call = &worker->call;

    if ((!engine_caps.killable || call->withdrawn) && made_anew(n, carrier, call))
        return;

    call_begin(call, lane, entry);
    call->in_kernel = true;
    call->notif_id = n->id;
    memcpy(call->args, n->args, sizeof call->args);

    enum outcome outcome = attempt_masked(call);
    if (outcome == CALL_WAIT && !entry->ops->readiness && lane->have_ring && entry->ops->submit)
        outcome = ring_attempt(lane, call, notified);
    if (outcome == CALL_DONE) {
        if (entry->ops->readiness == EPOLLOUT)
            poller_retry_young(lane);
        call_answer(call, carrier);
    } else if (outcome == CALL_PASS) {
        notify_continue(lane->listener, n->id);
    } else {
        call->in_flight = true;
        call->how = (uint8_t)outcome;
        block_worker(lane, carrier, worker, outcome);
    }
}

static void serve(struct lane *lane, bool *notified)
{
    struct notification n;
    if (notify_receive(lane->listener, &n) < 0)
        return; /* withdrawn meanwhile */
    const struct trapped_call *entry = trapped_call_find(n.nr);
    struct carrier *carrier = tid_carrier((pid_t)n.tid);
    if (!entry || !carrier || (!carrier->context && !carrier->scheduler)) {
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

/* The call's gate opens when it is over. */
void reactor_post(struct lane *lane, struct call *call, int how)
{
    call->how = (uint8_t)how;
    struct call *head = atomic_load_explicit(&lane->inbox, memory_order_relaxed);
    do
        call->next = head;
    while (!atomic_compare_exchange_weak_explicit(&lane->inbox, &head, call, memory_order_release,
                                                  memory_order_relaxed));
    if (!head) {
        uint64_t one = 1;
        RAW3(SYS_write, lane->wake_fd, &one, sizeof one);
    }
}

static void serve_inbox(struct lane *lane)
{
    struct call *call = atomic_exchange_explicit(&lane->inbox, NULL, memory_order_acquire);
    while (call) {
        struct call *next = call->next;
        entrust(lane, call, call->how);
        call = next;
    }
}

/* Has the ring let go of the call's request, if there is one. */
void reactor_cancel(struct lane *lane, struct call *call)
{
    uint64_t one = 1;
    if (!lane->have_ring ||
        atomic_exchange_explicit(&call->in_cancel_queue, 1, memory_order_acq_rel))
        return;
    struct call *head = atomic_load_explicit(&lane->cancelled, memory_order_relaxed);
    do
        call->next_cancelled = head;
    while (!atomic_compare_exchange_weak_explicit(&lane->cancelled, &head, call,
                                                  memory_order_release, memory_order_relaxed));
    RAW3(SYS_write, lane->wake_fd, &one, sizeof one);
}

/* The call may be over by now; its worker does not end before it has left this queue. */
static void serve_cancelled(struct lane *lane)
{
    struct call *call = atomic_exchange_explicit(&lane->cancelled, NULL, memory_order_acquire);
    while (call) {
        struct call *next = call->next_cancelled;
        if (call->in_flight && atomic_load_explicit(&call->cancelled, memory_order_acquire)) {
            struct io_uring_sqe *sqe = ring_slot(lane);
            io_uring_prep_cancel(sqe, call, 0);
            sqe->user_data = TAG_NOTHING;
        }
        atomic_store_explicit(&call->in_cancel_queue, 0, memory_order_release);
        futex_wake(&call->in_cancel_queue, 1);
        call = next;
    }
}

/* ---- The loop ------------------------------------------------------------------------------------------ */

static void open_ring(struct lane *lane)
{
    static const unsigned flavours[] = {
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0};
    if (!engine_caps.ring)
        return;
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours && !lane->have_ring; i++) {
        struct io_uring_params params = {.flags = flavours[i] | IORING_SETUP_CQSIZE,
                                         .cq_entries = 4096};
        int r = io_uring_queue_init_params(RING_ENTRIES, &lane->ring, &params);
        lane->have_ring = r == 0;
        if (r != 0 && r != -EINVAL)
            break;
    }
    /* A sandbox may allow making a ring and refuse entering it. */
    struct io_uring_cqe *cqe;
    if (lane->have_ring) {
        io_uring_prep_nop(io_uring_get_sqe(&lane->ring));
        lane->have_ring = io_uring_submit_and_wait(&lane->ring, 1) == 1 &&
                          io_uring_peek_cqe(&lane->ring, &cqe) == 0;
        if (lane->have_ring)
            io_uring_cqe_seen(&lane->ring, cqe);
    }
    if (!lane->have_ring) {
        engine_caps.ring = false;
        return;
    }
    struct io_uring_probe *probe = io_uring_get_probe_ring(&lane->ring);
    engine_caps.ring_futex = probe && io_uring_opcode_supported(probe, RING_OP_FUTEX_WAIT);
    io_uring_free_probe(probe);
    int high = fd_move_high(lane->ring.ring_fd);
    if (high != lane->ring.ring_fd) {
        if (lane->ring.enter_ring_fd == lane->ring.ring_fd)
            lane->ring.enter_ring_fd = high;
        lane->ring.ring_fd = high;
    }
}

static void run_with_ring(struct lane *lane)
{
    enum outcome unused;
    watch_wake_fd(lane);
    if (lane->listener >= 0)
        watch_listener(lane);
    for (;;) {
        bool notified = false;
        io_uring_submit_and_wait(&lane->ring, 1);
        ring_harvest(lane, NULL, &unused, &notified);
        while (notified) {
            notified = false;
            serve(lane, &notified);
            watch_listener(lane);
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
    open_ring(lane);
    atomic_store_explicit(&lane->reactor_up, 1, memory_order_release);
    futex_wake(&lane->reactor_up, 1);
    if (lane->have_ring)
        run_with_ring(lane);
    run_with_poll(lane);
    return NULL;
}
