/* SPDX-License-Identifier: MIT
 *
 * cpu_time.c - counting the processor time of UMS threads at switches.
 *
 * Only the kernel thread on which a context is loaded writes the context's account. `sequence` is
 * odd while it does. Any thread reads, and reads again if `sequence` was odd or has changed.
 *
 * To begin counting a thread sets `counting`, and then clears scheduler->loaded of every scheduler.
 * A carrier that takes a scheduler writes `loaded` and then reads `counting`, with a fence in
 * between. So either the carrier sees that it has to clear the field, or the counting thread clears
 * it after the carrier's write.
 *
 * A scheduler without a carrier runs its workers on its own kernel thread, whose time counts as the
 * scheduler's. So time that is booked on such a worker is taken off its scheduler.
 */
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/hold.h"

#include <time.h>

#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/carrier.h"
#include "platform/trace/trace.h"

static PLAT_LOCK(SCHEDULERS) schedulers_lock;
static struct plat_context *schedulers; /* all that have entered */
static _Atomic bool counting;

/* ---- The kernel's clocks --------------------------------------------------------------------- */

/* The kernel's encoding of a thread's clocks; tid 0 is the caller. */
enum { OF_USER = 1, OF_ALL = 2, PER_THREAD = 4 };

static bool read_clock(pid_t tid, int which, uint64_t *ns)
{
    struct timespec time;
    long clock = (int)(~(unsigned)tid << 3 | PER_THREAD | (unsigned)which);
    if (RAW2(SYS_clock_gettime, clock, &time))
        return false;
    *ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return true;
}

static bool read_clocks(pid_t tid, struct cpu_time *time)
{
    return read_clock(tid, OF_ALL, &time->total) && read_clock(tid, OF_USER, &time->user);
}

/* ---- Accounts -------------------------------------------------------------------------------- */

static int64_t load(_Atomic int64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

/* From here on the clock of thread `on` counts for the context, or against it (sign). on 0: no
 * clock counts any more. */
static void change(struct plat_context *context, pid_t on, int sign, int64_t total, int64_t user)
{
    struct cpu_account *account = &context->cpu;
    uint32_t sequence = atomic_load_explicit(&account->sequence, memory_order_relaxed);
    atomic_store_explicit(&account->sequence, sequence + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&account->on, on, memory_order_relaxed);
    atomic_store_explicit(&account->sign, sign, memory_order_relaxed);
    atomic_store_explicit(&account->total, load(&account->total) + total, memory_order_relaxed);
    atomic_store_explicit(&account->user, load(&account->user) + user, memory_order_relaxed);
    atomic_store_explicit(&account->sequence, sequence + 2, memory_order_release);
}

static pid_t counts_on(struct plat_context *context)
{
    return atomic_load_explicit(&context->cpu.on, memory_order_relaxed);
}

static void start_at(struct plat_context *context, pid_t on, int sign, const struct cpu_time *now)
{
    change(context, on, sign, -sign * (int64_t)now->total, -sign * (int64_t)now->user);
}

/* Does nothing for a context whose start was not counted. */
static void stop_at(struct plat_context *context, const struct cpu_time *now)
{
    int sign = atomic_load_explicit(&context->cpu.sign, memory_order_relaxed);
    if (counts_on(context))
        change(context, 0, sign, sign * (int64_t)now->total, sign * (int64_t)now->user);
}

static bool is_counting(void)
{
    return atomic_load_explicit(&counting, memory_order_relaxed);
}

void cpu_time_start(struct plat_context *context)
{
    struct cpu_time now;
    if (is_counting() && read_clocks(0, &now))
        start_at(context, own_tid(), 1, &now);
}

void cpu_time_stop(struct plat_context *context)
{
    struct cpu_time now;
    if (is_counting() && read_clocks(0, &now))
        stop_at(context, &now);
}

/* ---- Switches -------------------------------------------------------------------------------- */

/* The kernel thread changes from the scheduler to the worker; end_worker: back. */
static void begin_worker(struct plat_context *worker, struct plat_context *scheduler,
                         const struct cpu_time *now)
{
    struct carrier *carrier = scheduler->runs.carrier;
    if (carrier)
        stop_at(scheduler, now);
    else
        start_at(scheduler, scheduler->tid, -1, now);
    start_at(worker, carrier ? carrier->tid : scheduler->tid, 1, now);
}

static void end_worker(struct plat_context *worker, struct plat_context *scheduler,
                       const struct cpu_time *now)
{
    struct carrier *carrier = scheduler->runs.carrier;
    stop_at(worker, now);
    if (carrier)
        start_at(scheduler, carrier->tid, 1, now);
    else
        stop_at(scheduler, now);
}

int plat_leave_counted(struct plat_context *worker, struct plat_context *scheduler,
                       void (*after)(struct plat_context *, void *), void *arg)
{
    struct cpu_time now;
    if (is_counting() && read_clocks(0, &now))
        end_worker(worker, scheduler, &now);
    if (trace_recording())
        trace_leave(scheduler, worker);
    if (scheduler->runs.carrier)
        scheduler->runs.carrier->context = NULL;
    else
        scheduler->runs.worker = NULL;
    return ctx_leave((void *)after, scheduler, arg, scheduler->sp, scheduler->fs_base, &worker->sp);
}

_Noreturn void plat_execute_counted(struct plat_context *scheduler, struct plat_context *worker)
{
    struct cpu_time now;
    if (is_counting() && read_clocks(0, &now))
        begin_worker(worker, scheduler, &now);
    trace(scheduler, TRACE_EXECUTE, worker, 0, 0, scheduler->reason);
    if (scheduler->runs.carrier)
        scheduler->runs.carrier->context = worker;
    else
        scheduler->runs.worker = worker;
    ctx_load(worker->sp, worker->fs_base);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static void set_loaded(struct plat_context *scheduler, struct plat_context **where)
{
    __atomic_store_n(&scheduler->loaded, where, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_seq_cst);
    if (is_counting() || trace_recording())
        __atomic_store_n(&scheduler->loaded, NULL, __ATOMIC_RELAXED);
}

void cpu_time_unloads(struct plat_context *scheduler)
{
    __atomic_store_n(&scheduler->loaded, NULL, __ATOMIC_RELAXED);
}

void cpu_time_loads(struct plat_context *scheduler)
{
    set_loaded(scheduler, &scheduler->runs.carrier->context);
}

void cpu_time_carry(struct plat_context *scheduler, struct carrier *carrier)
{
    scheduler->runs.carrier = carrier;
    set_loaded(scheduler, &carrier->context);
    trace(scheduler, TRACE_LOAD, scheduler, 0, (uint32_t)carrier->tid, 0);
}

/* Begins the caller's time at once. That of other contexts begins at their next switch. */
static void begin_own(void)
{
    struct plat_context *self = plat_current(), *scheduler = self;
    struct cpu_time now;
    if (self && !self->is_scheduler)
        scheduler = self->scheduler;
    if (!scheduler || counts_on(self) || !read_clocks(0, &now))
        return;
    if (self != scheduler)
        begin_worker(self, scheduler, &now);
    else if (scheduler->runs.carrier)
        start_at(self, scheduler->runs.carrier->tid, 1, &now);
}

void cpu_time_begin(void)
{
    if (is_counting())
        return;
    plat_lock(&schedulers_lock);
    atomic_store_explicit(&counting, true, memory_order_seq_cst);
    for (struct plat_context *at = schedulers; at; at = at->runs.next_entered)
        __atomic_store_n(&at->loaded, NULL, __ATOMIC_RELAXED);
    plat_unlock(&schedulers_lock);
    begin_own();
}

void cpu_time_scheduler_enters(struct plat_context *scheduler)
{
    scheduler->runs.carrier = NULL;
    scheduler->runs.was_held = false;
    scheduler->runs.patience = HOLD_PATIENCE;
    atomic_store_explicit(&scheduler->runs.hold, 0, memory_order_relaxed);
    scheduler->watched = (struct plat_watched){0};
    scheduler->cpu = (struct cpu_account){.total = (int64_t)scheduler->thread->times.carried_total,
                                          .user = (int64_t)scheduler->thread->times.carried_user};
    plat_lock(&schedulers_lock);
    scheduler->runs.next_entered = schedulers;
    schedulers = scheduler;
    plat_unlock(&schedulers_lock);
    set_loaded(scheduler, &scheduler->runs.worker);
}

void cpu_time_scheduler_left(struct plat_context *scheduler)
{
    scheduler->thread->times.carried_total = (uint64_t)load(&scheduler->cpu.total);
    scheduler->thread->times.carried_user = (uint64_t)load(&scheduler->cpu.user);
    plat_lock(&schedulers_lock);
    struct plat_context **link = &schedulers;
    while (*link && *link != scheduler)
        link = &(*link)->runs.next_entered;
    if (*link) /* else this process was forked in its entry point */
        *link = scheduler->runs.next_entered;
    plat_unlock(&schedulers_lock);
}

void schedulers_each(void (*look)(struct plat_context *scheduler, void *arg), void *arg)
{
    plat_lock(&schedulers_lock);
    for (struct plat_context *at = schedulers; at; at = at->runs.next_entered)
        look(at, arg);
    plat_unlock(&schedulers_lock);
}

void cpu_time_forget(void)
{
    plat_lock_forget(&schedulers_lock);
    schedulers = NULL;
    atomic_store_explicit(&counting, false, memory_order_relaxed);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* Time that other threads than its home have spent for a context. */
static bool carried_time(struct plat_context *context, struct cpu_time *used)
{
    struct cpu_account *account = &context->cpu;
    for (;;) {
        uint32_t before = atomic_load_explicit(&account->sequence, memory_order_acquire);
        struct cpu_time now = {0};
        pid_t on = counts_on(context);
        int sign = atomic_load_explicit(&account->sign, memory_order_relaxed);
        int64_t total = load(&account->total), user = load(&account->user);
        bool there = !on || read_clocks(on, &now);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 &&
            before == atomic_load_explicit(&account->sequence, memory_order_relaxed)) {
            used->total = (uint64_t)(total + sign * (int64_t)now.total);
            used->user = (uint64_t)(user + sign * (int64_t)now.user);
            return there;
        }
        RAW0(SYS_sched_yield); /* the context is being switched, perhaps by a thread that has lost
                                * its processor */
    }
}

static bool add_up(pid_t tid, const struct cpu_time *carried, struct cpu_time *used)
{
    if (!read_clocks(tid, used))
        return false;
    used->total += carried->total;
    used->user += carried->user;
    if (used->user > used->total)
        used->user = used->total; /* the kernel samples `user`, but measures `total` */
    return true;
}

bool cpu_time_of(struct plat_context *context, struct cpu_time *used)
{
    struct cpu_time carried;
    cpu_time_begin();
    return carried_time(context, &carried) && add_up(context->tid, &carried, used);
}

bool cpu_time_of_self(struct cpu_time *used)
{
    struct plat_thread *thread = plat_tls.thread;
    struct cpu_time carried = {0};
    if (plat_current())
        return cpu_time_of(plat_current(), used);
    if (thread)
        carried = (struct cpu_time){thread->times.carried_total, thread->times.carried_user};
    return add_up(0, &carried, used);
}

bool cpu_time_of_thread(struct plat_thread *thread, struct cpu_time *used)
{
    plat_lock(&thread->binding);
    struct plat_context *context = thread->context;
    struct cpu_time carried = {thread->times.carried_total, thread->times.carried_user};
    struct cpu_time whole = {thread->times.cpu_total, thread->times.cpu_user};
    bool ended = thread->ended;
    plat_unlock(&thread->binding);
    if (!ended)
        return context ? cpu_time_of(context, used) : add_up(thread->tid, &carried, used);
    *used = whole;
    return thread->times.cpu_known;
}

void cpu_time_thread_ends(struct plat_thread *thread, struct plat_context *worker, pid_t clock)
{
    struct cpu_time carried = {thread->times.carried_total, thread->times.carried_user}, used = {0};
    thread->times.cpu_known = (!worker || (is_counting() && carried_time(worker, &carried))) &&
                              add_up(clock, &carried, &used);
    thread->times.cpu_total = used.total;
    thread->times.cpu_user = used.user;
}
