/* SPDX-License-Identifier: MIT
 *
 * gate.h - where one thread waits for what another does for it.
 *
 * SHUT -> WAITED by the scheduler, after the worker's stack was left; -> OPEN by whoever is done. Who comes
 * second sees the other: a worker that finds its gate open goes on, one that has left is queued. Anybody else
 * (a scheduler, a plain thread) waits in place, and its gate goes from SHUT to OPEN.
 *
 * The gate lies on the stack of who waits, and may be gone as soon as it is open.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SWITCH_GATE_H
#define UMSSHIM_PLATFORM_LINUX_SWITCH_GATE_H

#include "platform/linux/engine.h"
#include "platform/linux/os/raw.h"

/* On the scheduler. False: open already. */
static inline bool gate_left(void *arg)
{
    struct call_gate *gate = arg;
    uint32_t shut = GATE_SHUT;
    return atomic_compare_exchange_strong_explicit(&gate->word, &shut, GATE_WAITED,
                                                   memory_order_acq_rel, memory_order_acquire);
}

static inline void gate_wait(struct call_gate *gate)
{
    if (gate->worker) {
        if (atomic_load_explicit(&gate->word, memory_order_acquire) == GATE_SHUT)
            engine_core->worker_wait(gate->worker, gate_left, gate);
        return;
    }
    while (atomic_load_explicit(&gate->word, memory_order_acquire) == GATE_SHUT)
        futex_wait(&gate->word, GATE_SHUT);
}

static inline void gate_open(struct call_gate *gate)
{
    struct plat_context *worker = gate->worker;
    uint32_t was = atomic_exchange_explicit(&gate->word, GATE_OPEN, memory_order_acq_rel);
    if (was == GATE_WAITED)
        engine_core->worker_completed(worker);
    else if (!worker)
        futex_wake(&gate->word, 1); /* the gate may be gone: a wake-up that nobody gets */
}

#endif
