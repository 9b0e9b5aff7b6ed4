/* SPDX-License-Identifier: MIT
 *
 * shared_bell.c - see shared_bell.h.
 *
 * Threads of this process may wait for a mutex that another process owns. When that process ends,
 * the kernel hangs up its pipe (peers.h). The thread of fd_watch.h sees that, and rings here.
 *
 *     the bell looks      it holds the word, finds the owner alive, and releases the word
 *     it watches          a pipe that has hung up before it is watched is seen at once
 *     the owner changes   the owner that released the mutex has rung before
 *
 * So after each look one of three holds. A process rings; or the owner that was found is watched;
 * or the bell looks again soon, because no descriptor is left or the owner is just ending.
 */
#include "platform/linux/async/shared_bell.h"

#include <stdatomic.h>

#include "platform/linux/async/fd_watch.h"
#include "platform/linux/calls/broker_once.h"
#include "platform/linux/dispatch/hooks.h"
#include "platform/linux/dispatch/peers.h"
#include "platform/linux/dispatch/proxy.h"
#include "platform/linux/dispatch/sealed_file.h"
#include "platform/linux/dispatch/shared_folder.h"
#include "platform/linux/dispatch/shared_trouble.h"
#include "platform/linux/os/affinity.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/log_once.h"
#include "platform/linux/os/own_files.h"
#include "platform/linux/os/raw.h"

enum { STACK_BYTES = 128 << 10, NO_MEMORY = 8, OWNERS = 64 };
/* How long until the bell looks again at an owner whose pipe it cannot watch. */
enum { SOON_MS = 10 };

#define ALL_BUCKETS UINT64_MAX

static struct broker_once bell;
static _Atomic int join_error; /* of the last attempt to join */

/* ---- Owners ---------------------------------------------------------------------------------- */

/* The numbers of processes, and in the upper half the descriptors of their pipes; 0: none. The
 * bell's thread sets them. */
static _Atomic uint64_t watched[PEERS];

static bool hung_up(void *arg)
{
    uint64_t both = (uintptr_t)arg, expected = both;
    /* The bell may watch the slot's next process by now. */
    atomic_compare_exchange_strong_explicit(&watched[peer_slot((uint32_t)both)], &expected, 0,
                                            memory_order_acq_rel, memory_order_relaxed);
    own_file_close((int)(both >> 32));
    peer_ring_self(ALL_BUCKETS);
    return true;
}

/* Has fd_watch watch the process's pipe. False: that is not possible. */
static bool watch(uint32_t number)
{
    _Atomic uint64_t *place = &watched[peer_slot(number)];
    if ((uint32_t)atomic_load_explicit(place, memory_order_acquire) == number)
        return true;
    int fd = peer_open(number);
    if (fd < 0)
        return false;
    uint64_t both = (uint64_t)fd << 32 | number;
    atomic_store_explicit(place, both, memory_order_release);
    if (!fd_watch(fd, hung_up, (void *)(uintptr_t)both))
        return true;
    atomic_store_explicit(place, 0, memory_order_release);
    own_file_close(fd);
    return false;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* Looks at the shared objects. True: there is an owner that is not watched. */
static bool serve(uint64_t which)
{
    uint32_t owners[OWNERS];
    unsigned count = proxies_look(which, owners, OWNERS);
    bool seen = count < OWNERS;
    for (unsigned i = 0; i < count; i++)
        seen &= watch(owners[i]);
    return !seen;
}

static void *bell_main(void *unused)
{
    (void)unused;
    kthread_name("ums:bell");
    affinity_reset(); /* the broker that makes this thread may be bound to its lane's processor */
    for (bool again = false;;) {
        uint64_t which = peer_listen(again ? SOON_MS : -1);
        again = serve(again ? ALL_BUCKETS : which);
    }
    return NULL;
}

/* On a broker thread: no filter stops its calls. A worker that waits for it has left its
 * scheduler. */
static bool create(void)
{
    pthread_t thread;
    int error = peer_self() ? 0 : peers_join();
    if (!error && kthread_create(&thread, STACK_BYTES, bell_main, NULL))
        error = NO_MEMORY;
    atomic_store_explicit(&join_error, error, memory_order_relaxed);
    if (!error)
        proxies_enter();
    return !error;
}

static int start(void)
{
    if (broker_once_done(&bell))
        return 0;
    if (dispatch_hooks.start())
        return NO_MEMORY;
    if (broker_once(&bell, create))
        return 0;
    int error = atomic_load_explicit(&join_error, memory_order_relaxed);
    return error ? error : NO_MEMORY;
}

int shared_bell_start(void)
{
    if (file_size_limited(SEALED_MOST))
        return shared_trouble(FOLDER_NO_SIZE);
    int error = start();
    return error || peers_are_ours() ? error : shared_trouble(FOLDER_OF_OTHERS);
}

void shared_bell_join(void)
{
    if (start())
        plat_log_once("a child of fork cannot wait for objects that its parent shares with other "
                      "processes: it has no memory, or no descriptor, to be one of them");
}

void shared_bell_forget(void)
{
    for (unsigned i = 0; i < PEERS; i++) {
        uint64_t both = atomic_exchange_explicit(&watched[i], 0, memory_order_relaxed);
        if (both)
            own_file_close((int)(both >> 32));
    }
    broker_once_forget(&bell);
}
