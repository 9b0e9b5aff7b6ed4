/* SPDX-License-Identifier: MIT
 *
 * carry.c - see carry.h: what all waits in user mode have in common.
 */
#include "platform/windows/carry.h"

#include "platform/windows/alert.h"

enum { NS_OF_TICK = 100, LOOK_AT_CLOCK_NS = 1000000000 };

struct plat_lock carry_lock;

void carry_begin(struct plat_context *worker)
{
    worker->carry.place = 0;
    worker->carry.handle = NULL;
    atomic_store_explicit(&worker->carry.how, CARRY_NONE, memory_order_relaxed);
    atomic_store_explicit(&worker->carry.alert, ALERT_REAL, memory_order_release);
}

/* ---- Time ------------------------------------------------------------------------------------ */

static uint64_t clock_now(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return (uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime;
}

/* The clock may be set while somebody waits for a time of its: so it is looked at now and then. */
static uint64_t look_at_clock(const struct carry *carry, uint64_t now)
{
    uint64_t clock = clock_now(), time = carry->clock_time;
    uint64_t rest = time > clock ? time - clock : 0;
    return now + (rest < LOOK_AT_CLOCK_NS / NS_OF_TICK ? rest * NS_OF_TICK : LOOK_AT_CLOCK_NS);
}

void carry_set_deadline(struct carry *carry, const LARGE_INTEGER *timeout)
{
    carry->absolute = false;
    carry->deadline = PLAT_FOREVER;
    if (!timeout)
        return;
    if (timeout->QuadPart < 0) {
        uint64_t ticks = -(uint64_t)timeout->QuadPart;
        if (ticks < (uint64_t)INT64_MAX / NS_OF_TICK)
            carry->deadline = plat_now() + ticks * NS_OF_TICK;
        return;
    }
    carry->absolute = true;
    carry->clock_time = (uint64_t)timeout->QuadPart;
    carry->deadline = look_at_clock(carry, plat_now());
}

bool carry_expired(struct carry *carry, uint64_t now)
{
    if (now < carry->deadline)
        return false;
    if (!carry->absolute)
        return true;
    carry->deadline = look_at_clock(carry, now);
    return carry->deadline <= now;
}

LARGE_INTEGER *carry_rest(const struct carry *carry, LARGE_INTEGER *rest)
{
    uint64_t now;
    if (carry->deadline == PLAT_FOREVER)
        return NULL;
    if (carry->absolute) {
        rest->QuadPart = (LONGLONG)carry->clock_time;
        return rest;
    }
    now = plat_now();
    rest->QuadPart = now < carry->deadline
                         ? -(LONGLONG)((carry->deadline - now + NS_OF_TICK - 1) / NS_OF_TICK)
                         : 0;
    return rest;
}

/* ---- Leaving and being completed ------------------------------------------------------------- */

bool carry_wait(struct plat_context *self, bool (*left)(void *worker))
{
    DWORD error = GetLastError();
    self->carry.again = false;
    atomic_store_explicit(&self->carry.how, CARRY_ENTERING, memory_order_relaxed);
    bool waited = engine_core->worker_wait(self, left, self);
    atomic_store_explicit(&self->carry.how, CARRY_NONE, memory_order_relaxed);
    SetLastError(error);
    return waited;
}

void carry_complete(struct plat_context *chain)
{
    while (chain) {
        struct plat_context *worker = chain;
        chain = worker->carry.next;
        engine_core->worker_completed(worker);
    }
}
