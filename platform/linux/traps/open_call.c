/* SPDX-License-Identifier: MIT
 *
 * open_call.c - see open_call.h.
 */
#include "platform/linux/traps/open_call.h"

#include <errno.h>

#include "platform/check.h"
#include "platform/container_of.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/calls/open_gate.h"
#include "platform/linux/current.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/timer.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

enum { TURN_NS = 1000000, LOOKS = 256 };

/* ---- On the timer's thread ------------------------------------------------------------------- */

/* While the word is OPEN_TELLING the worker stays in its call, or right after it. */
static void tell(struct lane *lane, const struct carrier *carrier, struct plat_context *worker,
                 uint32_t word)
{
    uint32_t number = word - word % OPEN_STATES;
    if (!atomic_compare_exchange_strong_explicit(&worker->fault.opening.word, &word,
                                                 number | OPEN_TELLING, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return;
    if (RAW3(SYS_tgkill, own_pid(), carrier->tid, stop_signal) < 0)
        atomic_store_explicit(&lane->hosting.opens.refused, true, memory_order_relaxed);
    atomic_store_explicit(&worker->fault.opening.word, number | OPEN_TOLD, memory_order_release);
    futex_wake(&worker->fault.opening.word, 1);
}

struct look {
    struct lane *lane;
    bool any;
};

static void look_at(struct plat_context *scheduler, void *arg)
{
    struct look *look = arg;
    struct carrier *carrier = scheduler->lane == look->lane
                                  ? __atomic_load_n(&scheduler->runs.carrier, __ATOMIC_ACQUIRE)
                                  : NULL;
    struct plat_context *worker =
        carrier ? __atomic_load_n(&carrier->context, __ATOMIC_RELAXED) : NULL;
    uint32_t word = worker ? atomic_load_explicit(&worker->fault.opening.word, memory_order_acquire)
                           : OPEN_NONE;
    if (word % OPEN_STATES == OPEN_NONE)
        return;
    look->any = true;
    if (atomic_exchange_explicit(&worker->fault.opening.seen, word, memory_order_relaxed) == word)
        tell(look->lane, carrier, worker, word);
}

static void start(struct lane *lane)
{
    lane->hosting.opens.timer.deadline = plat_now() + TURN_NS;
    timer_add_in(lane, &lane->hosting.opens.timer);
}

static void turn(struct plat_timer *timer)
{
    struct lane *lane = CONTAINER_OF(timer, struct lane, hosting.opens.timer);
    struct look look = {.lane = lane};
    schedulers_each(look_at, &look);
    if (atomic_exchange(&lane->hosting.opens.wanted, false) || look.any) {
        start(lane);
        return;
    }
    atomic_store(&lane->hosting.opens.runs, false);
    if (atomic_load(&lane->hosting.opens.wanted) &&
        !atomic_exchange(&lane->hosting.opens.runs, true))
        start(lane);
}

/* ---- On the worker --------------------------------------------------------------------------- */

static void want(struct lane *lane)
{
    if (atomic_load_explicit(&lane->hosting.opens.wanted, memory_order_relaxed))
        return;
    atomic_store(&lane->hosting.opens.wanted, true);
    if (atomic_exchange(&lane->hosting.opens.runs, true))
        return;
    lane->hosting.opens.timer.fire = turn;
    start(lane);
}

bool open_can_be_ended(struct call *call)
{
    const struct plat_context *worker = call_worker(call), *scheduler = worker->scheduler;
    return !worker->is_scheduler && scheduler && scheduler->runs.hosted &&
           call->lane->hosting.hosts && stop_signal &&
           !atomic_load_explicit(&call->lane->hosting.opens.refused, memory_order_relaxed);
}

/* Two threads that write at once do no harm, here and below: the number is only an estimate. */
bool open_is_looked_at(const struct call *call)
{
    _Atomic unsigned *looks = &call->lane->hosting.opens.looks;
    unsigned left = atomic_load_explicit(looks, memory_order_relaxed);
    if (left)
        atomic_store_explicit(looks, left - 1, memory_order_relaxed);
    return left;
}

void open_waits(const struct call *call)
{
    atomic_store_explicit(&call->lane->hosting.opens.looks, LOOKS, memory_order_relaxed);
}

/* True: the timer's thread has sent the signal. False: it has not, or open_give_up was called
 * meanwhile. */
static bool come_back(struct plat_context *worker, uint32_t made)
{
    uint32_t number = made - OPEN_MADE, word = made;
    while (!atomic_compare_exchange_strong_explicit(&worker->fault.opening.word, &word, number,
                                                    memory_order_acq_rel, memory_order_acquire)) {
        if (word % OPEN_STATES == OPEN_NONE)
            return false;
        if (word == (number | OPEN_TELLING)) {
            futex_wait(&worker->fault.opening.word, word);
            word = number | OPEN_TOLD;
        }
    }
    if (word == made)
        return false;
    RAW0(SYS_getppid); /* the signal comes at the end of this call at the latest */
    return true;
}

void open_give_up(struct plat_context *worker)
{
    uint32_t word = atomic_load_explicit(&worker->fault.opening.word, memory_order_acquire);
    if (word % OPEN_STATES != OPEN_NONE)
        come_back(worker, word - word % OPEN_STATES + OPEN_MADE);
}

bool open_made(struct call *call)
{
    struct plat_context *worker = call_worker(call);
    uint32_t before = atomic_load_explicit(&worker->fault.opening.word, memory_order_relaxed);
    uint32_t made = before + OPEN_STATES + OPEN_MADE;
    atomic_store_explicit(&worker->fault.opening.word, made, memory_order_release);
    want(call->lane);
    call->result = open_gate(call->entry->nr, call->args);
    return UMS_LIKELY(!come_back(worker, made)) || call->result != -EINTR;
}

enum outcome open_at_once(struct call *call)
{
    if (UMS_LIKELY(open_made(call)))
        return CALL_DONE;
    open_waits(call);
    return CALL_HELPER;
}
