/* SPDX-License-Identifier: MIT
 *
 * teb_fence.c - see teb_fence.h.
 *
 * There are two kinds of walkers. A system call that walks is hooked, and the fence raised around
 * it. A loader that walks in user mode (Wine's) cannot be hooked: the fence is raised for it when
 * it has mapped a module with a TLS directory while it held its lock, and lowered when it tells of
 * the module, which is before any of the module's code runs. A scheduler that waits meanwhile
 * lowers the fence when it finds that another thread has the lock, or none: the load was given up.
 */
#include "platform/windows/switch/teb_fence.h"

#include <windows.h>
#include <winternl.h>

#include "platform/windows/engine.h"
#include "platform/windows/os/thread_map.h"
#include "platform/windows/switch/teb_access.h"

_Atomic uint32_t teb_fence_raised;
static _Atomic uint32_t loader; /* the id of the thread that it is raised for */

static uint32_t own_id(void)
{
    return (uint32_t)TEB_HERE(uint64_t, 0x48);
}

static const RTL_CRITICAL_SECTION *loader_lock(void)
{
    return *(RTL_CRITICAL_SECTION **)(TEB_HERE(uint64_t, 0x60) + PEB_LOADER_LOCK);
}

bool loader_lock_is_mine(void)
{
    return (uint32_t)(uintptr_t)loader_lock()->OwningThread == own_id();
}

bool loader_is_at_work_here(void)
{
    return loader_lock_is_mine() || TEB_HERE(uint16_t, 0x17ee) & TEB_BITS_OF_LOADER;
}

static void lower_for_loader(uint32_t id)
{
    if (id && atomic_compare_exchange_strong(&loader, &id, 0))
        atomic_fetch_sub(&teb_fence_raised, 1);
}

static void lower_if_given_up(void)
{
    uint32_t id = atomic_load(&loader);
    if (id && (uint32_t)(uintptr_t)loader_lock()->OwningThread != id)
        lower_for_loader(id);
}

bool teb_fence_is_mine(const struct plat_context *worker)
{
    return atomic_load_explicit(&teb_fence_raised, memory_order_relaxed) &&
           atomic_load_explicit(&loader, memory_order_relaxed) == worker->thread_id;
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
    uint32_t none = 0, id = own_id();
    if (!loader_lock_is_mine() || !atomic_compare_exchange_strong(&loader, &none, id))
        return;
    atomic_fetch_add(&teb_fence_raised, 1);
    wait_for_exchanges();
}

void teb_fence_module_loaded(void)
{
    lower_for_loader(own_id());
}
