/* SPDX-License-Identifier: MIT
 *
 * bucket.c - the waits at addresses: in buckets, each in order of arrival.
 */
#include "platform/linux/dispatch/waiters.h"

static struct bucket buckets[BUCKETS];

struct bucket *bucket_of(const volatile void *address)
{
    return &buckets[bucket_number(address)];
}

void address_remove(struct wait *wait)
{
    struct bucket *bucket = bucket_of(wait->address);
    if (wait->previous_at)
        wait->previous_at->next_at = wait->next_at;
    else
        bucket->first = wait->next_at;
    if (wait->next_at)
        wait->next_at->previous_at = wait->previous_at;
    else
        bucket->last = wait->previous_at;
}

void address_enqueue(struct wait *wait, struct bucket *bucket, const volatile void *address)
{
    wait->address = address;
    wait->next_at = NULL;
    wait->previous_at = bucket->last;
    if (bucket->last)
        bucket->last->next_at = wait;
    else
        bucket->first = wait;
    bucket->last = wait;
    if (wait->thread)
        atomic_store_explicit(&wait->thread->waits_at, (uintptr_t)bucket | WAITS_AT_BUCKET,
                              memory_order_release);
}

void buckets_forget(void)
{
    for (unsigned i = 0; i < BUCKETS; i++)
        buckets[i] = (struct bucket){0};
}
