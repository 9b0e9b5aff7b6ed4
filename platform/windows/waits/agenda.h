/* SPDX-License-Identifier: MIT
 *
 * agenda.h - the work of the service thread (wait_service.h), and the time at which it looks next.
 *
 * Workers' schedulers and the pool's callbacks write here; the service thread reads. It sleeps
 * until a time that it has planned. An entry that is due before that time needs a wake-up: the
 * function that writes it returns true then, and its caller calls agenda_wake when it has released
 * wait_lock.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_AGENDA_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_AGENDA_H

#include "platform/windows/engine.h"

/* Makes the event and the timer. Once, before there is a worker. False: no memory. */
bool agenda_open(void);

/* Wakes the service thread. Called without the lock. */
void agenda_wake(void);
/* The number of the tick that runs. */
uint32_t agenda_ticks(void);

/* ---- Under wait_lock. True: the caller calls agenda_wake then.
 * --------------------------------- */

bool agenda_is_late_for(uint64_t deadline);
/* Asks the service thread to arm the pool for this worker, whose handle is our own by now. */
bool agenda_queue(struct plat_context *worker);
void agenda_unqueue(struct plat_context *worker);
/* Makes ticks begin, if they do not run. */
bool agenda_tick(void);

/* ---- For the service thread, under wait_lock ------------------------------------------------ */

/* The service thread is awake: no thread need wake it. */
void agenda_look(void);
/* Takes all workers that were queued, as a chain. */
struct plat_context *agenda_take_queued(void);
/* Whether a tick is over, and its number. Ticks go on until agenda_go_on_ticking(false). */
bool agenda_tick_is_over(uint32_t *tick);
void agenda_go_on_ticking(bool wanted);
/* Plans when to look next: at `until`, or at the tick before that. Returns the time; 0: at once. */
uint64_t agenda_plan(uint64_t until, uint64_t now);

/* Sleeps until then, or until agenda_wake. Called without the lock. */
void agenda_sleep(uint64_t until, uint64_t now);

#endif
