/* SPDX-License-Identifier: MIT
 *
 * The watch for sleeps that no filter stops (platform/linux/traps/fault_watch.c) takes a scheduler from a worker that it
 * has seen asleep twice in one place, that still is, and that could leave there; and it rests while all schedulers sleep.
 */
#include "platform/linux/traps/fault_watch.c"

#include "doubles.h"
#include "gtest_c.h"
#include "silent_trace.h"

#include <string.h>

struct engine_clock engine_clock;
struct trace_state trace_state;
int stop_signal = 41;

enum { TID = 700, CODE = 0x1000, ELSEWHERE = 0x2000 };

static struct plat_context worker, scheduler;
static struct plat_thread thread;
static struct carrier carrier, free_carrier;
static struct lane lane;
static struct fault_place place; /* where the carrier sleeps; code 0: it does not */
static unsigned blocked, given, signals;
static void (*as_signal_comes)(void), (*as_schedulers_are_asked)(void);

enum sleep_kind fault_place_find(struct fault_files *files, pid_t tid, struct fault_place *found)
{
    EXPECT_EQ(files, &syscalls);
    EXPECT_EQ(tid, TID);
    *found = place;
    return place.code ? SLEEP_UNSEEN : SLEEP_NONE;
}

bool fault_sleep_lasts(struct fault_files *files, pid_t tid, int signal, bool pending)
{
    EXPECT_EQ(files, &states);
    EXPECT_EQ(signal, stop_signal);
    return place.code != 0;
}

bool fault_sleep_yields(struct fault_files *files, pid_t tid)
{
    return false;
}

/* Two pieces of the library's own code, as long as it takes to sleep in them. */
__asm__(".pushsection .text\n"
        "lent_gate: .skip 16\n"
        "lent_gate_end: fault_touch: .skip 16\n"
        "fault_touch_end:\n"
        ".popsection");

pid_t own_pid(void)
{
    return 1;
}

static void once(void (**act)(void))
{
    void (*now)(void) = *act;

    *act = NULL;
    if (now)
        now();
}

void schedulers_each(void (*each)(struct plat_context *of, void *arg), void *arg)
{
    once(&as_schedulers_are_asked);
    each(&scheduler, arg);
}

const struct call_row *trapped_call_find(int number)
{
    return NULL;
}

void port_settle(struct object *port)
{
    FAIL("no thread here serves a port");
}

struct carrier *lane_reserve(struct lane *of, struct plat_context *which)
{
    EXPECT_EQ(blocked, 1u); /* before another carrier can run the scheduler */
    return &free_carrier;
}

void lane_assign(struct lane *of, struct carrier *to, struct plat_context *which)
{
    EXPECT_EQ(to, &free_carrier);
    EXPECT_EQ(which, &scheduler);
    EXPECT_EQ(atomic_load(&worker.fault.lent), (uint32_t)FAULT_GIVEN);
    given++;
}

void lane_show(const struct plat_context *which)
{
}

static void worker_blocked(struct plat_context *which)
{
    EXPECT_EQ(which, &worker);
    EXPECT_EQ(atomic_load(&worker.fault.lent), (uint32_t)FAULT_TAKEN);
    EXPECT_EQ(worker.kernel_at, &carrier);
    blocked++;
}

static const struct plat_core core = {.worker_blocked = worker_blocked};
const struct plat_core *engine_core = &core;

static long kernel(long nr, const long args[6])
{
    if (nr == SYS_tgkill) {
        EXPECT_EQ(args[1], TID);
        EXPECT_EQ(args[2], stop_signal);
        signals++;
        once(&as_signal_comes);
    }
    return 0;
}

static void start(void)
{
    memset(&thread, 0, sizeof thread);
    lane = (struct lane){.hosting = {.hosts = true}};
    scheduler = (struct plat_context){.lane = &lane, .is_scheduler = true};
    scheduler.runs.hosted = true;
    scheduler.runs.carrier = &carrier;
    worker = (struct plat_context){.scheduler = &scheduler, .thread = &thread};
    worker.fs_base = thread_pointer(); /* its block is this thread's */
    carrier =
        (struct carrier){.lane = &lane, .tid = TID, .scheduler = &scheduler, .context = &worker};
    place = (struct fault_place){.code = CODE, .stack = 1, .call = -1};
    blocked = given = signals = 0;
    as_signal_comes = as_schedulers_are_asked = NULL;
    plat_tls.locks = 0;
    double_now = 1000;
    double_syscall = kernel;
    watching = true;
    atomic_store(&resting, false);
    atomic_store(&called, 0);
}

static uint32_t lent(void)
{
    return atomic_load(&worker.fault.lent);
}

/* ---- Taking ---------------------------------------------------------------------------------- */

TEST(FaultWatch, a_sleep_that_is_seen_twice_is_taken)
{
    start();
    EXPECT_EQ(look(false), double_now + AGAIN_NS);
    EXPECT_EQ(given, 0u);
    EXPECT_EQ(look(false), double_now + LOOK_NS);
    EXPECT_EQ(blocked, 1u);
    EXPECT_EQ(given, 1u);
    EXPECT_EQ(signals, 1u);
    EXPECT_EQ(scheduler.by_fault, true);
    EXPECT_EQ(scheduler.blocked_by, &worker);
}

TEST(FaultWatch, a_sleep_that_another_has_seen_is_taken_at_once)
{
    start();
    look(true);
    EXPECT_EQ(given, 1u);
    EXPECT_EQ(fault_watch_in_vain(), false);
}

TEST(FaultWatch, two_sleeps_are_not_one)
{
    start();
    look(false);
    place.code = ELSEWHERE;
    look(false);
    EXPECT_EQ(given, 0u);
    place.code = 0; /* it runs */
    look(false);
    place.code = ELSEWHERE;
    look(false);
    EXPECT_EQ(given, 0u);
}

static void wakes_up(void) /* the carrier's handler, first thing */
{
    uint32_t offered = FAULT_OFFERED;

    EXPECT_EQ(atomic_compare_exchange_strong(&worker.fault.lent, &offered, FAULT_NO), true);
}

TEST(FaultWatch, a_worker_that_wakes_up_meanwhile_is_not_taken)
{
    start();
    as_signal_comes = wakes_up;
    look(true);
    EXPECT_EQ(blocked + given, 0u);
    EXPECT_EQ(lent(), (uint32_t)FAULT_NO);
    EXPECT_EQ(fault_watch_in_vain(), true);
}

static void sleeps_elsewhere(void)
{
    place.code = ELSEWHERE;
}

TEST(FaultWatch, a_worker_that_sleeps_elsewhere_meanwhile_is_not_taken)
{
    start();
    as_signal_comes = sleeps_elsewhere;
    look(true);
    EXPECT_EQ(blocked + given, 0u);
    EXPECT_EQ(lent(), (uint32_t)FAULT_NO);
}

static void has_a_lock(void)
{
    plat_tls.locks = 1;
}

TEST(FaultWatch, a_worker_that_has_a_lock_is_not_taken)
{
    start();
    as_signal_comes = has_a_lock;
    look(true);
    EXPECT_EQ(blocked + given, 0u);
    EXPECT_EQ(lent(), (uint32_t)FAULT_NO);
}

static void is_on_another_carrier(void)
{
    scheduler.runs.carrier = &free_carrier;
}

TEST(FaultWatch, a_worker_that_uses_its_call_is_not_taken)
{
    start();
    worker.signals.barred = true; /* it copies the call's arguments, say */
    look(true);
    EXPECT_EQ(given, 0u);
    worker.signals.barred = false;
    look(true);
    EXPECT_EQ(given, 1u);
}

TEST(FaultWatch, a_scheduler_that_has_gone_on_is_not_taken)
{
    start();
    as_signal_comes = is_on_another_carrier;
    look(true);
    EXPECT_EQ(blocked + given, 0u);
}

TEST(FaultWatch, a_lent_call_is_taken_without_a_signal)
{
    start();
    place = (struct fault_place){.code = (uintptr_t)lent_gate + 1, .stack = 1, .call = 16};
    look(true); /* it has come back and cleared the word, or not yet set it */
    EXPECT_EQ(given, 0u);
    atomic_store(&worker.fault.lent, FAULT_LENT);
    look(true);
    EXPECT_EQ(given, 1u);
    EXPECT_EQ(signals, 0u);
    EXPECT_EQ(scheduler.by_fault, false);
}

TEST(FaultWatch, in_its_touch_a_worker_has_offered_itself)
{
    start();
    place.code = (uintptr_t)fault_touch + 1;
    look(true);
    EXPECT_EQ(given, 0u);
    atomic_store(&worker.fault.lent, FAULT_OFFERED);
    look(true);
    EXPECT_EQ(given, 1u);
    EXPECT_EQ(signals, 0u);
}

TEST(FaultWatch, in_the_librarys_own_code_nobody_is_taken)
{
    start();
    place.code = (uintptr_t)look;
    look(true);
    EXPECT_EQ(blocked + given + signals, 0u);
}

/* ---- Resting --------------------------------------------------------------------------------- */

TEST(FaultWatch, nobody_looks_while_all_schedulers_sleep)
{
    start();
    place.code = 0;
    fault_watch_sleep(&scheduler);
    EXPECT_EQ(look(false), PLAT_FOREVER);
    EXPECT_EQ(atomic_load(&called), 0u);
    fault_watch_wake(&scheduler);
    EXPECT_EQ(atomic_load(&called), (uint32_t)LOOK);
    EXPECT_EQ(look(false), double_now + LOOK_NS);
    EXPECT_EQ(atomic_load(&resting), false); /* nobody else has to wake it */
}

static void wakes_now(void)
{
    fault_watch_wake(&scheduler);
}

/* It is asked once more after the watch has said that it rests. */
TEST(FaultWatch, a_scheduler_that_wakes_as_the_watch_lies_down_is_not_missed)
{
    start();
    fault_watch_sleep(&scheduler);
    as_schedulers_are_asked = wakes_now;
    EXPECT_EQ(rest(), PLAT_FOREVER);
    EXPECT_EQ(atomic_load(&called), (uint32_t)LOOK); /* so the watch does not lie down */

    start();
    EXPECT_EQ(rest(), double_now + LOOK_NS); /* it was awake before, and did not see it rest */
    EXPECT_EQ(atomic_load(&called), 0u);
    EXPECT_EQ(atomic_load(&resting), false);
}
