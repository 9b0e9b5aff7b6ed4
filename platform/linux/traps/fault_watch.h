/* SPDX-License-Identifier: MIT
 *
 * fault_watch.h - UMSSHIM_FAULTS=1: the scheduler of a worker that sleeps in a page fault, in a
 * steady call (calls.def) or in a lent one (lent_call.h) runs on, on another carrier.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_WATCH_H
#define UMSSHIM_PLATFORM_LINUX_TRAPS_FAULT_WATCH_H

#include <stdbool.h>

struct plat_context;

/* Starts the watch, if the setting wants it and the kernel has /proc/self/task/N/syscall. */
void fault_watch(void);
bool fault_watch_wanted(void); /* the watch runs */
void fault_watch_forget(void); /* in a child after fork */
/* The caller has seen a carrier of this processor asleep where the filter does not see it. Any
 * thread may call this. It takes no lock. */
void fault_watch_call(int processor);
/* The watch took no scheduler at the last call. Says nothing about a call that the watch has not
 * heard yet. */
bool fault_watch_in_vain(void);
/* A scheduler calls the first when it is about to sleep or has left, and the second when it has
 * slept or enters. While all schedulers sleep the watch rests. */
void fault_watch_sleep(struct plat_context *scheduler);
void fault_watch_wake(struct plat_context *scheduler);

#endif
