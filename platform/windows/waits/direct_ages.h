/* SPDX-License-Identifier: MIT
 *
 * direct_ages.h - direct waiters (direct_waiters.h) that ticks have passed over.
 *
 * A worker that waits directly is put on a roll, once: there it stays as long as it waits directly
 * at least every other tick, so that a wait writes nothing that other schedulers' workers write.
 * Each wait stamps the worker with the number of the tick that runs. At each tick the service
 * thread calls the roll: who has waited since before is the pool's from then on, who has not waited
 * at all is struck off.
 *
 * `roll` of a worker is its place on the roll, 0 for none. A place counts only if its worker says
 * the same: the memory of a context is cleared when another is made in it, and then the old place
 * is struck off as well. A worker that registers is DIRECT, passes a locked instruction, and looks
 * at its place; the service thread clears the place, passes one, and looks whether the worker is
 * DIRECT. So one of them sees the other.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_AGES_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DIRECT_AGES_H

#include "platform/windows/engine.h"

enum roll { ROLL_IS_ON, ROLL_JOINED, ROLL_NO_MEMORY };

/* The worker waits directly; its record's lock is held. JOINED: direct_ages_tick is to be called
 * without it. */
enum roll direct_ages_enter(struct plat_context *worker);
/* A waiter has joined: ticks run from now on. */
void direct_ages_tick(void);

/* The service thread's, without a lock: who registered in that tick or before goes to the pool. */
void direct_ages_call(uint32_t tick);
bool direct_ages_any(void);

#endif
