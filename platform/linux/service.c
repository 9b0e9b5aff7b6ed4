/* SPDX-License-Identifier: MIT
 *
 * service.c - one thread outside UMS that creates kernel threads for those who are inside the filter,
 * and one that takes the process's signals.
 *
 * A thread made inside the filter stays in it for life, with the carrier's signal mask and processor;
 * so carriers ask here. Signals sent to the process are handled on the handler thread's stack, while it
 * waits and only then; after each it lets go the workers that wait in pause or sigsuspend.
 */
#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "platform/linux/calls.h"
#include "platform/linux/copy.h"
#include "platform/linux/engine.h"
#include "platform/linux/raw.h"

struct request {
    void (*fn)(void *);
    void *arg;
    struct request *next;
    _Atomic uint32_t done;
};

static struct plat_lock lock;
static struct request *first_request, **end_request = &first_request;
static struct call *signal_waiters;
static _Atomic(void *) poked[POKERS]; /* the one function that each has run */
static int wake_fd = -1;
static int mask_fd = -1; /* the handler thread's: its mask is to be another */
static sigset_t base_mask;

static void raise_fd(int fd)
{
    uint64_t one = 1;
    RAW3(SYS_write, fd, &one, sizeof one);
}

static void wake(void)
{
    raise_fd(wake_fd);
}

void service_run(void (*fn)(void *), void *arg)
{
    struct request request = {.fn = fn, .arg = arg};
    plat_lock(&lock);
    *end_request = &request;
    end_request = &request.next;
    plat_unlock(&lock);
    wake();
    while (!atomic_load_explicit(&request.done, memory_order_acquire))
        futex_wait(&request.done, 0);
}

void service_poke(enum poker who, bool (*fn)(void))
{
    atomic_store_explicit(&poked[who], (void *)fn, memory_order_release);
    wake();
}

void service_wait_signal(struct call *call)
{
    plat_lock(&lock);
    call->next = signal_waiters;
    signal_waiters = call;
    plat_unlock(&lock);
    raise_fd(mask_fd); /* its mask counts from now on */
}

/* True: it did not complete and will not. */
bool service_cancel(struct call *call)
{
    plat_lock(&lock);
    struct call **link = &signal_waiters;
    while (*link && *link != call)
        link = &(*link)->next;
    bool found = *link != NULL;
    if (found)
        *link = call->next;
    plat_unlock(&lock);
    return found;
}

/* What to leave blocked while waiting: the program's own mask, less what a sigsuspend opens. */
static void waiting_mask(sigset_t *mask)
{
    *mask = base_mask;
    plat_lock(&lock);
    for (struct call *call = signal_waiters; call; call = call->next) {
        sigset_t open;
        sigemptyset(&open);
        if (call->entry->nr != SYS_rt_sigsuspend || copy_in(&open, (void *)call->args[0], 8))
            continue;
        for (int s = 1; s < NSIG; s++)
            if (!sigismember(&open, s))
                sigdelset(mask, s);
    }
    plat_unlock(&lock);
}

static void release_signal_waiters(void)
{
    plat_lock(&lock);
    struct call *call = signal_waiters;
    signal_waiters = NULL;
    plat_unlock(&lock);
    while (call) {
        struct call *next = call->next;
        call_complete(call, -EINTR);
        call = next;
    }
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
        atomic_store_explicit(&request->done, 1, memory_order_release);
        futex_wake(&request->done, 1); /* the request may be gone by now */
        request = next;
    }
}

static void handled(const unsigned *generation)
{
    if (!handler_thread_orphaned(*generation)) /* else it forked: they are the parent's */
        release_signal_waiters();
}

/* On the handler thread. A handler that ends it unwinds through here: it has handled a signal, too. */
static void take_signals(unsigned generation)
{
    __attribute__((cleanup(handled))) unsigned mine = generation;
    while (!handler_thread_orphaned(mine)) {
        struct pollfd fd = {mask_fd, POLLIN, 0};
        sigset_t mask;
        waiting_mask(&mask);
        long r = RAW5(SYS_ppoll, &fd, 1, 0, &mask, 8);
        uint64_t count;
        if (r == -EINTR)
            handled(&mine);
        else if (r > 0)
            RAW3(SYS_read, mask_fd, &count, sizeof count);
    }
}

static void *service_main(void *unused)
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

int service_start(void)
{
    pthread_t thread;
    lock = (struct plat_lock){0};
    first_request = NULL;
    end_request = &first_request;
    signal_waiters = NULL;
    RAW4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &base_mask, 8);
    wake_fd = fd_move_high(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    mask_fd = fd_move_high(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (wake_fd < 0 || mask_fd < 0)
        return errno;
    int error = kthread_create(&thread, 1 << 20, service_main, NULL);
    return error ? error : handler_thread_start(take_signals);
}
