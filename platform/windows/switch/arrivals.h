/* SPDX-License-Identifier: MIT
 *
 * arrivals.h - calls that have arrived at a hook, while hook_effect.c counts them.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_ARRIVALS_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_ARRIVALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "platform/check.h"

enum arrival { ARRIVAL_DELAY, ARRIVAL_SIGNAL, ARRIVAL_WAIT, ARRIVAL_ALERT, ARRIVALS };

extern bool arrivals_counted;
extern _Atomic uint32_t arrivals[ARRIVALS];

static inline void arrives(enum arrival call)
{
    if (UMS_UNLIKELY(arrivals_counted))
        atomic_fetch_add_explicit(&arrivals[call], 1, memory_order_relaxed);
}

#endif
