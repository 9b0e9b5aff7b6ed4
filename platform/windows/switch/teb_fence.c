/* SPDX-License-Identifier: MIT
 *
 * teb_fence.c - see teb_fence.h.
 *
 * There are two kinds of walkers. A system call that walks is hooked, and its handler raises the
 * fence around it. A loader that walks in user mode (Wine's) cannot be hooked. For it the fence is
 * raised when a thread with the loader's lock has mapped a module with a TLS directory. It is
 * lowered when the loader tells of the module, before any of the module's code runs. If the load is
 * given up, the loader does not tell. A scheduler that waits meanwhile notices that another thread
 * has the lock, or none, and lowers the fence. It may notice late. So each load has a number of its
 * own, by which the fence is lowered. A load that finds the fence of a load that was given up takes
 * it over. tests/models/teb.md has the proof.
 */
#include "platform/windows/switch/teb_fence.h"

#include <winternl.h>

#include "platform/windows/engine.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/teb_access.h"

_Atomic uint32_t teb_fence_raised;
_Atomic uint64_t teb_fence_loader;
static _Atomic uint32_t loads;

static void lower_for_load(uint64_t load)
{
    if (load && atomic_compare_exchange_strong(&teb_fence_loader, &load, 0))
        atomic_fetch_sub(&teb_fence_raised, 1);
}

static void lower_if_given_up(void)
{
    uint64_t load = atomic_load(&teb_fence_loader);
    if (load && loader_owner() != (uint32_t)load)
        lower_for_load(load);
}

void teb_fence_wait(struct plat_context *scheduler, const struct plat_context *worker)
{
    while (atomic_load_explicit(&teb_fence_raised, memory_order_acquire) &&
           !teb_fence_is_mine(worker)) {
        __atomic_store_n(&scheduler->exchanging, false, __ATOMIC_RELEASE);
        lower_if_given_up();
        SwitchToThread();
        *(volatile bool *)&scheduler->exchanging = true;
        atomic_thread_fence(memory_order_seq_cst);
    }
}

static bool exchanges(struct plat_context *context, void *arg)
{
    (void)arg;
    return context->is_scheduler && __atomic_load_n(&context->exchanging, __ATOMIC_ACQUIRE);
}

static void wait_for_exchanges(void)
{
    FlushProcessWriteBuffers();
    while (thread_map_any(exchanges, NULL))
        SwitchToThread();
}

void teb_fence_raise(void)
{
    atomic_fetch_add(&teb_fence_raised, 1);
    wait_for_exchanges();
}

void teb_fence_lower(void)
{
    atomic_fetch_sub(&teb_fence_raised, 1);
}

void teb_fence_raise_for_loader(void)
{
    if (!loader_lock_is_mine())
        return;
    uint64_t load = (uint64_t)(atomic_fetch_add(&loads, 1) + 1) << 32 | teb_id();
    if (!atomic_exchange(&teb_fence_loader, load))
        atomic_fetch_add(&teb_fence_raised, 1);
    wait_for_exchanges();
}

void teb_fence_module_loaded(void)
{
    uint64_t load = atomic_load(&teb_fence_loader);
    if ((uint32_t)load == teb_id())
        lower_for_load(load);
}
