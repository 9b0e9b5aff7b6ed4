/* SPDX-License-Identifier: MIT
 *
 * gate.c - see gate.h.
 *
 * Two kinds of walkers. A system call that walks is hooked, and the gate closed around it. A loader
 * that walks in user mode (Wine's) cannot be: there the gate is closed when it has mapped a module with
 * a TLS directory while holding its lock, and opened when it tells of the module, which is before any
 * of the module's code runs. Whoever waits meanwhile opens it when the lock is found to be another's or
 * nobody's: the load was given up.
 */
#include "platform/windows/gate.h"

#include <windows.h>
#include <winternl.h>

#include "platform/windows/engine.h"
#include "platform/windows/teb_access.h"
#include "platform/windows/thread_map.h"

_Atomic uint32_t gate_closed;
static _Atomic uint32_t loader; /* the id of the thread that it is closed for */

static uint32_t own_id(void)
{
    return (uint32_t)TEB_HERE(uint64_t, 0x48);
}

static const RTL_CRITICAL_SECTION *loader_lock(void)
{
    return *(RTL_CRITICAL_SECTION **)(TEB_HERE(uint64_t, 0x60) + PEB_LOADER_LOCK);
}

bool gate_has_loader_lock(void)
{
    return (uint32_t)(uintptr_t)loader_lock()->OwningThread == own_id();
}

static void open_for_loader(uint32_t id)
{
    if (id && atomic_compare_exchange_strong(&loader, &id, 0))
        atomic_fetch_sub(&gate_closed, 1);
}

static void open_if_given_up(void)
{
    uint32_t id = atomic_load(&loader);
    if (id && (uint32_t)(uintptr_t)loader_lock()->OwningThread != id)
        open_for_loader(id);
}

bool gate_is_mine(const struct plat_context *worker)
{
    return atomic_load_explicit(&gate_closed, memory_order_relaxed) &&
           atomic_load_explicit(&loader, memory_order_relaxed) == worker->thread_id;
}

void gate_wait(struct plat_context *scheduler, const struct plat_context *worker)
{
    while (atomic_load_explicit(&gate_closed, memory_order_acquire) && !gate_is_mine(worker)) {
        __atomic_store_n(&scheduler->exchanging, false, __ATOMIC_RELEASE);
        open_if_given_up();
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

void gate_close(void)
{
    atomic_fetch_add(&gate_closed, 1);
    wait_for_exchanges();
}

void gate_open(void)
{
    atomic_fetch_sub(&gate_closed, 1);
}

void gate_close_for_loader(void)
{
    uint32_t none = 0, id = own_id();
    if (!gate_has_loader_lock() || !atomic_compare_exchange_strong(&loader, &none, id))
        return;
    atomic_fetch_add(&gate_closed, 1);
    wait_for_exchanges();
}

void gate_module_loaded(void)
{
    open_for_loader(own_id());
}
