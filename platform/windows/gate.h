/* SPDX-License-Identifier: MIT
 *
 * gate.h - keeps exchanges of TEB contents apart from those who walk through all TEBs.
 *
 * The system does when a thread-local slot is given back (it is cleared in every TEB), and when a module
 * with static TLS is loaded (every TEB gets a longer vector). Meanwhile no exchange may be under way, or
 * a value would be seen twice or not at all.
 *
 * Exchanges are many and must cost nothing, so the fence is on the other side: an exchange says that
 * it is under way with a plain store and looks at the gate with a plain load; who closes the gate has
 * the system make all processors' stores visible (FlushProcessWriteBuffers), and then waits for those
 * that are under way. Either it sees the exchange or the exchange sees the closed gate.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_GATE_H
#define UMSSHIM_PLATFORM_WINDOWS_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "platform/check.h"
#include "platform/platform.h"

/* Closed by so many. */
extern _Atomic uint32_t gate_closed;

/* Waits until the gate is open, with the exchange not under way, or until the worker may pass. */
void gate_wait(struct plat_context *scheduler, const struct plat_context *worker);

/* On the scheduler's thread, before and after an exchange with this worker. */
static inline void gate_enter(struct plat_context *scheduler, const struct plat_context *worker)
{
    *(volatile bool *)&scheduler->exchanging = true;
    atomic_signal_fence(memory_order_seq_cst);
    if (UMS_UNLIKELY(atomic_load_explicit(&gate_closed, memory_order_acquire)))
        gate_wait(scheduler, worker);
}

static inline void gate_leave(struct plat_context *scheduler)
{
    __atomic_store_n(&scheduler->exchanging, false, __ATOMIC_RELEASE);
}

/* The calling thread walks through all TEBs between the two. */
void gate_close(void);
void gate_open(void);

/* A module with static TLS was mapped by the loader on the calling thread: closed until the loader says
 * that the module is loaded, or gives its lock back. */
void gate_close_for_loader(void);
/* The calling worker is in between: it must not leave its scheduler, who could not execute others. */
bool gate_is_mine(const struct plat_context *worker);

/* The loader on the calling thread says so (loader_notices.c). */
void gate_module_loaded(void);

/* The calling thread holds the loader's lock. */
bool gate_has_loader_lock(void);

#endif
