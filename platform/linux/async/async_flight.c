/* SPDX-License-Identifier: MIT
 *
 * async_flight.c - the calls that ums:async sees through just now, and how it is woken meanwhile.
 */
#include "platform/linux/async/async_parts.h"
#include "platform/linux/os/raw.h"

struct async_chain async_flying;
int async_wake_file = -1;
static _Atomic bool sleeps;

void async_flies(struct async_call *call)
{
    CHAIN_APPEND(&async_flying, call, next, previous);
}

void async_over(struct async_call *call, long result)
{
    CHAIN_REMOVE(&async_flying, call, next, previous);
    call->done(call, result);
}

void async_sleeps(bool now)
{
    atomic_store_explicit(&sleeps, now, now ? memory_order_seq_cst : memory_order_relaxed);
}

void async_wake(void)
{
    if (atomic_load_explicit(&sleeps, memory_order_seq_cst) &&
        atomic_exchange_explicit(&sleeps, false, memory_order_seq_cst)) {
        static const uint64_t one = 1;
        RAW3(SYS_write, async_wake_file, &one, sizeof one);
    }
}
