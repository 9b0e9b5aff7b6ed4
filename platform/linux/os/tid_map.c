/* SPDX-License-Identifier: MIT
 *
 * tid_map.c - from a kernel thread's id to its carrier, or to the context whose home it is.
 *
 * A notification names the thread that made the call; finding its carrier must not depend on how
 * many there are. Two levels, filled on demand, read without a lock. Entries of homes are removed
 * when the home ends; carriers never end.
 */
#include "platform/linux/os/tid_map.h"

#include "platform/linux/os/raw.h"
#include "platform/linux/plat_types.h"
#include "platform/platform.h"

/* PID_MAX_LIMIT is 4 Mi. NEAR and FAR are the two parts of an id's place in its leaf. */
enum { NEAR_BITS = 12, FAR_BITS = 3, LEAF_BITS = NEAR_BITS + FAR_BITS };
enum { LEAVES = (1 << 22) >> LEAF_BITS, LEAF_BYTES = sizeof(uintptr_t) << LEAF_BITS };

/* Bit 0 tells a home's context from a carrier. */
static _Atomic(_Atomic(uintptr_t) *) leaves[LEAVES];

/* A home's entry changes with each worker that it carries, so two processors' homes should not
 * share a cache line. The ids of a process's threads are mostly near each other: those that share a
 * line are 4096 apart. A line for each id would cost a program that makes many threads eight times
 * the memory. */
static size_t place_of(pid_t tid)
{
    size_t near = (size_t)tid & ((1 << NEAR_BITS) - 1);
    size_t far = (size_t)tid >> NEAR_BITS & ((1 << FAR_BITS) - 1);

    return near << FAR_BITS | far;
}

static int store(pid_t tid, uintptr_t value)
{
    size_t leaf = (size_t)tid >> LEAF_BITS;
    if (tid <= 0 || leaf >= LEAVES)
        return 8;
    _Atomic(uintptr_t) *entries = atomic_load_explicit(&leaves[leaf], memory_order_acquire);
    if (!entries) {
        _Atomic(uintptr_t) *fresh = plat_reserve(LEAF_BYTES);
        if (!fresh)
            return 8;
        /* If two threads make the leaf, that of the slower one stays reserved: at most once for
         * each leaf and thread. */
        if (atomic_compare_exchange_strong_explicit(&leaves[leaf], &entries, fresh,
                                                    memory_order_acq_rel, memory_order_acquire))
            entries = fresh;
    }
    plat_written(&entries[place_of(tid)]);
    atomic_store_explicit(&entries[place_of(tid)], value, memory_order_release);
    return 0;
}

static uintptr_t load(pid_t tid)
{
    size_t leaf = (size_t)tid >> LEAF_BITS;
    if (tid <= 0 || leaf >= LEAVES)
        return 0;
    _Atomic(uintptr_t) *entries = atomic_load_explicit(&leaves[leaf], memory_order_acquire);
    return entries ? atomic_load_explicit(&entries[place_of(tid)], memory_order_acquire) : 0;
}

/* In a child after fork: all entries are the parent's. */
void tid_map_forget(void)
{
    for (size_t leaf = 0; leaf < LEAVES; leaf++) {
        _Atomic(uintptr_t) *entries = atomic_load_explicit(&leaves[leaf], memory_order_relaxed);
        atomic_store_explicit(&leaves[leaf], NULL, memory_order_relaxed);
        if (entries)
            RAW2(SYS_munmap, entries, LEAF_BYTES);
    }
}

int tid_map_carrier(pid_t tid, struct carrier *carrier)
{
    return store(tid, (uintptr_t)carrier);
}

int tid_map_home(pid_t tid, struct plat_context *context)
{
    return store(tid, context ? (uintptr_t)context | 1 : 0);
}

struct carrier *tid_carrier(pid_t tid)
{
    uintptr_t value = load(tid);
    return value & 1 ? NULL : (struct carrier *)value;
}

struct plat_context *tid_home(pid_t tid)
{
    uintptr_t value = load(tid);
    return value & 1 ? (struct plat_context *)(value - 1) : NULL;
}
