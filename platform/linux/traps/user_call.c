/* SPDX-License-Identifier: MIT
 *
 * user_call.c - see user_call.h.
 *
 * The poller, the table of futexes, the timer, the signals and the helpers take a call from any
 * thread. Only the ring belongs to one thread, the lane's reactor. So a worker that leaves in user
 * mode gives its call to all others itself, and asks the reactor only for the ring.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>

#include "platform/check.h"
#include "platform/container_of.h"
#include "platform/linux/calls/asking.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/calls/call_mask.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/call_signal.h"
#include "platform/linux/calls/futex_table.h"
#include "platform/linux/calls/futex_wake.h"
#include "platform/linux/calls/helper.h"
#include "platform/linux/calls/poller.h"
#include "platform/linux/calls/program_gate.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/calls/signal_wait.h"
#include "platform/linux/calls/watch_queue.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/interrupt/sync_call.h"
#include "platform/linux/os/libc_trial.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/errand.h"
#include "platform/platform.h"
#include "platform/trace/trace.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/lent_call.h"
#include "platform/linux/traps/sigpipe.h"
#include "platform/linux/traps/user_call.h"

/* ---- Begun, and given away ------------------------------------------------------------------- */

/* Attempts the call, with the mask that the call brings along. A call that has to wait with a mask
 * of its own is interrupted by a pending signal that the mask lets through. */
static enum outcome attempt_with_mask(struct call *call)
{
    int error = call_brings_mask(call) ? call_mask_begin(call) : 0;
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

static void timer_fired(struct plat_timer *timer)
{
    struct call *call = CONTAINER_OF(timer, struct call, timer);
    call_complete(call, 0);
}

void call_entrust(struct call *call, enum outcome outcome)
{
    call->how = (uint8_t)outcome;
    switch (outcome) {
    case CALL_TIMER:
        call->timer.deadline = call->deadline;
        call->timer.fire = timer_fired;
        timer_add_in(call->lane, &call->timer);
        break;
    case CALL_SIGNAL:
        signal_wait_start(call);
        break;
    default:
        helper_submit(call);
        break;
    }
}

/* The worker itself calls this. Its baton opens when the call is over. */
static void call_leave(struct lane *lane, struct call *call, enum outcome outcome)
{
    if (outcome == CALL_WAIT) {
        call->how = CALL_WAIT;
        if (poller_watch(lane, call) ||
            (call->entry->ops == &ops_futex && futex_table_enter(lane, call)))
            return;
    }
    if (outcome == CALL_ARM ||
        (outcome == CALL_WAIT && lane->have_ring && call->entry->ops->submit))
        lane_post(lane, call, outcome);
    else
        call_entrust(call, outcome == CALL_WAIT ? CALL_HELPER : outcome);
}

/* ---- On the worker --------------------------------------------------------------------------- */

static inline void wait_for_baton(struct plat_context *self, struct lane *lane, struct call *call,
                                  enum outcome outcome)
{
    struct baton baton = {.word = BATON_SHUT, .worker = self};
    watch_begin(call, outcome == CALL_WAIT);
    call->in_flight = true;
    call->how = (uint8_t)outcome;
    call->baton = &baton;
    trace(self->scheduler, TRACE_WAIT_CALL, self, (uint64_t)call->args[0],
          (uint32_t)call->entry->nr, DOOR_FUNCTION);
    place_leave(self->thread);
    call_leave(lane, call, outcome);
    baton_wait(&baton);
    place_take(self->thread);
}

/* How a cancellation ends the call. BY_FRONT: the library's own definition of a libc function tests
 * for it. Within libc, libc does: its handler decides (signal_run.c, BY_HANDLER); since 2.41 the
 * function that made the call looks when the call was interrupted (BY_CALLER). `at` is the address
 * behind a `syscall` that may be that function's; NULL: it is. It is compared only once the worker
 * is cancelled: the trial that finds the function may come after the call has begun. */
enum cancelled_by { BY_FRONT, BY_HANDLER, BY_CALLER };

/* Whether the call is libc's wait for a word without a limit, the most frequent call of all. It
 * needs no attempt in the kernel: the table of futexes looks at the word itself. */
static inline bool waits_plainly(const struct call *call)
{
    const long *a = call->args;
    long operation = a[1] & ~FUTEX_CLOCK_REALTIME;
    return (a[1] == (FUTEX_WAIT | FUTEX_PRIVATE_FLAG) ||
            (operation == (FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG) && (uint32_t)a[5])) &&
           !a[3] && !(a[0] & 3) && futex_word_known(call);
}

static inline enum outcome attempt(struct call *call)
{
    return call->entry->ops == &ops_futex && waits_plainly(call) ? CALL_WAIT
                                                                 : attempt_with_mask(call);
}

/* A scheduler that hardly does anything but calls is seldom outside the library when a stop comes.
 * So it looks for a stop itself, before and after the call. */
static void stop_here(struct plat_context *scheduler)
{
    signals_look(scheduler);
    plat_stop_point(scheduler);
}

static long as_it_stands(struct plat_context *self, long nr, const long args[6])
{
    if (self->is_scheduler && UMS_UNLIKELY(plat_stop_due(self)))
        stop_here(self);
    long result = program_gate(nr, args);
    if (self->is_scheduler && UMS_UNLIKELY(plat_stop_due(self)))
        stop_here(self);
    return result;
}

/* Whether the caller is a copy of the worker, made by a bare clone, which the library does not see
 * without the filter. The copy has the worker's thread-local variables, and may share its memory,
 * but none of the engine's threads. So it makes its calls itself. */
static bool in_copy(const struct plat_context *scheduler)
{
    return UMS_UNLIKELY(!scheduler->runs.hosted) && own_process_is_another();
}

/* Whether a handler that the kernel runs makes the call, on top of another one of the worker's,
 * whose record it must leave alone. That is so where the scheduler's own thread carries its
 * workers: the program's mask is the kernel's there. */
static bool on_top(const struct plat_context *self)
{
    return UMS_UNLIKELY(!self->scheduler->runs.hosted) &&
           atomic_load_explicit(&self->signals.barred, memory_order_relaxed);
}

/* Seen by a stop signal's handler on the same thread. */
static inline void bar_signals(struct plat_context *self, bool barred)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&self->signals.barred, barred, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

static inline long call_as(struct plat_context *self, const struct call_row *entry, long nr,
                           const long args[6], enum cancelled_by by, const void *at)
{
    struct plat_context *scheduler = self->is_scheduler ? NULL : self->scheduler;
    /* A worker may have another scheduler after each point where it can be interrupted. A lane
     * stays. */
    struct lane *lane = scheduler ? scheduler->lane : NULL;
    if (lane && entry && (in_copy(scheduler) || on_top(self)))
        lane = NULL;
    long let_go;
    if (nr == SYS_futex && futex_lets_go(self, args, &let_go))
        return let_go;
    if (!lane || !entry)
        return lane && call_is_lent(nr) ? lent_call(self, nr, args, 0, by == BY_CALLER && !at)
                                        : as_it_stands(self, nr, args);

    struct call *call = &self->call;
    if (by == BY_FRONT &&
        UMS_UNLIKELY(atomic_load_explicit(&self->signals.cancelled, memory_order_relaxed)))
        pthread_testcancel();
    uint64_t deadline = PLAT_FOREVER;
    for (;;) {
        bar_signals(self, true);
        call_begin(call, lane, entry);
        call->deadline = deadline;
        memcpy(call->args, args, sizeof call->args);
        enum outcome outcome = attempt(call);
        if (outcome == CALL_PASS)
            bar_signals(self, false);
        if (outcome == CALL_PASS && entry->ops->readiness != EPOLLOUT)
            return lent_call(self, nr, args, 0, by == BY_CALLER && !at);
        if (outcome == CALL_PASS) {
            long result = raw_syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
            if (result >= 0 || result == -EINPROGRESS)
                asking_after_write(lane, (int)args[0]);
            raise_sigpipe(call, result);
            signals_look(self);
            return result;
        }
        if (outcome != CALL_DONE)
            wait_for_baton(self, lane, call, outcome);
        else if (call->entry->ops->readiness == EPOLLOUT)
            asking_after_write(lane, (int)args[0]);
        long result = call->result;
        bool interrupted = call->interrupted, restarts = interrupted && call_restarts(call);
        bar_signals(self, false);
        if (UMS_LIKELY(!interrupted)) {
            signals_look(self); /* for SIGPIPE, too */
            return result;
        }
        struct signals_ran ran = signals_run(self, NULL);
        if (by == BY_FRONT)
            pthread_testcancel();
        if ((ran.any && !(ran.restarts && restarts)) ||
            (by == BY_CALLER && cancellation_due(self) && (!at || cancellation_looks(at))) ||
            sync_call_asked())
            return result;
        if (plat_tls.current != self) /* the handler forked, and this is the child */
            return raw_syscall(nr, args[0], args[1], args[2], args[3], args[4], args[5]);
        if (call_keeps_deadline(call))
            deadline = call->deadline;
    }
}

long user_call_of_libc(struct plat_context *self, long nr, const long args[6])
{
    return call_as(self, trapped_call_stopped((int)nr, args), nr, args, BY_FRONT, NULL);
}

long user_call(struct plat_context *self, long nr, const long args[6])
{
    return call_as(self, trapped_call_stopped((int)nr, args), nr, args, BY_HANDLER, NULL);
}

long user_call_by_row(struct plat_context *self, const struct call_row *row, const long args[6])
{
    return call_as(self, row, row->nr, args, BY_FRONT, NULL);
}

long user_call_cancellable(struct plat_context *self, long nr, const long args[6], const void *at)
{
    return call_as(self, trapped_call_stopped((int)nr, args), nr, args, BY_CALLER, at);
}

long user_call_at_home(struct plat_context *self, struct lane *lane, const long args[5])
{
    struct call *call = &self->call;
    if (in_copy(self->scheduler))
        return ((home_function *)args[0])(args + 1);
    do {
        call_begin(call, lane, &home_function_call);
        memcpy(call->args, args, 5 * sizeof *args);
        wait_for_baton(self, lane, call, CALL_HELPER);
        signals_look(self);
    } while (call->result == -EINTR); /* a signal took the call back before the home began with
                                       * it */
    return call->result;
}
