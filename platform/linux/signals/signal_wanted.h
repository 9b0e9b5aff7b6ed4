/* SPDX-License-Identifier: MIT
 *
 * signal_wanted.h - which signals the signal thread is to take, and telling it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_WANTED_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_WANTED_H

#include "platform/linux/plat_types.h"

extern PLAT_LOCK(SIGNALS) signals_lock;

/* Takes the lock. A context that has joined before counts from here on (signal_newborn.c). */
void signals_enter(void);

/* The signals that the signal thread takes: a worker has them open or waits for them. Under
 * signals_lock. */
uint64_t signals_wanted(void);
/* The signals that it waits for now. Written under signals_lock. */
extern _Atomic uint64_t signals_active;
/* Under signals_lock. Counts these bits of a context's mask (by: 1), or counts them no more (by:
 * -1). */
void signals_count_mask(struct plat_context *context, uint64_t mask, uint64_t bits, int by);
void waiting_change(uint64_t set, int by); /* the counts of a sigtimedwait */
/* There may be more to take: wakes the signal thread, which looks again soon. */
void signals_poke(void);
/* Returns when the signal thread has looked again. From here on it takes no signal that no worker
 * wants. It has taken the signals of `sent` that are pending and that a worker wants. */
void signals_sync(uint64_t sent);
/* The bit of the signal that wakes the signal thread; 0: there has been no such thread yet. */
extern uint64_t signals_poke_bit;
pid_t signals_thread(void); /* its id; 0: it is not there */
void signals_wanted_forget(void);
/* The thread that starts the signal thread calls these two: it names the signal that wakes the
 * signal thread, and waits until that runs. */
void signals_thread_expected(int signal);
void signals_thread_await(void);
/* The signal thread calls all that follow: it says that it runs, and asks which signal wakes it. */
void signals_thread_arrives(void);
int signals_poke_signal(void);
/* Publishes and returns the signals to take now. `until` and `sent`: for the answer to those who
 * wait in signals_sync; NULL: there is none now. */
uint64_t signals_look_again(uint32_t *until, uint64_t *sent);
void signals_looked(uint32_t until);

#endif
