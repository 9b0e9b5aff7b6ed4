/* SPDX-License-Identifier: MIT
 *
 * async_disk.c - threads that make ums:async's calls for disks, where there is no ring.
 *
 * A file on a disk is always ready, and reading it takes a while all the same. Each of a few
 * threads takes a call from the queue, makes it, and puts it on a list that ums:async empties.
 */
#include "platform/linux/async/async_parts.h"
#include "platform/linux/os/bare_thread.h"
#include "platform/linux/os/kthread.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"

enum { DISK_THREADS = 4, DISK_STACK = 128 << 10 };

static PLAT_LOCK(HELPERS) lock; /* for the next four variables */
static struct async_call *first, **end = &first;
static unsigned threads, idle;
static _Atomic uint32_t work; /* futex: changes with each call */
static _Atomic(struct async_call *) over;

/* The next call for a disk thread. NULL: none was queued. The thread has slept, and a call may be
 * queued by now. */
static struct async_call *take(void)
{
    plat_lock(&lock);
    struct async_call *call = first;
    uint32_t seen = atomic_load_explicit(&work, memory_order_relaxed);
    if (call) {
        first = call->next_on_disk;
        if (!first)
            end = &first;
    } else {
        idle++;
    }
    plat_unlock(&lock);
    if (call)
        return call;
    futex_wait(&work, seen);
    plat_lock(&lock);
    idle--;
    plat_unlock(&lock);
    return NULL;
}

static void make(struct async_call *call)
{
    call->result = async_make(call, true);
    call->next_on_disk = atomic_load_explicit(&over, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&over, &call->next_on_disk, call,
                                                  memory_order_seq_cst, memory_order_relaxed))
        continue;
    async_wake();
}

static void *disk_main(void *unused)
{
    kthread_name("ums:disk");
    for (;;) {
        struct async_call *call = take();
        if (call)
            make(call);
    }
    return unused;
}

void async_disk_begin(struct async_call *call)
{
    plat_lock(&lock);
    bool more = !idle && threads < DISK_THREADS;
    threads += more;
    plat_unlock(&lock);
    if (more && bare_thread_create(DISK_STACK, disk_main, NULL)) {
        plat_lock(&lock);
        bool none = --threads == 0;
        plat_unlock(&lock);
        if (none) {
            make(call); /* no disk thread can be made: this thread makes the call */
            return;
        }
    }
    call->next_on_disk = NULL;
    plat_lock(&lock);
    *end = call;
    end = &call->next_on_disk;
    atomic_fetch_add_explicit(&work, 1, memory_order_release);
    plat_unlock(&lock);
    futex_wake(&work, 1);
}

bool async_disk_any(void)
{
    return atomic_load_explicit(&over, memory_order_seq_cst);
}

void async_disk_serve(void)
{
    struct async_call *call = atomic_exchange_explicit(&over, NULL, memory_order_acquire);
    while (call) {
        struct async_call *next = call->next_on_disk;
        async_over(call, call->result);
        call = next;
    }
}

void async_disk_forget(void)
{
    plat_lock_forget(&lock);
    first = NULL;
    end = &first;
    threads = idle = 0;
    atomic_store_explicit(&over, NULL, memory_order_relaxed);
}
