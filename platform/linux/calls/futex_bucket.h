/* SPDX-License-Identifier: MIT
 *
 * futex_bucket.h - a bucket of the table of futexes: futex_table.c enters waits, futex_wake.c wakes
 * them.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_BUCKET_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_FUTEX_BUCKET_H

#include "platform/chain.h"
#include "platform/linux/calls/call_kit.h"
#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/linux/switch/lane.h"

struct call;
struct lane;

/* After this many wake-ups in a row that found no waiter in the kernel, a wake-up may be owed
 * (futex_wake.c). */
enum { FUTILE = 64 };

struct futex_bucket {
    PLAT_LOCK(FUTEXES) lock;
    bool aged;              /* waits were armed: some may be in the kernel */
    uint8_t turns;          /* counts wake-ups: each FAIR-th asks the kernel first */
    _Atomic uint8_t futile; /* wake-ups in a row that found no waiter in the kernel */
    uint32_t owed_count;    /* 0: nothing is owed */
    uintptr_t owed_word;    /* the address of a private futex */
    struct lane *owed_by;
    CHAIN_OF(struct call) waits;
} __attribute__((aligned(64)));

extern struct futex_bucket futex_buckets[FUTEX_BUCKETS];

static inline unsigned futex_bucket_of(uintptr_t word)
{
    return (unsigned)((uint64_t)(word >> 2) * 0x9e3779b97f4a7c15u >> 56) % FUTEX_BUCKETS;
}

/* With the bucket's lock: takes the wait out of the table. */
static inline void futex_chain_remove(struct futex_bucket *bucket, struct call *call)
{
    CHAIN_REMOVE(&bucket->waits, call, next, previous);
    atomic_store_explicit(&call->futex.tabled, false, memory_order_relaxed);
}

/* Notes in the lane that this bucket has a wait of its workers' to arm, or owed wake-ups to
 * make. */
static inline void futex_bucket_note(struct lane *lane, unsigned index)
{
    uint64_t bit = UINT64_C(1) << index % 64;
    if (!(atomic_load_explicit(&lane->futexes[index / 64], memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(&lane->futexes[index / 64], bit, memory_order_relaxed);
}

static inline long futex_wake_in_kernel(const long *a, long count, uint32_t bits)
{
    return RAW6(SYS_futex, a[0], FUTEX_WAKE_BITSET | (a[1] & FUTEX_PRIVATE_FLAG), count, 0, 0,
                bits);
}

/* `futile` is only an estimate: an update may be lost to another thread's. */
static inline void futex_note_found(struct futex_bucket *bucket, long woken)
{
    uint8_t futile = atomic_load_explicit(&bucket->futile, memory_order_relaxed);
    if (woken > 0 ? futile != 0 : futile < FUTILE)
        atomic_store_explicit(&bucket->futile, woken > 0 ? 0 : (uint8_t)(futile + 1),
                              memory_order_relaxed);
}

#endif
