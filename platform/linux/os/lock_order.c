/* SPDX-License-Identifier: MIT
 *
 * lock_order.c - see lock_order.h.
 *
 * Only the thread itself looks at its locks, also from a handler that interrupts it here. The count
 * goes up before a place is written, and a place is cleared before the count goes down. So a
 * handler's own locks lie above, and are gone when it returns.
 */
#include "platform/linux/os/lock_order.h"
#include "platform/check.h"
#include "platform/linux/os/lock_ranks.h"
#include "platform/linux/plat_types.h"

#ifdef UMSSHIM_CHECKS
#include <stdio.h>

enum { ADDRESS_BITS = 48 };

static const char *const names[] = {"none",
#define AS_TEXT(name) #name,
                                    LOCK_RANKS(AS_TEXT)
#undef AS_TEXT
};

static enum lock_rank rank_of(uintptr_t noted)
{
    return (enum lock_rank)(noted >> ADDRESS_BITS);
}

static bool same_lock(uintptr_t noted, const struct plat_lock *lock)
{
    return (noted << (64 - ADDRESS_BITS)) >> (64 - ADDRESS_BITS) == (uintptr_t)lock;
}

static bool holds(const struct locks_held *held, enum lock_rank rank)
{
    for (uint32_t i = 0; i < held->count; i++)
        if (rank_of(held->noted[i]) == rank)
            return true;
    return false;
}

static _Noreturn void out_of_order(enum lock_rank wanted, enum lock_rank held)
{
    static char text[96];
    snprintf(text, sizeof text, "the lock %s is taken with %s held: lock_ranks.h", names[wanted],
             names[held]);
    UMS_FATAL(text, wanted, held);
}

void lock_order_check(const struct plat_lock *lock, enum lock_rank rank)
{
    const struct locks_held *held = &plat_tls.held;
    (void)lock;
    for (uint32_t i = 0; i < held->count; i++) {
        enum lock_rank other = rank_of(held->noted[i]);
        bool of_several = rank == RANK_OBJECT && other == rank && holds(held, RANK_ALL);
        if (other >= rank && !of_several)
            out_of_order(rank, other);
    }
}

void lock_order_took(const struct plat_lock *lock, enum lock_rank rank)
{
    struct locks_held *held = &plat_tls.held;
    if (held->count == LOCKS_NOTED) {
        held->beyond++;
        return;
    }
    uint32_t at = held->count++;
    atomic_signal_fence(memory_order_seq_cst);
    held->noted[at] = (uintptr_t)lock | (uintptr_t)rank << ADDRESS_BITS;
}

void lock_order_gave(const struct plat_lock *lock)
{
    struct locks_held *held = &plat_tls.held;
    uint32_t at = held->count;
    while (at && !same_lock(held->noted[at - 1], lock))
        at--;
    if (!at) {
        UMS_CHECK(held->beyond, lock, held->count); /* the thread must have the lock that it
                                                     * releases */
        held->beyond--;
        return;
    }
    for (; at < held->count; at++)
        held->noted[at - 1] = held->noted[at];
    held->noted[at - 1] = 0;
    atomic_signal_fence(memory_order_seq_cst);
    held->count--;
}
#endif
