/* SPDX-License-Identifier: MIT
 *
 * address.c - waits at addresses, with which WaitOnAddress, critical sections, SRW locks, condition
 * variables and one-time initialisation wait.
 *
 * The words belong to the program and hold no pointer of the library's. Buckets (bucket.c) have the
 * waits by address, each bucket from the oldest to the youngest and under its own lock.
 */
#include "platform/linux/dispatch/address.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/dispatch/waiters.h"

uint32_t address_wait(const volatile void *address, bool (*still)(void *), void (*queued)(void *),
                      void *arg, uint64_t deadline)
{
    struct wait wait;
    struct plat_thread *self = thread_current();
    if (UMS_UNLIKELY(!self))
        UMS_FATAL("no memory for a thread that waits at an address", address, 0);
    wait_init(&wait, NULL, self);
    struct bucket *bucket = bucket_of(address);
    plat_lock(&bucket->lock);
    if (still && !still(arg)) {
        plat_unlock_lasting(&bucket->lock);
        return 0;
    }
    if (!deadline) {
        plat_unlock_lasting(&bucket->lock);
        if (queued)
            queued(arg);
        return WAITED_TIMEOUT;
    }
    address_enqueue(&wait, bucket, address);
    wait.why = still ? (void *)still : (void *)queued;
    struct wait_then then = {.lock = &bucket->lock.lock, .fn = queued, .arg = arg};
    return wait_unlocked(&wait, deadline, &then);
}

void address_wake(const volatile void *address, unsigned most,
                  void (*woken)(void *arg, unsigned count, bool more), void *arg)
{
    struct wait *chain = NULL, **end = &chain;
    unsigned count = 0;
    bool more = false;
    struct bucket *bucket = bucket_of(address);
    plat_lock(&bucket->lock);
    for (struct wait *wait = bucket->first, *next; wait; wait = next) {
        next = wait->next_at;
        if (wait->address != address)
            continue;
        if (count == most) {
            more = true;
            break;
        }
        struct wait *one = NULL;
        wait_decide(wait, 0, &one);
        *end = one; /* the oldest first */
        end = &one->to_open;
        count++;
    }
    if (woken)
        woken(arg, count, more);
    plat_unlock_lasting(&bucket->lock);
    waits_open(chain);
}
