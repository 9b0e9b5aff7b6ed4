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

enum { LEAF_BITS = 10, LEAVES = (1 << 22) >> LEAF_BITS }; /* PID_MAX_LIMIT is 4 Mi */

/* Bit 0 tells a home's context from a carrier. */
static _Atomic(_Atomic(uintptr_t) *) leaves[LEAVES];

/* Each id has a cache line of its own: a home's entry changes with each worker that it carries, and
 * the id beside it may be that of another processor's home. */
enum { LINE = 64 / sizeof(uintptr_t), LEAF_BYTES = 64 << LEAF_BITS };

static size_t place_of(pid_t tid)
{
    return ((size_t)tid & ((1 << LEAF_BITS) - 1)) * LINE;
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
