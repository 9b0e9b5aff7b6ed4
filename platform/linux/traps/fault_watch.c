/* SPDX-License-Identifier: MIT
 *
 * fault_watch.c - finding workers that sleep in a page fault, and giving their schedulers other carriers.
 *
 * A page fault is no system call, so no filter stops it. The timer thread looks once in a millisecond at
 * each carrier that has a worker loaded: /proc/self/task/N/syscall says whether its thread sleeps, and whether in
 * a system call or, "-1", in a fault. A fault that is there at two looks, a quarter of a millisecond apart, is
 * taken for a long one. Then the protocol of interrupt/fault.h begins.
 *
 * Only an uninterruptible sleep will do (state D), as faults on files, swap and the address space's lock are.
 * The stop signal would end any other with nothing achieved: a fault that userfaultfd sees to is one. And only
 * one where the worker could be switched away by a stop: outside this library, with no lock of its held.
 * The carrier tells the end of the fault by a notification, so lanes with a listener are watched and no others,
 * where a received notification stays (Linux 5.19).
 *
 * While all schedulers sleep nobody looks. The thread that looks says so (`resting`) and then asks each once more; a
 * scheduler that wakes says so (`asleep`) and then reads `resting`. The order of these four is total, so one of the two
 * sees the other; whichever lowers `resting` sets the timer again.
 *
 * All else here runs on the timer thread. No scheduler can vanish once its carrier is known to be asleep for
 * one of its workers; before that only memory is read that stays what it is (contexts, carriers).
 */
#include "platform/linux/traps/fault_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/linux/engine.h"
#include "platform/linux/interrupt/fault.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/traps/calls.h"
#include "platform/trace/trace.h"

enum { LOOK_NS = 1000000, AGAIN_NS = 250000, FILES = 16, SUSPECTS = 16 };

/* ---- What the kernel tells of a thread -------------------------------------------------------------- */

/* Open files of /proc, by thread. */
static struct {
    pid_t tid;
    int fd;
} files[FILES];

static long read_file(int fd, char *text, size_t size)
{
    long got = RAW4(SYS_pread64, fd, text, size - 1, 0);
    text[got > 0 ? got : 0] = 0;
    return got;
}

static int open_of(pid_t tid, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)tid, name);
    return (int)RAW3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
}

static int file_of(pid_t tid)
{
    unsigned at = (unsigned)tid % FILES;
    if (files[at].tid == tid)
        return files[at].fd;
    if (files[at].tid)
        RAW1(SYS_close, files[at].fd);
    files[at].fd = fd_move_high(open_of(tid, "syscall"));
    files[at].tid = files[at].fd < 0 ? 0 : tid;
    return files[at].fd;
}

/* Whether it sleeps in a fault; where. */
static bool in_fault(pid_t tid, struct fault_place *place)
{
    char text[256], *rest;
    int fd = file_of(tid);
    if (fd < 0 || read_file(fd, text, sizeof text) <= 0 || strncmp(text, "-1 ", 3) != 0)
        return false;
    place->stack = strtoul(text + 3, &rest, 16);
    place->code = strtoul(rest, NULL, 16);
    return place->code;
}

static unsigned long mask_in(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? strtoul(at + strlen(name), NULL, 16) : 0;
}

/* Whether its sleep lasts whatever signals come, and the stop signal is open, and pending or not as wanted. */
static bool sleeps_through(pid_t tid, bool pending)
{
    char text[4096];
    unsigned long bit = 1ul << (stop_signal - 1);
    int fd = open_of(tid, "status");
    if (fd < 0)
        return false;
    read_file(fd, text, sizeof text);
    RAW1(SYS_close, fd);
    return strstr(text, "\nState:\tD") && !(mask_in(text, "\nSigBlk:\t") & bit) &&
           (!pending || mask_in(text, "\nSigPnd:\t") & bit);
}

/* ---- Taking the scheduler ---------------------------------------------------------------------------- */

struct suspect {
    struct plat_context *scheduler, *worker;
    struct carrier *carrier;
    struct fault_place place;
};

/* With the carrier asleep: whether the worker could be switched away here. */
static bool may_leave(const struct suspect *suspect)
{
    const struct plat_context *worker = suspect->worker;
    if (suspect->carrier->context != worker || suspect->carrier->scheduler != suspect->scheduler ||
        suspect->scheduler->carrier != suspect->carrier ||
        worker->scheduler != suspect->scheduler || worker->call.in_flight)
        return false;
    const struct plat_tls *tls = tls_at(worker->fs_base);
    return !tls->locks && !tls->ending;
}

static void give_away(const struct suspect *suspect)
{
    struct plat_context *worker = suspect->worker, *scheduler = suspect->scheduler;
    struct lane *home = scheduler->lane;
    struct call *call = &worker->call;
    call_begin(call, suspect->carrier->lane, trapped_call_find(SYS_tuxcall));
    call->args[0] = (long)suspect->place.code; /* for who looks from outside */
    call->in_kernel = true;
    call->withdrawn = false;
    call->how = CALL_FAULT;
    call->in_flight = true;
    worker->kernel_at = suspect->carrier;
    worker->left_at = engine_clock_set(plat_now());
    scheduler->blocked_by = worker;
    scheduler->by_fault = true;
    engine_core->worker_blocked(worker);
    trace(NULL, TRACE_BLOCK, worker, suspect->place.code, SYS_tuxcall, DOOR_TRAP);
    struct carrier *next = lane_reserve(home, scheduler);
    atomic_store_explicit(&worker->lent, FAULT_GIVEN, memory_order_release);
    futex_wake(&worker->lent, 1);
    lane_assign(home, next, scheduler);
}

static void take(const struct suspect *suspect)
{
    struct plat_context *worker = suspect->worker;
    pid_t tid = suspect->carrier->tid;
    uint32_t lent = FAULT_NO;
    struct fault_place now;
    if (library_holds((const void *)suspect->place.code) || !sleeps_through(tid, false) ||
        !atomic_compare_exchange_strong_explicit(&worker->lent, &lent, FAULT_OFFERED,
                                                 memory_order_acq_rel, memory_order_relaxed))
        return;
    RAW3(SYS_tgkill, RAW0(SYS_getpid), tid, stop_signal);
    bool stays = in_fault(tid, &now) && now.stack == suspect->place.stack &&
                 now.code == suspect->place.code && sleeps_through(tid, true) && may_leave(suspect);
    lent = FAULT_OFFERED;
    if (atomic_compare_exchange_strong_explicit(&worker->lent, &lent,
                                                stays ? FAULT_TAKEN : FAULT_NO,
                                                memory_order_acq_rel, memory_order_relaxed) &&
        stays)
        give_away(suspect);
}

/* ---- Resting ------------------------------------------------------------------------------------------ */

static bool watching;
static _Atomic bool resting;
static struct plat_timer next_look;

static void look_in(uint64_t nanoseconds)
{
    next_look.deadline = plat_now() + nanoseconds;
    timer_add_in(NULL, &next_look);
}

static bool may_rest(struct plat_context *scheduler)
{
    return !scheduler->hosted || atomic_load(&scheduler->asleep);
}

static void ask_awake(struct plat_context *scheduler, void *awake)
{
    *(bool *)awake |= !may_rest(scheduler);
}

static void rest(void)
{
    bool awake = false;
    atomic_store(&resting, true);
    schedulers_each(ask_awake, &awake);
    if (awake && atomic_exchange(&resting, false))
        look_in(LOOK_NS);
}

void fault_watch_sleep(struct plat_context *scheduler)
{
    if (UMS_UNLIKELY(watching))
        atomic_store(&scheduler->asleep, true);
}

void fault_watch_wake(struct plat_context *scheduler)
{
    if (UMS_LIKELY(!watching))
        return;
    atomic_store(&scheduler->asleep, false);
    if (atomic_load(&resting) && atomic_exchange(&resting, false))
        look_in(LOOK_NS);
}

/* ---- Looking ------------------------------------------------------------------------------------------ */

struct look {
    struct suspect suspects[SUSPECTS];
    unsigned count;
    bool again; /* some fault was seen for the first time */
    bool awake; /* some scheduler does not sleep */
};

static void look_at(struct plat_context *scheduler, void *arg)
{
    struct look *look = arg;
    struct carrier *carrier = __atomic_load_n(&scheduler->carrier, __ATOMIC_ACQUIRE);
    struct plat_context *worker = carrier && carrier->lane->listener >= 0 && engine_caps.killable
                                      ? __atomic_load_n(&carrier->context, __ATOMIC_RELAXED)
                                      : NULL;
    struct fault_place place, *before = &scheduler->fault_seen;
    look->awake |= !may_rest(scheduler);
    if (!worker || !in_fault(carrier->tid, &place)) {
        before->code = 0;
    } else if (before->code != place.code || before->stack != place.stack) {
        *before = place;
        look->again = true;
    } else if (look->count < SUSPECTS) {
        before->code = 0;
        look->suspects[look->count++] = (struct suspect){scheduler, worker, carrier, place};
    }
}

static void look(struct plat_timer *timer)
{
    (void)timer;
    struct look look = {.count = 0};
    schedulers_each(look_at, &look);
    for (unsigned i = 0; i < look.count; i++)
        take(&look.suspects[i]);
    if (look.awake)
        look_in(look.again ? AGAIN_NS : LOOK_NS);
    else
        rest();
}

void fault_watch(void)
{
    if (!plat_switch("UMSSHIM_FAULTS", '1'))
        return;
    if (file_of((pid_t)RAW0(SYS_gettid)) < 0) {
        plat_log(
            "UMSSHIM_FAULTS=1 wants /proc/self/task/N/syscall, which this system does not have or "
            "does not show: page faults are not noticed");
        return;
    }
    next_look = (struct plat_timer){.fire = look};
    watching = true;
    atomic_store(&resting, true); /* until a scheduler enters */
}

void fault_watch_forget(void)
{
    watching = false;
    for (unsigned i = 0; i < FILES; i++) {
        if (files[i].tid)
            RAW1(SYS_close, files[i].fd);
        files[i].tid = 0;
    }
}
