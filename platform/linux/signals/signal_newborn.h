/* SPDX-License-Identifier: MIT
 *
 * signal_newborn.h - workers that nobody has had to count yet.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_NEWBORN_H
#define UMSSHIM_PLATFORM_LINUX_SIGNALS_SIGNAL_NEWBORN_H

#include <stdbool.h>

struct plat_context;

/* It is among them from here on. True: it has a signal open that the signal thread does not wait
 * for. */
bool signals_newborn(struct plat_context *context);
/* It ends. False: it is not among them, but among all. */
bool signals_gone_newborn(struct plat_context *context);
/* Under signals_lock: all of them are counted, and among all. False: there were none. */
bool signals_let_in(void);
void signals_newborn_forget(
    void); /* in a child after fork: there are none, and nobody holds a lock */

#endif
