/* SPDX-License-Identifier: MIT
 *
 * fault_watch.c - finding workers that sleep in a page fault, a steady call or a lent one, and
 * giving their schedulers other carriers.
 *
 * A page fault is no system call, so no filter stops it. A steady call (calls.def) and a lent one
 * (lent_call.h) sleep seldom, so stopping each of them would cost too much. Instead an engine
 * thread, the watch, reads /proc/self/task/N/syscall of each carrier that has a worker loaded. The
 * lane's idle watch calls it: that thread runs when the lane's processor has nothing else to do,
 * some microseconds after the carrier fell asleep (idle_watch.c). A processor that other programs
 * keep busy is never idle, so the watch looks every 50 ms as well. If a sleep is seen twice, by the
 * idle watch and the watch or at two looks of the watch, the protocol of interrupt/fault.h begins.
 *
 * The scheduler of a worker in an uninterruptible sleep (state D) leaves at once. Faults on files,
 * on swap and on the address space's lock sleep so. A fault that userfaultfd handles ends with any
 * signal: so the watch asks the carrier to begin the fault anew with its signals blocked. In a lent
 * call the worker has offered its scheduler itself, and the watch sends no signal. In any other
 * system call the worker keeps its scheduler. All this holds only where a stop could switch the
 * worker away (interrupt/stop.c), that is outside this library, without a lock of the library's,
 * and while the worker does not use its call, whose record the watch takes; and only in lanes with
 * carriers.
 *
 * While all schedulers sleep the watch rests. It sets `resting`, and then reads each scheduler's
 * `asleep` once more. A scheduler that wakes clears `asleep`, and then reads `resting`. The order
 * of these four accesses is total, so one of the two threads sees the other. The thread that clears
 * `resting` has the watch look again.
 *
 * A scheduler cannot end while its carrier sleeps in one of its workers. Before the watch knows
 * that, it reads only memory that is never freed (contexts, carriers).
 */
#include "platform/linux/dispatch/port_limit.h"
#include "platform/linux/traps/fault_watch.h"

#include <sched.h>

#include "platform/check.h"
#include "platform/linux/calls/call.h"
#include "platform/linux/calls/call_ops.h"
#include "platform/linux/current.h"
#include "platform/linux/interrupt/fault.h"
#include "platform/linux/interrupt/fault_access.h"
#include "platform/linux/calls/lent_gate.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/hold.h"
#include "platform/linux/switch/lane.h"
#include "platform/linux/traps/calls.h"
#include "platform/linux/traps/fault_place.h"
#include "platform/platform.h"
#include "platform/trace/trace.h"

enum { STACK_BYTES = 128 << 10, SUSPECTS = 16, LOOK_NS = 50000000, AGAIN_NS = 250000 };

/* ---- What the kernel tells of a thread ------------------------------------------------------- */

static struct fault_files syscalls, states, wchans;

static bool unseen(pid_t tid, struct fault_place *place)
{
    return fault_place_find(&syscalls, tid, place) == SLEEP_UNSEEN;
}

/* ---- Taking the scheduler -------------------------------------------------------------------- */

struct suspect {
    struct plat_context *scheduler, *worker;
    struct carrier *carrier;
    struct fault_place place;
};

/* The carrier is asleep. Whether the worker could be switched away at this place. */
static bool may_leave(const struct suspect *suspect)
{
    const struct plat_context *worker = suspect->worker;
    if (suspect->carrier->context != worker || suspect->carrier->scheduler != suspect->scheduler ||
        suspect->scheduler->runs.carrier != suspect->carrier ||
        worker->scheduler != suspect->scheduler || worker->call.in_flight ||
        hold_is_on(suspect->scheduler))
        return false;
    const struct plat_tls *tls = tls_at(worker->fs_base);
    return !tls->locks && !tls->ending &&
           !atomic_load_explicit(&worker->signals.barred, memory_order_relaxed);
}

/* Where in the program the worker sleeps. */
static uintptr_t code_of(const struct suspect *suspect)
{
    if (lent_gate_holds(suspect->place.code) && suspect->worker->fault.from)
        return suspect->worker->fault.from;
    return fault_touches(suspect->place.code) ? suspect->worker->fault.asked.code
                                              : suspect->place.code;
}

static void give_away(const struct suspect *suspect)
{
    struct plat_context *worker = suspect->worker, *scheduler = suspect->scheduler;
    struct lane *home = scheduler->lane;
    struct call *call = &worker->call;
    call_begin(call, suspect->carrier->lane, trapped_call_find(SYS_tuxcall));
    call->args[0] = (long)code_of(suspect); /* for debuggers and reports */
    call->args[1] = suspect->place.call;
    call->how = CALL_FAULT;
    call->in_flight = true;
    worker->kernel_at = suspect->carrier;
    worker->left_at = engine_clock_set(plat_now());
    scheduler->blocked_by = worker;
    scheduler->by_fault = suspect->place.call < 0;
    engine_core->worker_blocked(worker);
    trace(NULL, TRACE_BLOCK, worker, code_of(suspect),
          scheduler->by_fault ? SYS_tuxcall : (uint32_t)suspect->place.call, DOOR_TRAP);
    place_leave(worker->thread); /* the worker is this thread's until FAULT_GIVEN */
    struct carrier *next = lane_reserve(home, scheduler);
    atomic_store_explicit(&worker->fault.lent, FAULT_GIVEN, memory_order_release);
    futex_wake(&worker->fault.lent, 1);
    lane_assign(home, next, scheduler);
}

static void stop(const struct suspect *suspect)
{
    RAW3(SYS_tgkill, own_pid(), suspect->carrier->tid, stop_signal);
}

/* Whether the carrier still sleeps at that place. */
static bool stays(const struct suspect *suspect)
{
    struct fault_place now;
    return unseen(suspect->carrier->tid, &now) && fault_place_same(&now, &suspect->place) &&
           may_leave(suspect);
}

static bool change(const struct suspect *suspect, enum page_fault from, enum page_fault to)
{
    uint32_t lent = from;
    return atomic_compare_exchange_strong_explicit(&suspect->worker->fault.lent, &lent, to,
                                                   memory_order_acq_rel, memory_order_relaxed);
}

/* Takes the scheduler that the worker has offered (FAULT_OFFERED) or lent (FAULT_LENT). */
static bool accept_it(const struct suspect *suspect, enum page_fault said)
{
    if (!stays(suspect) || !change(suspect, said, FAULT_TAKEN))
        return false;
    give_away(suspect);
    return true;
}

static bool take_lasting(const struct suspect *suspect)
{
    if (!change(suspect, FAULT_NO, FAULT_OFFERED))
        return false;
    stop(suspect);
    if (fault_sleep_lasts(&states, suspect->carrier->tid, stop_signal, true) &&
        accept_it(suspect, FAULT_OFFERED))
        return true;
    change(suspect, FAULT_OFFERED, FAULT_NO);
    return false;
}

static bool ask(const struct suspect *suspect)
{
    struct plat_context *worker = suspect->worker;
    if (atomic_load_explicit(&worker->fault.unknown, memory_order_relaxed) == suspect->place.code)
        return false;
    worker->fault.asked = suspect->place;
    if (!change(suspect, FAULT_NO, FAULT_ASKED))
        return false;
    stop(suspect);
    return true;
}

/* True: the watch has taken the worker off its carrier, or has asked the worker to offer itself.
 * False: the worker keeps its carrier. */
static bool take(const struct suspect *suspect)
{
    pid_t tid = suspect->carrier->tid;
    if (fault_touches(suspect->place.code))
        return accept_it(suspect, FAULT_OFFERED);
    if (lent_gate_holds(suspect->place.code))
        return accept_it(suspect, FAULT_LENT);
    if (library_holds((const void *)suspect->place.code))
        return false;
    /* The worker had been asked, but left its carrier before the signal came. Now it sleeps
     * again. */
    change(suspect, FAULT_ASKED, FAULT_NO);
    if (fault_sleep_lasts(&states, tid, stop_signal, false))
        return take_lasting(suspect);
    return suspect->place.call < 0 && fault_sleep_yields(&wchans, tid) && ask(suspect);
}

/* ---- Resting --------------------------------------------------------------------------------- */

enum { LOOK = 1, SEEN = 2 }; /* SEEN: an idle watch found a carrier that sleeps unseen */

static bool watching;
static _Atomic pid_t watch_tid;          /* 0: the watch has not begun */
static _Atomic int watch_processor = -1; /* the processor that the watch was last called to */
/* resting: the watch rests. in_vain: an idle watch called it last, and it took no worker. */
static _Atomic bool resting, in_vain;
static _Atomic uint32_t called; /* futex */

static void wake_watch(uint32_t what)
{
    if (!(atomic_fetch_or(&called, what) & what))
        futex_wake(&called, 1);
}

/* Moves the watch to the caller's processor and wakes it. There the watch runs at once: the carrier
 * sleeps, and the caller has the lowest scheduling class. Another processor might have to wake up
 * first. */
void fault_watch_call(int processor)
{
    pid_t tid = atomic_load_explicit(&watch_tid, memory_order_relaxed);
    if (tid &&
        atomic_exchange_explicit(&watch_processor, processor, memory_order_relaxed) != processor) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(processor, &set);
        RAW3(SYS_sched_setaffinity, tid, sizeof set, &set);
    }
    wake_watch(SEEN);
}

bool fault_watch_in_vain(void)
{
    return atomic_load_explicit(&in_vain, memory_order_relaxed);
}

static bool may_rest(struct plat_context *scheduler)
{
    return !scheduler->runs.hosted || atomic_load(&scheduler->runs.asleep);
}

static void ask_awake(struct plat_context *scheduler, void *awake)
{
    *(bool *)awake |= !may_rest(scheduler);
}

/* When to look by itself. */
static uint64_t rest(void)
{
    bool awake = false;
    atomic_store(&resting, true);
    schedulers_each(ask_awake, &awake);
    bool goes_on = awake && atomic_exchange(&resting, false);
    return goes_on ? plat_now() + LOOK_NS : PLAT_FOREVER;
}

void fault_watch_sleep(struct plat_context *scheduler)
{
    if (UMS_LIKELY(!watching))
        return;
    atomic_store(&scheduler->runs.asleep, true);
    lane_show(scheduler);
}

void fault_watch_wake(struct plat_context *scheduler)
{
    if (UMS_LIKELY(!watching))
        return;
    atomic_store(&scheduler->runs.asleep, false);
    lane_show(scheduler);
    if (atomic_load(&resting) && atomic_exchange(&resting, false))
        wake_watch(LOOK);
}

/* ---- Looking --------------------------------------------------------------------------------- */

struct look {
    struct suspect suspects[SUSPECTS];
    unsigned count;
    bool seen;  /* an idle watch has seen a sleep already */
    bool again; /* this look saw a sleep for the first time */
    bool awake; /* some scheduler does not sleep */
};

static void look_at(struct plat_context *scheduler, void *arg)
{
    struct look *look = arg;
    struct carrier *carrier = __atomic_load_n(&scheduler->runs.carrier, __ATOMIC_ACQUIRE);
    struct plat_context *worker = carrier && carrier->lane->hosting.hosts
                                      ? __atomic_load_n(&carrier->context, __ATOMIC_RELAXED)
                                      : NULL;
    struct fault_place place, *before = &scheduler->fault.seen;
    look->awake |= !may_rest(scheduler);
    if (!worker || !unseen(carrier->tid, &place)) {
        before->code = 0;
    } else if (!look->seen && !fault_place_same(before, &place)) {
        *before = place;
        look->again = true;
    } else if (look->count < SUSPECTS) {
        before->code = 0;
        look->suspects[look->count++] = (struct suspect){scheduler, worker, carrier, place};
    }
}

/* When to look by itself. */
static uint64_t look(bool seen)
{
    struct look look = {.seen = seen};
    bool taken = false;
    schedulers_each(look_at, &look);
    for (unsigned i = 0; i < look.count; i++)
        taken |= take(&look.suspects[i]);
    if (seen)
        atomic_store_explicit(&in_vain, !taken, memory_order_relaxed);
    if (look.awake)
        return plat_now() + (look.again ? AGAIN_NS : LOOK_NS);
    return rest();
}

static void *fault_watch_main(void *unused)
{
    kthread_name("ums:faults");
    uint64_t until = PLAT_FOREVER; /* the first scheduler that enters wakes the watch */
    plat_tls.counting.counted = true;
    affinity_reset();
    atomic_store_explicit(&watch_tid, own_tid(), memory_order_relaxed);
    for (;;) {
        uint32_t what = atomic_exchange(&called, 0);
        if (!what && futex_wait_until(&called, 0, until))
            continue;
        until = look(what & SEEN);
    }
    return unused;
}

void fault_watch(void)
{
    struct fault_place place;
    pthread_t thread;
    if (!plat_switch("UMSSHIM_FAULTS", '1'))
        return;
    if (fault_place_find(&syscalls, own_tid(), &place) == SLEEP_UNKNOWN) {
        plat_log(
            "UMSSHIM_FAULTS=1 wants /proc/self/task/N/syscall, which this system does not have or "
            "does not show: page faults are not noticed");
        return;
    }
    atomic_store(&resting, true);
    int error = kthread_create(&thread, STACK_BYTES, fault_watch_main, NULL);
    watching = !error;
    if (error)
        plat_log("page faults are not noticed: %s", kthread_failure(error));
}

bool fault_watch_wanted(void)
{
    return watching;
}

void fault_watch_forget(void)
{
    watching = false;
    atomic_store_explicit(&watch_tid, 0, memory_order_relaxed); /* that thread is the parent's */
    atomic_store_explicit(&watch_processor, -1, memory_order_relaxed);
    fault_files_close(&syscalls);
    fault_files_close(&states);
    fault_files_close(&wchans);
}
