/* SPDX-License-Identifier: MIT
 *
 * fault_watch.h - UMSSHIM_FAULTS=1: a worker that sleeps in a page fault, or in a call of
 * the kind STEADY (calls.def) or lent_call.h, gives its processor back.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_WATCH_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_WATCH_H

#include <stdbool.h>

struct plat_context;

/* Watches from now on, if that is wanted and the kernel tells what is needed. */
void fault_watch(void);
bool fault_watch_wanted(void); /* it does */
void fault_watch_forget(void); /* in a child after fork */
/* A carrier of this processor's sleeps where the filter does not see it. Any thread; takes no
 * lock. */
void fault_watch_call(int processor);
/* The last call changed nothing. Says nothing about one that is not heard yet. */
bool fault_watch_in_vain(void);
/* On the scheduler: it is about to sleep, or has left; it has slept, or enters. While all sleep
 * nobody looks. */
void fault_watch_sleep(struct plat_context *scheduler);
void fault_watch_wake(struct plat_context *scheduler);

#endif
