/* SPDX-License-Identifier: MIT
 *
 * home_run.h - on a home whose word says HOME_SIGNALS: it runs its handlers. home_signals.h
 * has the protocol.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INTERRUPT_HOME_RUN_H
#define UMSSHIM_PLATFORM_LINUX_INTERRUPT_HOME_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct home;
struct plat_context;

/* Returns HOME_PARKED, or the word to go on with. */
uint32_t home_run_handlers(struct home *home);
/* The calling thread has become a scheduler, and its signals are blocked: it handles those that
 * were sent to it before, and what comes meanwhile. False: a handler has forked, and this is the
 * child. */
bool home_run_earlier(struct plat_context *scheduler);
/* The worker has left its scheduler for good, and the calling thread is its home, which ends it:
 * from here on it is a plain thread, whose handlers the kernel runs. So libc's destructors may be
 * interrupted, and take part where a run time stops all threads. thread_ended blocks them again. */
void home_run_end(struct plat_context *worker);
/* On the signal thread: workers arrive whose homes are done. */
void home_run_arrivals(void);
void home_run_forget(void); /* in a child after fork */

#endif
