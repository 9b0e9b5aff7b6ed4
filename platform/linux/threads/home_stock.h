/* SPDX-License-Identifier: MIT
 *
 * home_stock.h - homes that are ready before their workers are created.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_STOCK_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_STOCK_H

#include "platform/linux/switch/home.h"
#include "platform/linux/switch/lane.h"

/* For the calling worker or scheduler: a home with this stack, the caller's from here on; NULL:
 * none is ready. `main` is what a new home's thread runs, always the same; its argument is a struct
 * spare_home. */
struct home *home_stock_take(size_t stack_bytes, void *(*main)(void *));
/* On a new home's thread: it is in the stock, and may be taken before this returns. */
void home_stock_enter(struct home *home, struct spare_home *spare);
/* A home that had a worker and is as new, made by a broker, comes back: it is the stock's from here
 * on. Any thread. Whether the lane has use for it is a guess until then. */
bool home_stock_has_room(struct lane *lane, const struct home *home);
void home_stock_return(struct lane *lane, struct home *home);
void home_dismiss(struct home *home); /* instead */
void home_stock_forget(void);         /* in a child after fork: the homes are not there */

#endif
