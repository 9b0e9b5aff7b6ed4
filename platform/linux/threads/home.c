/* SPDX-License-Identifier: MIT
 *
 * home.c - workers on their homes' stacks: the first frame, and the end.
 *
 * A home thread and its worker share one stack and one thread pointer. The kernel thread keeps the
 * upper end, where it parks in a futex call; the worker starts SHARED_STACK_GAP below, and carriers
 * run it. When the worker ends and leaves something to do, the kernel thread goes on in its upper
 * frames: it returns from its start routine, so destructors, robust mutexes and the join all happen
 * at home. Else it parks on, for the next worker (home_again.c). A thread in plat_scheduler_enter
 * (scheduler.c) parks alike. A parked thread has every signal blocked and uses neither TLS nor
 * errno, since a carrier uses its thread pointer.
 *
 * A birth takes a home out of the lane's stock (home_stock.c) or has one made. Such a home is a
 * parked thread that had no worker yet, or is as new in all that libc and the kernel keep for a
 * thread. Then the creator moves the worker in: it writes all that belongs to the worker (mask,
 * thread object, times, stack bounds). The home's thread reads that when it is woken at the
 * worker's end.
 */
#include <errno.h>
#include <string.h>

#include "platform/check.h"
#include "platform/linux/calls/broker.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/current.h"
#include "platform/linux/dispatch/thread_object.h"
#include "platform/linux/interrupt/home_run.h"
#include "platform/linux/interrupt/signal_send.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/library_text.h"
#include "platform/linux/os/teb.h"
#include "platform/linux/os/tid_map.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/signals/signal_state.h"
#include "platform/linux/switch/carrier.h"
#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/switch/frame.h"
#include "platform/linux/switch/home.h"
#include "platform/linux/switch/switch.h"
#include "platform/linux/traps/errand.h"
#include "platform/platform.h"
#include "platform/trace/trace.h"
#include "platform/linux/os/own_tid.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/os/clock.h"
#include "platform/linux/os/libc_thread.h"
#include "platform/linux/os/memcheck.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/threads/home_again.h"
#include "platform/linux/threads/home_renewal.h"
#include "platform/linux/threads/home_stock.h"
#include "platform/linux/threads/thread_objects.h"
#include "platform/linux/os/vector_state.h"
#include "platform/linux/dispatch/wait.h"

enum { COLOURS = 64 }; /* cache lines at which a worker's stack may begin */

struct birth {
    size_t stack_bytes;
    bool outside; /* made by a broker thread */
    int error;
    struct home *home;
    _Atomic uint32_t settled; /* futex: 1 when `home` is set */
};

/* The creating thread gives the home to the worker. The worker may be executed, and gone, before
 * this returns. */
static void move_in(struct home *home, struct plat_context *worker)
{
    struct plat_tls *tls = tls_at(home->fs_base);
    worker->home = home;
    worker->fs_base = home->fs_base;
    worker->tid = home->tid;
    tls->current = worker;
    tls->sigmask = worker->thread->begin.sigmask;
    thread_born(worker->thread, home->tid, tls);
    tid_map_home(worker->tid, worker);
    trace(NULL, TRACE_BIRTH, worker, 0, (uint32_t)worker->tid, 0);
    signals_join(worker);
    /* Stacks of one size have the same position in their pages. Each worker's stack gets an offset
     * of its own, or all would compete for the same lines of the cache. */
    size_t offset = (size_t)home->tid % COLOURS * 64;
    void *begin = stack_below((void *)home->top, SHARED_STACK_GAP + offset);
    memcheck_fresh(home->low, (uintptr_t)begin - home->low);
    worker->sp = first_frame(begin, (void (*)(void *))engine_core->worker_main, worker);
    tls->room.low = home->low + vector_state_call_bytes();
    tls->room.high = (uintptr_t)worker->sp + sizeof(struct frame);
    teb_born(&tls->teb, home->tid, home->low, tls->room.high);
    engine_core->worker_born(worker);
    engine_core->worker_ready(worker);
}

/* On the home's thread, before it has a worker. `frame`: the upper end of the part of its stack
 * that we use. narrowed: its creator has fewer processors than the program. ours: its creator is an
 * engine thread. */
static void settle(struct home *home, uintptr_t frame, size_t stack_bytes, bool narrowed, bool ours)
{
    const unsigned affinity = affinity_age(); /* read before this thread gets the program's
                                               * processors */
    signals_block(NULL); /* libc unblocks the signal for cancellation in each new thread */
    rseq_leave();
    if (narrowed)
        affinity_reset();
    if (ours)
        kthread_name_reset();
    *home = (struct home){.tid = own_tid(),
                          .fs_base = thread_pointer(),
                          .top = frame,
                          .low = frame - stack_bytes,
                          .stack_bytes = stack_bytes,
                          .affinity_age = affinity};
    home_begins(&plat_tls);
    thread_end_seen();
    if (ours)
        home_renewal_begin(home);
}

/* The home's thread parks. Once `settled` is set the creator may give the home a worker, which then
 * owns the thread-local data. So the home uses none of them from there on. noinline: the worker's
 * stack begins SHARED_STACK_GAP below, and this frame and those of its callees must fit into that
 * gap. */
static __attribute__((noinline)) uint32_t be_born_in(struct home *home, struct birth *birth)
{
    birth->home = home;
    atomic_store_explicit(&birth->settled, 1, memory_order_release);
    futex_wake(&birth->settled, 1); /* `birth` may be gone: then this wakes no thread */
    return home_park(home);
}

static __attribute__((noinline)) uint32_t be_spare(struct home *home, struct spare_home *spare)
{
    home_stock_enter(home, spare);
    return home_park(home);
}

/* The home's thread has been woken for good. Returns from its start routine. */
static void *end_of(uint32_t word)
{
    if (word == HOME_DISMISSED) {
        libc_thread_detach(pthread_self());
        return NULL;
    }
    SANITIZER_STACK_IS_LEFT();
    objects_are_libcs();
    if (plat_tls.current) /* else this is the child of a handler's fork */
        home_run_end(plat_tls.current);
    return plat_tls.result; /* the destructors run next; thread_ended is the last one */
}

static void *home_main(void *arg)
{
    struct birth *birth = arg;
    struct home home;
    settle(&home, (uintptr_t)__builtin_frame_address(0), birth->stack_bytes, birth->outside,
           birth->outside);
    return end_of(be_born_in(&home, birth));
}

static void *spare_main(void *arg)
{
    struct spare_home *spare = arg;
    struct home home;
    settle(&home, (uintptr_t)__builtin_frame_address(0), spare->stack_bytes,
           !affinity_is_only(spare->lane->cpu), true);
    return end_of(be_spare(&home, spare));
}

/* Adds a frame on top of the saved one, so that the worker runs its handlers before it goes on. A
 * worker that left from within this library looks for signals itself, once it has cleaned up: then
 * a handler may jump away and nothing is left half done. */
void plat_worker_signalled(struct plat_context *worker)
{
    struct frame *saved = worker->sp;
    if (library_holds((void *)saved->rip) && saved->rip != (uintptr_t)ctx_first) {
        signals_tell(worker); /* tells the worker until it has looked */
        return;
    }
    struct frame *frame = first_frame(stack_below(saved, 128), NULL, NULL);
    frame->rbx = (uintptr_t)saved;
    frame->rip = (uintptr_t)ctx_detour;
    worker->sp = frame;
}

static void create_home(void *arg)
{
    struct birth *birth = arg;
    pthread_t thread;
    birth->error = program_kthread_create(&thread, birth->stack_bytes, home_main, birth);
    while (!birth->error && !atomic_load_explicit(&birth->settled, memory_order_acquire))
        futex_wait(&birth->settled, 0);
}

/* Finds or makes a home for a worker; NULL: none can be made. */
static struct home *find_home(size_t stack_bytes)
{
    struct birth birth = {.stack_bytes = stack_bytes, .outside = plat_tls.current != NULL};
    struct home *spare = birth.outside ? home_stock_take(stack_bytes, spare_main) : NULL;
    if (spare)
        return spare;
    /* A new thread inherits its creator's filter, so a broker makes the thread. */
    if (birth.outside)
        broker_run(create_home, &birth);
    else
        create_home(&birth);
    return birth.home;
}

int plat_worker_create(struct plat_context *worker, size_t stack_bytes, struct plat_thread *thread)
{
    worker->kernel_at = NULL;
    worker->is_scheduler = false;
    worker->thread = thread;
    thread->context = worker;
    memset(&worker->call, 0, sizeof worker->call);
    atomic_store_explicit(&worker->signals.barred, false, memory_order_relaxed);
    memset(&worker->cpu, 0, sizeof worker->cpu);
    worker->left_at = engine_clock_set(plat_now()); /* the worker waits from now on */
    unsigned counted_at = program_thread_began();
    struct home *home = find_home(stack_bytes + SHARED_STACK_GAP + COLOURS * 64);
    if (!home) {
        program_thread_failed(counted_at);
        thread->context = NULL;
        return 8;
    }
    tls_at(home->fs_base)->counting.at = (uint8_t)counted_at;
    move_in(home, worker);
    return 0;
}

void *plat_worker_teb(const struct plat_context *worker)
{
    uintptr_t offset = (uintptr_t)&plat_tls.teb - thread_pointer();
    return (void *)(worker->fs_base + offset); /* the offset is the same in every thread */
}

void plat_set_exit_code(struct plat_context *worker, uint32_t code)
{
    worker->thread->exit_code = code;
    plat_tls.result = (void *)(uintptr_t)code;
}

/* On the scheduler. The worker's stack was left, so its home's thread may use it. */
static void send_home(struct plat_context *scheduler, void *arg)
{
    struct plat_context *worker = arg;
    void (*after)(struct plat_context *, void *) = worker->after_exit;
    if (!home_is_kept(scheduler->lane, worker))
        worker_go_home(worker);
    after(scheduler, NULL);
}

_Noreturn void plat_worker_exit(struct plat_context *worker, struct plat_context *scheduler,
                                void (*after)(struct plat_context *, void *))
{
    worker->after_exit = after;
    trace(scheduler, TRACE_END, worker, 0, 0, 0);
    plat_leave(worker, scheduler, send_home, worker);
    UMS_FATAL("an ended worker was executed", worker, scheduler);
}

void plat_worker_kill(struct plat_context *worker)
{
    wait_disarm(worker->thread);
    worker_go_home(worker);
}
