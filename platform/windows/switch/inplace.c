/* SPDX-License-Identifier: MIT
 *
 * inplace.c - in-place mode: a worker's context runs on its scheduler's kernel thread.
 *
 * Where a worker is, and who may touch its context
 *   saved    saved_sp leads to its registers; values holds its part of a TEB; its SWAP fields lie
 *            in its own thread's TEB. Its owner is that of umsshim/state.h: it is READY, QUEUED, or
 *            BLOCKED in user mode
 *   hosted   host is the scheduler whose thread carries it; its own thread waits in home_wait, and
 *            its TEB holds the scheduler's SWAP fields. Owned by the scheduler's thread
 *   at home  its own thread carries it; in the program (the scheduler's thread waits for its word),
 *            in a system call (BLOCKED), or ending. Owned by its own thread
 *
 *   saved -> hosted     inplace_execute, on the scheduler's stack
 *   hosted -> saved     inplace_leave: saves the registers, goes on on the scheduler's stack
 *   saved -> at home    its owner fills the home's word (HAND_GO)
 *   at home -> saved    inplace_leave_home: saves the registers, goes on on the home's stack
 *
 * In each step the worker's stack is left before any other thread is told. The home's part of the
 * stack lies above the worker's (inplace.S), so waiting there disturbs nothing. From the moment
 * that a saved worker may be executed by others its own thread must not look at thread-local slots:
 * they may be a scheduler's by then. It only makes system calls.
 */
#include "platform/windows/switch/inplace.h"

#include "platform/trace/trace.h"
#include "platform/windows/engine.h"
#include "platform/windows/switch/frames.h"
#include "platform/windows/switch/inplace_gap.h"
#include "platform/windows/switch/teb_access.h"
#include "platform/windows/switch/teb_fence.h"
#include "platform/windows/switch/teb_follow.h"
#include "platform/windows/switch/thread_switch.h"

/* inplace.S */
int inplace_switch(void **saved, void *sp, void (*run)(void *arg), void *arg);
int inplace_resume(void *saved);
int inplace_resume_deep(void *saved);
void inplace_begin(void);

/* ---- On a scheduler's thread, at its stack position ------------------------------------------ */

static inline void load_worker(struct plat_context *scheduler, struct plat_context *worker)
{
    UMS_CHECK(!worker->host && plat_current() == scheduler, worker, scheduler);
    teb_fence_enter(scheduler, worker);
    teb_exchange(&scheduler->values, &worker->values);
    teb_swap(worker->teb);
    teb_fence_leave(scheduler);
    worker->carrier_id = scheduler->thread_id;
    __atomic_store_n(&worker->host, scheduler, __ATOMIC_RELEASE);
    UMS_CHECK(plat_current() == worker, worker, scheduler);
}

static inline void load_scheduler(struct plat_context *scheduler, struct plat_context *worker)
{
    UMS_CHECK(plat_current() == worker, worker, scheduler);
    __atomic_store_n(&worker->host, NULL, __ATOMIC_RELAXED);
    worker->carrier_id = worker->thread_id;
    teb_fence_enter(scheduler, worker);
    teb_exchange(&worker->values, &scheduler->values);
    teb_swap(worker->teb);
    teb_fence_leave(scheduler);
    UMS_CHECK(plat_current() == scheduler, worker, scheduler);
}

/* The stack must not grow while the TEB has another stack's bounds. So this touches the stack that
 * is needed next. The ways back begin at the scheduler's position, above all that the way here has
 * touched. */
static inline void touch_ahead(void)
{
    enum { AHEAD = 2048 };
    __asm__ volatile("orq $0, %c0(%%rsp)" : : "i"(-AHEAD) : "memory", "cc");
}

int inplace_execute(struct plat_context *scheduler, struct plat_context *worker)
{
    touch_ahead();
    trace(scheduler, TRACE_EXECUTE, worker, 0, scheduler->thread_id, scheduler->reason);
    void *saved = worker->saved_sp;
    if (worker->left_teb && UMS_UNLIKELY(worker->left_teb != teb_here()))
        teb_follow(worker, teb_here());
    __atomic_store_n(&scheduler->guest, worker, __ATOMIC_RELEASE);
    load_worker(scheduler, worker);
    return worker->deep ? inplace_resume_deep(saved) : inplace_resume(saved);
}

static void left(void *arg)
{
    struct plat_context *worker = arg, *scheduler = worker->host;
    load_scheduler(scheduler, worker);
    scheduler->after(scheduler, scheduler->arg);
}

int inplace_leave(struct plat_context *worker, struct plat_context *scheduler,
                  void (*after)(struct plat_context *, void *), void *arg)
{
    scheduler->after = after;
    scheduler->arg = arg;
    if (trace_on())
        trace_leave(scheduler, worker);
    return inplace_switch(&worker->saved_sp, scheduler->sp, left, worker);
}

static void left_for_home(void *arg)
{
    struct plat_context *worker = arg, *scheduler = worker->host;
    load_scheduler(scheduler, worker);
    thread_switch_go(scheduler, worker);
}

void inplace_go_home(struct plat_context *worker)
{
    if (worker->host) {
        worker->left_teb = teb_here();
        inplace_switch(&worker->saved_sp, worker->host->sp, left_for_home, worker);
        worker->left_teb = NULL;
    }
    UMS_CHECK(teb_kernel_id() == worker->thread_id, worker, teb_kernel_id());
}

static void left_to_end(void *arg)
{
    struct plat_context *worker = arg, *scheduler = worker->host;
    load_scheduler(scheduler, worker);
    thread_switch_wake(worker, HAND_GO); /* from here on its own thread runs the worker */
    scheduler->after(scheduler, NULL);
}

void inplace_end_home(struct plat_context *worker, struct plat_context *scheduler,
                      void (*after)(struct plat_context *, void *))
{
    scheduler->after = after;
    inplace_switch(&worker->saved_sp, scheduler->sp, left_to_end, worker);
}

/* ---- On a worker's own thread ---------------------------------------------------------------- */

static _Noreturn void home_wait(struct plat_context *worker)
{
    thread_switch_await(worker); /* ends the thread if its word says so */
    void *saved = worker->saved_sp;
    if (worker->left_teb)
        teb_follow(worker, teb_here());
    worker->saved_sp = NULL;
    teb_load(&worker->values);
    UMS_CHECK(plat_current() == worker && teb_here() == worker->teb, worker, worker->host);
    inplace_resume(saved);
    __builtin_unreachable();
}

static void home_left(void *arg)
{
    struct plat_context *worker = arg;
    teb_save(&worker->values);
    worker->then(worker);
    home_wait(worker);
}

/* The kernel notes in the TEB that the thread impersonates a user. */
bool inplace_stays_home(const struct plat_context *worker)
{
    return atomic_load_explicit(&worker->pinned, memory_order_relaxed) ||
           TEB_HERE(uint32_t, TEB_IMPERSONATES) != 0;
}

void inplace_leave_home(struct plat_context *worker, void (*then)(struct plat_context *worker))
{
    atomic_store_explicit(&worker->word, HAND_EMPTY, memory_order_relaxed);
    worker->then = then;
    inplace_switch(&worker->saved_sp, worker->home_sp, home_left, worker);
}

/* Touches one page after the other, as a stack has to grow. */
static void touch_below(char *from, size_t bytes)
{
    for (size_t down = 0; down <= bytes; down += 4096)
        *(volatile char *)(from - down);
}

_Noreturn void inplace_home(struct plat_context *worker, void (*main)(struct plat_context *worker))
{
    char *position = (char *)worker->home_sp - INPLACE_GAP;
    touch_below(worker->home_sp, INPLACE_GAP + 2 * sizeof(struct saved_frame) + 4096);
    struct saved_frame *frame = (struct saved_frame *)position - 1;
    *frame = (struct saved_frame){.mxcsr = 0x1f80,
                                  .x87 = 0x27f,
                                  .rsi = (uintptr_t)main,
                                  .rbx = (uintptr_t)worker,
                                  .return_to = (void *)inplace_begin};
    teb_learn_usual();
    teb_save(&worker->values);
    /* A worker that was created suspended may have been resumed and executed by now. Release: a
     * thread that sees saved_sp sees the frame and the values, too. */
    __atomic_store_n(&worker->saved_sp, frame, __ATOMIC_RELEASE);
    engine_core->worker_ready(worker);
    home_wait(worker);
}
