/* SPDX-License-Identifier: MIT
 *
 * signal_newborn.h - workers that no thread has had to count yet.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_NEWBORN_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_NEWBORN_H

#include <stdbool.h>

struct plat_context;

/* Adds the context to the newborn. True: it has a signal open that the signal thread does not wait
 * for. */
bool signals_newborn(struct plat_context *context);
/* The context ends: takes it out of the newborn. False: it was in signals_all by then. */
bool signals_gone_newborn(struct plat_context *context);
/* Under signals_lock: counts the newborn and moves them to signals_all. False: there were none. */
bool signals_let_in(void);
void signals_newborn_forget(
    void); /* in a child after fork: no context is newborn, and no thread holds a lock */

#endif
