/* SPDX-License-Identifier: MIT
 *
 * direct_ages.h - direct waiters (direct_waiters.h) that have waited for a tick or two.
 *
 * A worker that waits directly is put on the roll. It stays there as long as it waits directly at
 * least every other tick, so that a wait writes nothing that other schedulers' workers write. Each
 * wait stamps the worker with the number of the tick that runs. At each tick the service thread
 * calls the roll. A worker that waits since an earlier tick goes to the pool. One that has not
 * waited directly since then is struck off.
 *
 * `roll` of a worker is its place on the roll, 0 for none. A place counts only if its worker's
 * `roll` names it: a context's memory is cleared when another is made in it, and then the old place
 * is struck off as well. A worker that registers becomes DIRECT, executes a locked instruction, and
 * reads its place. The service thread clears the place, executes a locked instruction, and reads
 * whether the worker is DIRECT. So one of them sees the other.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_AGES_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_AGES_H

#include "platform/windows/engine.h"

enum roll { ROLL_IS_ON, ROLL_JOINED, ROLL_NO_MEMORY };

/* The worker waits directly; the caller holds its record's lock. JOINED: the caller calls
 * direct_ages_tick when it has released that lock. */
enum roll direct_ages_enter(struct plat_context *worker);
/* A waiter has joined: ticks run from now on. */
void direct_ages_tick(void);

/* On the service thread, without a lock: workers that registered in that tick or before go to the
 * pool. */
void direct_ages_call(uint32_t tick);
bool direct_ages_any(void);

#endif
