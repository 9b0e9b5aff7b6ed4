/* SPDX-License-Identifier: MIT
 *
 * broker.c - threads outside UMS that create kernel threads for threads that are inside the filter,
 * and do small jobs for threads that may neither wait nor allocate.
 *
 * A thread inherits the filter, the signal mask and the processor of the carrier that makes it, and
 * keeps the filter for life. So a carrier asks a broker to make threads.
 *
 * A broker that makes a thread takes locks of libc's. A worker that no scheduler executes just now
 * may hold such a lock, or have got the wake-up for it. So a worker that asks leaves its scheduler
 * until the broker has served it: the scheduler may have to run the worker that the broker waits
 * for.
 *
 * The program has one broker. Each lane whose workers have asked has one more, bound to the lane's
 * processor, so two schedulers that create threads do not wait for one broker. The program's broker
 * makes the lane's after the lane's first request. Where the system has no thread for it, the
 * program's broker goes on serving the lane.
 *
 * `word` says that there is something to do. A caller sets it with a locked instruction after its
 * request or post is there; the first to set it wakes the broker. The broker clears it with a
 * locked instruction before it looks for work, so it misses none.
 */
#include <sys/mman.h>

#include "platform/linux/calls/broker.h"
#include "platform/linux/calls/signal_run.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/switch/lane.h"
#include "platform/platform.h"

struct request {
    void (*fn)(void *, struct baton *done);
    void *arg;
    struct request *next;
    struct lane *lane; /* this lane gets a broker of its own; NULL: no lane, or it has one */
    struct baton baton;
};

struct broker {
    _Alignas(128) PLAT_LOCK(BROKER) lock;
    struct request *first, **end;
    _Atomic uint32_t word; /* futex */
    struct lane *lane;     /* NULL: the program's */
    _Atomic(void *) chore; /* of a lane's broker: the function that broker_post_lane got */
};

static struct broker programs;
static _Atomic(void *) posted[POSTS]; /* for each enum post the function to run */

static void wake(struct broker *broker)
{
    if (!atomic_exchange_explicit(&broker->word, 1, memory_order_seq_cst))
        futex_wake(&broker->word, 1);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static struct lane *lane_of(struct plat_context *self)
{
    struct plat_context *scheduler = self && self->is_scheduler ? self
                                     : self                     ? self->scheduler
                                                                : NULL;
    return scheduler ? scheduler->lane : NULL;
}

void broker_ask(void (*fn)(void *, struct baton *done), void *arg)
{
    struct plat_context *self = plat_current();
    bool leaves = self && !self->is_scheduler && self->scheduler;
    struct lane *lane = lane_of(self);
    struct broker *own = lane ? atomic_load_explicit(&lane->broker, memory_order_acquire) : NULL;
    struct broker *broker = own ? own : &programs;
    struct request request = {.fn = fn,
                              .arg = arg,
                              .lane = own ? NULL : lane,
                              .baton = {BATON_SHUT, leaves ? self : NULL}};
    plat_lock(&broker->lock);
    *broker->end = &request;
    broker->end = &request.next;
    plat_unlock(&broker->lock);
    wake(broker);
    baton_wait(&request.baton);
    if (leaves)
        signals_look(self);
}

struct job {
    void (*fn)(void *);
    void *arg;
};

static void run_job(void *arg, struct baton *done)
{
    struct job *job = arg;
    job->fn(job->arg);
    baton_post(done);
}

void broker_run(void (*fn)(void *), void *arg)
{
    struct job job = {fn, arg};
    broker_ask(run_job, &job);
}

void broker_post(enum post who, bool (*fn)(void))
{
    atomic_store_explicit(&posted[who], (void *)fn, memory_order_release);
    wake(&programs);
}

void broker_post_lane(struct lane *lane, uint64_t (*fn)(struct lane *lane))
{
    struct broker *broker = atomic_load_explicit(&lane->broker, memory_order_acquire);
    if (!broker)
        return;
    atomic_store_explicit(&broker->chore, (void *)fn, memory_order_release);
    wake(broker);
}

/* ---- On the broker threads ------------------------------------------------------------------- */

static void run_posted(void)
{
    for (unsigned who = 0; who < POSTS; who++) {
        bool (*fn)(void) =
            (bool (*)(void))atomic_exchange_explicit(&posted[who], NULL, memory_order_acquire);
        void *none = NULL;
        if (fn && !fn())
            atomic_compare_exchange_strong_explicit(&posted[who], &none, (void *)fn,
                                                    memory_order_release, memory_order_relaxed);
    }
}

static bool anything_posted(void)
{
    for (unsigned who = 0; who < POSTS; who++)
        if (atomic_load_explicit(&posted[who], memory_order_acquire))
            return true;
    return false;
}

static void *broker_main(void *arg);

/* Starts the lane's broker. Without memory or a thread for it the lane goes on without one. */
static void start_in(struct lane *lane)
{
    pthread_t thread;
    if (atomic_load_explicit(&lane->broker, memory_order_relaxed))
        return;
    struct broker *broker = plat_reserve(sizeof *broker);
    if (!broker)
        return;
    broker->end = &broker->first;
    broker->lane = lane;
    if (kthread_create(&thread, 1 << 20, broker_main, broker)) {
        RAW2(SYS_munmap, broker, sizeof *broker);
        return;
    }
    atomic_store_explicit(&lane->broker, broker, memory_order_release);
}

static void serve_requests(struct broker *broker)
{
    plat_lock(&broker->lock);
    struct request *request = broker->first;
    broker->first = NULL;
    broker->end = &broker->first;
    plat_unlock(&broker->lock);
    while (request) {
        struct request *next = request->next;
        struct lane *lane = request->lane;
        request->fn(request->arg, &request->baton); /* after this the request may be gone */
        if (lane)
            start_in(lane);
        request = next;
    }
}

/* A posted function that returns false, as a rule for want of a kernel thread, runs again later. */
static uint64_t programs_turn(void)
{
    enum { A_WHILE = 50000000 };
    run_posted();
    return anything_posted() ? plat_now() + A_WHILE : PLAT_FOREVER;
}

static void *broker_main(void *arg)
{
    kthread_name("ums:broker");
    struct broker *broker = arg;
    uint64_t again = PLAT_FOREVER;
    plat_tls.counting.counted = true;
    signals_block(NULL); /* libc unblocks the cancellation signal in each new thread */
    plat_tls.counting.masked = true;
    if (broker->lane)
        lane_bind(broker->lane);
    for (;;) {
        bool called = atomic_exchange_explicit(&broker->word, 0, memory_order_seq_cst);
        if (!called && again > plat_now()) {
            futex_wait_until(&broker->word, 0, again);
            continue;
        }
        serve_requests(broker);
        uint64_t (*chore)(struct lane *) =
            (uint64_t(*)(struct lane *))atomic_load_explicit(&broker->chore, memory_order_acquire);
        again = !broker->lane ? programs_turn() : chore ? chore(broker->lane) : PLAT_FOREVER;
    }
    return NULL;
}

int broker_start(void)
{
    pthread_t thread;
    programs = (struct broker){.end = &programs.first};
    return kthread_create(&thread, 1 << 20, broker_main, &programs);
}
