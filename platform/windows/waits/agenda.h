/* SPDX-License-Identifier: MIT
 *
 * agenda.h - what the service thread (wait_service.h) is to do, and when it will look.
 *
 * Workers' schedulers and the pool's callbacks write here; the service thread reads. It sleeps
 * until a time that it has planned. An entry that is due before that time needs a wake-up: the
 * function that writes it says so, and whoever has called it wakes the agenda when it has given up
 * wait_lock.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_AGENDA_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_AGENDA_H

#include "platform/windows/engine.h"

/* Once, before there is a worker. False: no memory for it. */
bool agenda_open(void);

/* Without the lock. */
void agenda_wake(void);
/* The number of the tick that runs. */
uint32_t agenda_ticks(void);

/* ---- Under wait_lock. True: the caller has to wake it. --------------------------------------- */

bool agenda_is_late_for(uint64_t deadline);
/* The pool is to be armed for this worker, whose handle is our own by now. */
bool agenda_queue(struct plat_context *worker);
void agenda_unqueue(struct plat_context *worker);
/* Ticks are wanted. */
bool agenda_tick(void);

/* ---- The service thread's, under wait_lock -------------------------------------------------- */

/* It is awake: nobody need wake it. */
void agenda_look(void);
/* A chain of those that were queued. */
struct plat_context *agenda_take_queued(void);
/* Whether a tick is over, and its number. Ticks go on until agenda_go_on_ticking(false). */
bool agenda_tick_is_over(uint32_t *tick);
void agenda_go_on_ticking(bool wanted);
/* When it will look next: at `until`, or at the tick before that. 0: at once. */
uint64_t agenda_plan(uint64_t until, uint64_t now);

/* Without the lock: sleeps until then, or until it is woken. */
void agenda_sleep(uint64_t until, uint64_t now);

#endif
