/* SPDX-License-Identifier: MIT
 *
 * lock_order.h - for a checked build: the locks that a thread has, and whether it may take another
 * (lock_ranks.h).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_LOCK_ORDER_H
#define UMSSHIM_PLATFORM_LINUX_OS_LOCK_ORDER_H

#include <stdint.h>

#include "platform/linux/os/lock_ranks.h"

enum { LOCKS_NOTED = 8 };
/* Part of a thread's block. */
struct locks_held {
    uintptr_t
        noted[LOCKS_NOTED]; /* a lock's address, and in the upper bits its rank; the last one taken
                             * is on top */
    uint32_t count;
    uint32_t beyond; /* held locks for which there was no room: several objects' */
};

#ifdef UMSSHIM_CHECKS
/* The caller is about to wait for the lock. */
void lock_order_check(const struct plat_lock *lock, enum lock_rank rank);
/* The caller has taken the lock. */
void lock_order_took(const struct plat_lock *lock, enum lock_rank rank);
/* The caller has released the lock. */
void lock_order_gave(const struct plat_lock *lock);
#else
static inline void lock_order_check(const struct plat_lock *lock, enum lock_rank rank)
{
    (void)lock, (void)rank;
}
static inline void lock_order_took(const struct plat_lock *lock, enum lock_rank rank)
{
    (void)lock, (void)rank;
}
static inline void lock_order_gave(const struct plat_lock *lock)
{
    (void)lock;
}
#endif

#endif
