/* SPDX-License-Identifier: MIT
 *
 * broker.c - one thread outside UMS that creates kernel threads for threads that are inside the filter,
 * and does small jobs for threads that may neither wait nor allocate.
 *
 * A thread made inside the filter stays in it for life, with the carrier's signal mask and processor;
 * so carriers ask here.
 *
 * Making threads takes locks of libc's, and libc may have given such a lock, or the wake-up for it, to a
 * worker that nobody executes just now. So a worker that asks leaves its scheduler until it is served: the
 * scheduler must be free for the one that this thread waits for.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "platform/linux/engine.h"
#include "platform/linux/switch/baton.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/signals/worker_signals.h"

struct request {
    void (*fn)(void *);
    void *arg;
    struct request *next;
    struct baton baton;
};

static struct plat_lock lock;
static struct request *first_request, **end_request = &first_request;
static _Atomic(void *) poked[POKERS]; /* the one function that each has run */
static int wake_fd = -1;

static void wake(void)
{
    uint64_t one = 1;
    RAW3(SYS_write, wake_fd, &one, sizeof one);
}

void broker_run(void (*fn)(void *), void *arg)
{
    struct plat_context *self = plat_current();
    bool leaves = self && !self->is_scheduler && engine_core->scheduler_of(self);
    struct request request = {.fn = fn, .arg = arg, .baton = {BATON_SHUT, leaves ? self : NULL}};
    plat_lock(&lock);
    *end_request = &request;
    end_request = &request.next;
    plat_unlock(&lock);
    wake();
    baton_wait(&request.baton);
    if (leaves)
        signals_look(self);
}

void broker_poke(enum poker who, bool (*fn)(void))
{
    atomic_store_explicit(&poked[who], (void *)fn, memory_order_release);
    wake();
}

static void run_poked(void)
{
    for (unsigned who = 0; who < POKERS; who++) {
        bool (*fn)(void) =
            (bool (*)(void))atomic_exchange_explicit(&poked[who], NULL, memory_order_acquire);
        void *none = NULL;
        if (fn && !fn())
            atomic_compare_exchange_strong_explicit(&poked[who], &none, (void *)fn,
                                                    memory_order_release, memory_order_relaxed);
    }
}

static bool anybody_poked(void)
{
    for (unsigned who = 0; who < POKERS; who++)
        if (atomic_load_explicit(&poked[who], memory_order_acquire))
            return true;
    return false;
}

static void serve_requests(void)
{
    uint64_t count;
    RAW3(SYS_read, wake_fd, &count, sizeof count);
    run_poked();
    plat_lock(&lock);
    struct request *request = first_request;
    first_request = NULL;
    end_request = &first_request;
    plat_unlock(&lock);
    while (request) {
        struct request *next = request->next;
        request->fn(request->arg);
        baton_post(&request->baton);
        request = next;
    }
}

static void *broker_main(void *unused)
{
    (void)unused;
    plat_tls.counted = true;
    for (;;) {
        struct pollfd fd = {wake_fd, POLLIN, 0};
        /* What could not be done for want of kernel threads is tried again a while later. */
        static const struct timespec a_while = {0, 50000000};
        bool pending = anybody_poked();
        struct timespec limit = a_while; /* the kernel writes what is left */
        long r = RAW5(SYS_ppoll, &fd, 1, pending ? &limit : 0, 0, 8);
        if (r == 0)
            run_poked();
        else if (r > 0)
            serve_requests();
    }
    return NULL;
}

int broker_start(void)
{
    pthread_t thread;
    lock = (struct plat_lock){0};
    first_request = NULL;
    end_request = &first_request;
    wake_fd = fd_move_high(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (wake_fd < 0)
        return errno;
    return kthread_create(&thread, 1 << 20, broker_main, NULL);
}
