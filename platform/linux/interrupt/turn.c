/* SPDX-License-Identifier: MIT
 *
 * turn.c - see turn.h.
 *
 * A waiter counts itself in `awaited`, then looks at `owner` under the lock of that address. The
 * thread that leaves writes `owner`, then looks at `awaited`. All are sequentially consistent: so
 * the waiter sees that the turn is free, or the other thread wakes it. It wakes all of them, for
 * one that is woken may be ended before it looks.
 */
#include "platform/linux/interrupt/turn.h"

#include <limits.h>

#include "platform/layout.h"
#include "platform/linux/dispatch/address.h"
#include "platform/linux/dispatch/wait.h"
#include "platform/linux/interrupt/sync_call.h"

struct turn_wait {
    struct turn *turn;
    const struct plat_thread *self;
};

static bool still_taken(void *arg)
{
    const struct turn_wait *wait = arg;
    return atomic_load(&wait->turn->owner) && !sync_call_is_asked(wait->self);
}
LAYOUT_WAIT("a named pipe, behind another call", still_taken);

/* Between the exchange and the end the turn has an owner, and is in no chain. Nobody reads the
 * chain there: it is the thread's own, a stop ends no thread inside the library (stop.c), and a
 * handler on top leaves the chain as it found it. */
static bool take(struct turn *turn, struct plat_thread *self)
{
    uintptr_t none = 0;
    if (!atomic_compare_exchange_strong(&turn->owner, &none, (uintptr_t)self))
        return false;
    turn->below = self->stopping.turns;
    self->stopping.turns = turn;
    return true;
}

bool turn_take(struct turn *turn)
{
    struct plat_thread *self = thread_current();
    if (!self)
        return false;
    if (UMS_LIKELY(take(turn, self)))
        return true;
    struct turn_wait wait = {turn, self};
    bool mine = false;
    atomic_fetch_add(&turn->awaited, 1);
    sync_call_waits_at(&turn->owner);
    while (!mine && !sync_call_is_asked(self)) {
        address_wait(&turn->owner, still_taken, NULL, &wait, PLAT_FOREVER);
        mine = take(turn, self);
    }
    sync_call_waits_at(NULL);
    atomic_fetch_sub(&turn->awaited, 1);
    return mine;
}

static void give_up(struct turn *turn)
{
    atomic_store(&turn->owner, 0);
    if (UMS_UNLIKELY(atomic_load(&turn->awaited)))
        address_wake(&turn->owner, UINT_MAX, NULL, NULL);
}

void turn_leave(struct turn *turn)
{
    thread_current()->stopping.turns = turn->below;
    give_up(turn);
}

void turns_leave(struct plat_thread *thread)
{
    for (struct turn *turn = thread->stopping.turns, *below; turn; turn = below) {
        below = turn->below;
        give_up(turn);
    }
    thread->stopping.turns = NULL;
}

void turn_forget(struct turn *turn)
{
    atomic_store(&turn->awaited, 0);
    if (atomic_load(&turn->owner) != (uintptr_t)plat_tls.thread)
        atomic_store(&turn->owner, 0);
}
