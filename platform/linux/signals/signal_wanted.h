/* SPDX-License-Identifier: MIT
 *
 * signal_wanted.h - the signals that the signal thread is to take, and telling it of changes.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_WANTED_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_WANTED_H

#include "platform/linux/plat_types.h"

extern PLAT_LOCK(SIGNALS) signals_lock;

/* Takes the lock. A context that has joined before counts from here on (signal_newborn.c). */
void signals_enter(void);

/* The signals that the signal thread takes: a worker does not block them, or waits for them. Under
 * signals_lock. */
uint64_t signals_wanted(void);
/* The signals for which the signal thread waits now. Written under signals_lock. */
extern _Atomic uint64_t signals_active;
/* Under signals_lock. Counts these bits of a context's mask (by: 1), or takes them out of the
 * counts (by: -1). */
void signals_count_mask(struct plat_context *context, uint64_t mask, uint64_t bits, int by);
void waiting_change(uint64_t set, int by); /* the counts of calls that wait for signals */
/* The wanted signals may have grown: wakes the signal thread, which looks again soon. */
void signals_poke(void);
/* Returns when the signal thread has looked at the wanted signals again. From here on it takes no
 * others. It has taken the wanted signals of `sent` that are pending. */
void signals_sync(uint64_t sent);
/* The bit of the signal that wakes the signal thread; 0: there has been no such thread yet. */
extern uint64_t signals_poke_bit;
pid_t signals_thread(void); /* its id; 0: it does not run */
void signals_wanted_forget(void);
/* The thread that starts the signal thread calls these two: it names the signal that wakes the
 * signal thread, and waits until that runs. */
void signals_thread_expected(int signal);
void signals_thread_await(void);
/* The signal thread calls all functions below. With these two it says that it runs, and asks for
 * the signal that wakes it. */
void signals_thread_arrives(void);
int signals_poke_signal(void);
/* Publishes and returns the signals to take now. `until` and `sent` are for the answer to threads
 * that wait in signals_sync (signals_looked); NULL: no answer follows. */
uint64_t signals_look_again(uint32_t *until, uint64_t *sent);
void signals_looked(uint32_t until);

#endif
