/* SPDX-License-Identifier: MIT
 *
 * home.c - workers on their homes' stacks: the first frame, and the end.
 *
 * A home thread and its worker share one stack and one thread pointer. The kernel thread keeps the
 * upper end, where it parks in a futex call; the worker starts SHARED_STACK_GAP below and is carried
 * by others. When the worker ends, the kernel thread goes on in its upper frames: it returns from
 * its start routine, so destructors, robust mutexes and the join all happen at home. The same holds
 * for a thread in plat_scheduler_enter (scheduler.c). While parked such a thread has every signal blocked
 * and uses neither TLS nor errno: its thread pointer is in use elsewhere.
 */
#include <errno.h>
#include <string.h>

#include "platform/linux/switch/cpu_time.h"
#include "platform/linux/engine.h"
#include "platform/linux/traps/errand.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/worker_signals.h"
#include "platform/linux/os/program_threads.h"
#include "platform/linux/os/sanitizer.h"
#include "platform/linux/threads/thread.h"
#include "platform/linux/os/vector_state.h"
#include "platform/linux/dispatch/wait.h"

/* What ctx_load pops; switch.S has the picture. */
struct frame {
    uint32_t mxcsr;
    uint16_t x87, unused;
    uintptr_t r15, r14, r13, r12, rbx, rbp, rip;
};
_Static_assert(sizeof(struct frame) == 64 && offsetof(struct frame, r12) == 32 &&
                   offsetof(struct frame, rip) == 56,
               "switch.S relies on this layout");

static void *first_frame(void *stack, void (*fn)(struct plat_context *), struct plat_context *arg)
{
    struct frame *frame = (struct frame *)stack - 1;
    memset(frame, 0, sizeof *frame);
    frame->mxcsr = 0x1f80;
    frame->x87 = 0x037f;
    frame->r12 = (uintptr_t)fn;
    frame->r13 = (uintptr_t)arg;
    frame->rip = (uintptr_t)ctx_first;
    return frame;
}

enum { COLOURS = 64 }; /* cache lines at which a worker's stack may begin */

struct birth {
    struct plat_context *worker;
    size_t stack_bytes;
    _Atomic uint32_t parked; /* futex: the context is complete */
};

/* noinline: its frame, and everything it calls while parked, must fit into the gap. */
static __attribute__((noinline)) uint32_t park_home(struct birth *birth)
{
    struct plat_context *worker = birth->worker;
    engine_core->worker_born(worker);
    engine_core->worker_ready(worker);
    atomic_store_explicit(&birth->parked, 1, memory_order_release);
    futex_wake(&birth->parked, 1); /* `birth` may be gone: a wake-up of a stale word is harmless */
    return home_park(worker);
}

static void *home_main(void *arg)
{
    struct birth *birth = arg;
    struct plat_context *worker = birth->worker;
    signals_block(NULL); /* libc opens the one for cancellation in each new thread */
    rseq_leave();
    worker->fs_base = thread_pointer();
    worker->tid = (pid_t)RAW0(SYS_gettid);
    plat_tls.current = worker;
    plat_tls.tid = worker->tid;
    plat_tls.sigmask = worker->thread->sigmask;
    plat_tls.detaches = true;
    plat_tls.result = PTHREAD_CANCELED; /* unless it returns or exits */
    thread_born(worker->thread, worker->tid);
    tid_map_home(worker->tid, worker);
    signals_join(worker);
    /* Stacks of one size lie alike in their pages: without an offset of its own, every worker's top
     * would compete for the same lines of the cache. */
    static _Atomic uint32_t colour;
    size_t offset = atomic_fetch_add_explicit(&colour, 1, memory_order_relaxed) % COLOURS * 64;
    worker->sp = first_frame(stack_below(__builtin_frame_address(0), SHARED_STACK_GAP + offset),
                             engine_core->worker_main, worker);
    plat_tls.door_low =
        (uintptr_t)__builtin_frame_address(0) - birth->stack_bytes + vector_state_call_bytes();
    plat_tls.door_high = (uintptr_t)worker->sp;
    park_home(birth);
    SANITIZER_STACK_IS_LEFT();
    return plat_tls.result; /* destructors next; thread_ended comes last among them */
}

/* After a yield the worker takes a detour through its handlers: a frame of ours on top of the saved one.
 * Where it left from within this library, that looks by itself, once it has cleaned up; so a handler that
 * jumps away leaves nothing behind. */
void plat_worker_signalled(struct plat_context *worker)
{
    struct frame *saved = worker->sp;
    if (worker->kernel_at)
        return; /* carrier_answer */
    if (library_holds((void *)saved->rip) && saved->rip != (uintptr_t)ctx_first) {
        signals_tell(worker); /* again and again until it has looked */
        return;
    }
    struct frame *frame = first_frame(stack_below(saved, 128), NULL, NULL);
    frame->rbx = (uintptr_t)saved;
    frame->rip = (uintptr_t)ctx_detour;
    worker->sp = frame;
}

struct creation {
    struct birth *birth;
    size_t stack_bytes;
    int error;
};

static void create_home(void *arg)
{
    struct creation *creation = arg;
    pthread_t thread;
    creation->error =
        program_kthread_create(&thread, creation->stack_bytes, home_main, creation->birth);
    struct birth *birth = creation->birth;
    while (!creation->error && !atomic_load_explicit(&birth->parked, memory_order_acquire))
        futex_wait(&birth->parked, 0);
}

int plat_worker_create(struct plat_context *worker, size_t stack_bytes, struct plat_thread *thread)
{
    struct birth birth = {.worker = worker,
                          .stack_bytes = stack_bytes + SHARED_STACK_GAP + COLOURS * 64};
    struct creation creation = {.birth = &birth, .stack_bytes = birth.stack_bytes};
    worker->kernel_at = NULL;
    worker->is_scheduler = false;
    worker->doomed = false;
    worker->thread = thread;
    thread->context = worker;
    memset(&worker->call, 0, sizeof worker->call);
    memset(&worker->cpu, 0, sizeof worker->cpu);
    atomic_store_explicit(&worker->home_word, HOME_PARKED, memory_order_relaxed);
    program_thread_began();
    /* A thread made inside the filter would stay inside it. */
    if (plat_tls.current)
        broker_run(create_home, &creation);
    else
        create_home(&creation);
    if (creation.error) {
        program_thread_failed();
        thread->context = NULL;
        return 8;
    }
    return 0;
}

void *plat_worker_teb(const struct plat_context *worker)
{
    return (void *)worker->fs_base;
}

void plat_set_exit_code(struct plat_context *worker, uint32_t code)
{
    worker->thread->exit_code = code;
    plat_tls.result = (void *)(uintptr_t)code;
}

/* On the scheduler: the worker's stack may now be used by its home thread. */
static void send_home(struct plat_context *scheduler, void *arg)
{
    struct plat_context *worker = arg;
    void (*after)(struct plat_context *, void *) = worker->after_exit;
    worker_go_home(worker);
    after(scheduler, NULL);
}

_Noreturn void plat_worker_exit(struct plat_context *worker, struct plat_context *scheduler,
                                void (*after)(struct plat_context *, void *))
{
    worker->after_exit = after;
    plat_leave(worker, scheduler, send_home, worker);
    UMS_FATAL("an ended worker was executed", worker, scheduler);
}

/* A carrier that stands in a call with the worker's stack loaded has to leave it first. It is let go
 * with a signal on its way, whose handler sees `doomed` before anything of the program's runs. */
void plat_worker_kill(struct plat_context *worker)
{
    struct carrier *waiting = worker->kernel_at;
    wait_disarm(worker->thread);
    if (!waiting) {
        worker_go_home(worker);
        return;
    }
    worker->doomed = true;
    call_send_off(&worker->call, waiting, stop_signal); /* the worker may be gone by now */
}
