/* SPDX-License-Identifier: MIT
 *
 * fd_watch.c - see fd_watch.h.
 *
 * A watch is in a list, and the epoll set knows it by its number, not by its address. So an event
 * that was fetched before its watch ended finds nothing. Code that touches the list or the set
 * holds the lock; `ready` is called without it. An event takes its watch out of the set
 * (EPOLLONESHOT), and the thread puts it back if the watch is still there after `ready`.
 */
#include "platform/linux/async/fd_watch.h"

#include <stdlib.h>
#include <sys/epoll.h>

#include "platform/linux/calls/broker_once.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"
#include "platform/platform.h"

enum { STACK_BYTES = 128 << 10, NO_MEMORY = 8 };

struct watch {
    struct watch *next;
    uint64_t number; /* no other watch ever has this number */
    int fd;
    bool (*ready)(void *arg);
    void *arg;
};

static struct broker_once watcher;
static int set = -1; /* written before the watcher is done */

static PLAT_LOCK(HELPERS) lock; /* for the next two, and the contents of the set */
static struct watch *watches;
static uint64_t numbers;

/* The link that leads to the watch with this number, or (number 0) of this descriptor. The caller
 * has the lock. */
static struct watch **find(uint64_t number, int fd)
{
    struct watch **link = &watches;
    while (*link && (number ? (*link)->number != number : (*link)->fd != fd))
        link = &(*link)->next;
    return link;
}

/* Has the epoll set add, change or drop the watch. The caller has the lock. */
static long control(int operation, const struct watch *watch)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = watch->number};
    return RAW4(SYS_epoll_ctl, set, operation, watch->fd, &event);
}

/* The event of the watch with this number has come. */
static void serve(uint64_t number)
{
    plat_lock(&lock);
    struct watch *watch = *find(number, 0), was;
    if (watch)
        was = *watch;
    plat_unlock(&lock);
    if (!watch)
        return;
    bool over = was.ready(was.arg);
    plat_lock(&lock);
    struct watch **link = find(number, 0);
    watch = *link;
    if (watch && over)
        *link = watch->next;
    else if (watch)
        control(EPOLL_CTL_MOD, watch);
    plat_unlock(&lock);
    if (over)
        free(watch);
}

static void *watch_main(void *unused)
{
    struct epoll_event event;
    kthread_name("ums:watch");
    (void)unused;
    affinity_reset(); /* the broker that makes this thread may be bound to its lane's processor */
    for (;;)
        if (epoll_wait(set, &event, 1, -1) == 1)
            serve(event.data.u64);
    return NULL;
}

/* On a broker thread: no filter stops its calls. A worker that waits for it has left its
 * scheduler. */
static bool create(void)
{
    pthread_t thread;
    if (set < 0)
        set = fd_move_high(epoll_create1(EPOLL_CLOEXEC));
    return set >= 0 && !kthread_create(&thread, STACK_BYTES, watch_main, NULL);
}

static int start(void)
{
    if (broker_once_done(&watcher))
        return 0;
    return dispatch_hooks.start() || !broker_once(&watcher, create) ? NO_MEMORY : 0;
}

int fd_watch(int fd, bool (*ready)(void *arg), void *arg)
{
    struct watch *watch = start() ? NULL : malloc(sizeof *watch);
    if (!watch)
        return NO_MEMORY;
    *watch = (struct watch){.fd = fd, .ready = ready, .arg = arg};
    plat_lock(&lock);
    watch->number = ++numbers;
    bool added = !control(EPOLL_CTL_ADD, watch);
    if (added) {
        watch->next = watches;
        watches = watch;
    }
    plat_unlock(&lock);
    if (added)
        return 0;
    free(watch);
    return NO_MEMORY;
}

void fd_watch_end(int fd)
{
    plat_lock(&lock);
    struct watch **link = find(0, fd), *watch = *link;
    if (watch) {
        *link = watch->next;
        control(EPOLL_CTL_DEL, watch);
    }
    plat_unlock(&lock);
    free(watch);
}

void fd_watch_forget(void)
{
    if (set >= 0)
        own_file_close(set); /* the parent keeps its own */
    set = -1;
    plat_lock_forget(&lock);
    watches = NULL;
    broker_once_forget(&watcher);
}
