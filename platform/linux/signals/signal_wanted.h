/* SPDX-License-Identifier: MIT
 *
 * signal_wanted.h - which signals the signal thread is to take, and telling it.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_WANTED_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_WANTED_H

#include "platform/linux/signals/worker_signals.h"

extern struct plat_lock signals_lock;

/* What the signal thread has to take: open in somebody, or waited for. Under signals_lock. */
uint64_t signals_wanted(void);
/* What it waits for right now; under signals_lock. */
extern uint64_t signals_active;
/* Under signals_lock: these bits of a context's mask count from now on, or no more (by: 1, -1). */
void signals_count_mask(struct plat_context *context, uint64_t mask, uint64_t bits, int by);
void waiting_change(uint64_t set, int by); /* the counts of a sigtimedwait */
/* What it takes may have grown: has it look again, soon. */
void signals_poke(void);
/* Returns when it looked again: nothing that nobody wants is taken from here on. */
void signals_sync(void);
pid_t signals_thread(void); /* 0: it is not there */
void signals_wanted_forget(void);
/* By its starter: it will be poked by this signal; and it is there. */
void signals_thread_expected(int signal);
void signals_thread_await(void);
/* On the signal thread. What it is to wait for, the poke apart; and that all of it was looked at. */
void signals_thread_arrives(void);
int signals_poke_signal(void);
uint64_t signals_look_again(uint32_t *until);
void signals_looked(uint32_t until);

#endif
