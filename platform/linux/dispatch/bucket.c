/* SPDX-License-Identifier: MIT
 *
 * bucket.c - the waits at addresses, in buckets, each from the oldest to the youngest.
 */
#include "platform/linux/dispatch/waiters.h"

#include "platform/chain.h"

static struct bucket buckets[BUCKETS];

struct bucket *bucket_of(const volatile void *address)
{
    return &buckets[bucket_number(address)];
}

void address_remove(struct wait *wait)
{
    struct bucket *bucket = bucket_of(wait->address);
    CHAIN_REMOVE(bucket, wait, next_at, previous_at);
}

void address_enqueue(struct wait *wait, struct bucket *bucket, const volatile void *address)
{
    wait->address = address;
    CHAIN_APPEND(bucket, wait, next_at, previous_at);
    if (wait->thread)
        atomic_store_explicit(&wait->thread->waits_at, (uintptr_t)bucket | WAITS_AT_BUCKET,
                              memory_order_release);
}

void buckets_forget(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = (struct bucket){0};
}
