/* SPDX-License-Identifier: MIT
 *
 * fd_watch.c - see fd_watch.h.
 *
 * A watch is the kernel's, in the epoll set, until its event is delivered, which takes it off
 * (EPOLLONESHOT); then the thread's, which puts it back or frees it.
 */
#include "platform/linux/async/fd_watch.h"

#include <stdlib.h>
#include <sys/epoll.h>

#include "platform/linux/calls/broker.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/engine.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"

enum { STACK_BYTES = 128 << 10, NO_MEMORY = 8 };

struct watch {
    int fd;
    bool (*ready)(void *arg);
    void *arg;
};

enum { NOT_STARTED, STARTING, UP };

static _Atomic uint32_t state; /* futex */
static int set = -1;           /* written before UP is */

static void *watch_main(void *unused)
{
    struct epoll_event event;
    kthread_name("ums:watch");
    (void)unused;
    affinity_reset(); /* a lane's broker may have made it */
    for (;;) {
        if (epoll_wait(set, &event, 1, -1) != 1)
            continue;
        struct watch *watch = event.data.ptr;
        event.events = EPOLLIN | EPOLLONESHOT;
        if (watch->ready(watch->arg))
            free(watch);
        else
            epoll_ctl(set, EPOLL_CTL_MOD, watch->fd, &event);
    }
    return NULL;
}

static void started(uint32_t now)
{
    atomic_store_explicit(&state, now, memory_order_release);
    futex_wake(&state, INT32_MAX);
}

static void wait_up(void *unused)
{
    (void)unused;
    while (atomic_load_explicit(&state, memory_order_acquire) == STARTING)
        futex_wait(&state, STARTING);
}

/* On a broker thread, which is outside the filter, and which a worker waits for without its
 * scheduler. */
static void create(void *unused)
{
    pthread_t thread;
    (void)unused;
    if (set < 0)
        set = fd_move_high(epoll_create1(EPOLL_CLOEXEC));
    bool up = set >= 0 && !kthread_create(&thread, STACK_BYTES, watch_main, NULL);
    started(up ? UP : NOT_STARTED);
}

static int start(void)
{
    uint32_t seen = NOT_STARTED;
    if (atomic_load_explicit(&state, memory_order_acquire) == UP)
        return 0;
    if (dispatch_hooks.start())
        return NO_MEMORY;
    bool mine = atomic_compare_exchange_strong_explicit(&state, &seen, STARTING,
                                                        memory_order_acquire, memory_order_acquire);
    if (seen != UP)
        broker_run(mine ? create : wait_up, NULL);
    return atomic_load_explicit(&state, memory_order_acquire) == UP ? 0 : NO_MEMORY;
}

int fd_watch(int fd, bool (*ready)(void *arg), void *arg)
{
    struct watch *watch = start() ? NULL : malloc(sizeof *watch);
    if (!watch)
        return NO_MEMORY;
    *watch = (struct watch){fd, ready, arg};
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = watch};
    if (!epoll_ctl(set, EPOLL_CTL_ADD, fd, &event))
        return 0;
    free(watch);
    return NO_MEMORY;
}

void fd_watch_forget(void)
{
    if (set >= 0)
        own_file_close(set); /* the parent keeps its own */
    set = -1;
    atomic_store_explicit(&state, NOT_STARTED, memory_order_relaxed);
}
