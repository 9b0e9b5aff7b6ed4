/* SPDX-License-Identifier: MIT
 *
 * teb_fence.h - keeps exchanges of TEB contents apart from walks through all TEBs.
 *
 * The system walks when a thread-local slot is freed (it clears the slot in every TEB), and when a
 * module with static TLS is loaded (every TEB gets a longer vector). Meanwhile no exchange may be
 * under way, or the walk would see a value twice or not at all.
 *
 * Exchanges are many and must cost next to nothing, so the walkers do the work. A thread marks its
 * exchange with a plain store, and reads the fence with a plain load. A walker raises the fence,
 * has the system make all processors' stores visible (FlushProcessWriteBuffers), and then waits for
 * the exchanges that are under way. Either the walker sees the mark, or the thread that exchanges
 * sees the fence.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_FENCE_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_TEB_FENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <windows.h>

#include "platform/check.h"
#include "platform/platform.h"
#include "platform/windows/switch/teb_access.h"

/* How many threads that walk through all TEBs have raised the fence. */
extern _Atomic uint32_t teb_fence_raised;
/* The load for which it is raised: the load's number in the upper half, its thread's id in the
 * lower one. 0: none. */
extern _Atomic uint64_t teb_fence_loader;

/* Waits until the fence is down, or until the worker may pass. Meanwhile the exchange is not
 * marked. */
void teb_fence_wait(struct plat_context *scheduler, const struct plat_context *worker);

/* On the scheduler's thread, before and after an exchange with this worker. */
static inline void teb_fence_enter(struct plat_context *scheduler,
                                   const struct plat_context *worker)
{
    *(volatile bool *)&scheduler->exchanging = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (UMS_UNLIKELY(atomic_load_explicit(&teb_fence_raised, memory_order_acquire)))
        teb_fence_wait(scheduler, worker);
}

static inline void teb_fence_leave(struct plat_context *scheduler)
{
    __atomic_store_n(&scheduler->exchanging, false, __ATOMIC_RELEASE);
}

/* The calling thread walks through all TEBs between these two calls. */
void teb_fence_raise(void);
void teb_fence_lower(void);

/* On the calling thread the loader has mapped a module with static TLS. The fence stays up until
 * the loader tells that the module is loaded, or releases its lock. */
void teb_fence_raise_for_loader(void);
/* Whether the fence is up for the calling worker's load. The worker must not leave its scheduler
 * then, which could not execute others. */
static inline bool teb_fence_is_mine(const struct plat_context *worker)
{
    return UMS_UNLIKELY(atomic_load_explicit(&teb_fence_raised, memory_order_relaxed)) &&
           (uint32_t)atomic_load_explicit(&teb_fence_loader, memory_order_relaxed) ==
               worker->thread_id;
}

/* The loader tells the calling thread that a module is loaded (loader_notices.c): lowers the fence
 * if that thread's load has raised it. */
void teb_fence_module_loaded(void);

static inline const RTL_CRITICAL_SECTION *loader_lock(void)
{
    return *(RTL_CRITICAL_SECTION **)(TEB_HERE(uint64_t, 0x60) + PEB_LOADER_LOCK);
}

/* The thread that holds the loader's lock; 0: none. */
static inline uint32_t loader_owner(void)
{
    return (uint32_t)(uintptr_t)loader_lock()->OwningThread;
}

/* The calling thread holds the loader's lock. */
static inline bool loader_lock_is_mine(void)
{
    return loader_owner() == teb_id();
}
/* The same, or the calling thread loads without the lock: since Windows 10 the loader keeps loads
 * apart by events, and marks the thread that loads in its TEB. */
static inline bool loader_is_at_work_here(void)
{
    return loader_lock_is_mine() || TEB_HERE(uint16_t, 0x17ee) & TEB_BITS_OF_LOADER;
}

#endif
