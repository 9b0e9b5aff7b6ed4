/* SPDX-License-Identifier: MIT
 *
 * noticed.c - see noticed.h.
 *
 * The table is small, and all workers share it without a lock: two that count at once may count one
 * time for two. A call that finds another call site's entry at its place counts that entry down. So
 * a site that is called no longer gives way to one that is.
 */
#include "platform/linux/traps/noticed.h"

#include <stddef.h>

enum { PLACES = 512, MOST_TIMES = 1 << 16 };

static struct place {
    _Atomic uintptr_t behind;
    _Atomic uint32_t times;
} places[PLACES];

_Atomic(call_often_hook *) call_often;

static size_t place_of(uintptr_t behind)
{
    enum { SHIFT = 64 - 9 };
    _Static_assert(PLACES == 1 << (64 - SHIFT), "the index is within the table");
    return behind * 0x9e3779b97f4a7c15u >> SHIFT;
}

static uint32_t count(struct place *place, uintptr_t behind)
{
    uint32_t times = atomic_load_explicit(&place->times, memory_order_relaxed);
    if (atomic_load_explicit(&place->behind, memory_order_relaxed) != behind) {
        if (times) {
            atomic_store_explicit(&place->times, times - 1, memory_order_relaxed);
            return 0;
        }
        atomic_store_explicit(&place->behind, behind, memory_order_relaxed);
    }
    if (times == MOST_TIMES)
        return times - 1; /* no power of two, so the hook is not called again */
    atomic_store_explicit(&place->times, times + 1, memory_order_relaxed);
    return times + 1;
}

enum noticed call_noticed(uintptr_t behind)
{
    call_often_hook *hook = atomic_load_explicit(&call_often, memory_order_acquire);
    struct place *place = &places[place_of(behind)];
    uint32_t times = count(place, behind);
    if (hook && times >= CALL_OFTEN && !(times & (times - 1)) && !hook(behind))
        atomic_store_explicit(&place->times, 0, memory_order_relaxed);
    return times > CALL_STAYS ? NOTICED_STAYS : NOTICED;
}
