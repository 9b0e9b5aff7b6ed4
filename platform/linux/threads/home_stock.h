/* SPDX-License-Identifier: MIT
 *
 * home_stock.h - homes that are ready before their workers are created.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_HOME_STOCK_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_HOME_STOCK_H

#include "platform/linux/switch/home.h"
#include "platform/linux/switch/lane.h"

/* For the calling worker or scheduler: a home with this stack size, which the caller owns from here
 * on; NULL: none is ready. `main` is the function that a new home's thread runs, always the same;
 * its argument is a struct spare_home. */
struct home *home_stock_take(size_t stack_bytes, void *(*main)(void *));
/* On a new home's thread: puts the home into the stock. A birth may take it before this returns. */
void home_stock_enter(struct home *home, struct spare_home *spare);
/* Brings a home back that had a worker and is as new; a broker made it. From here on the stock owns
 * it. Any thread. home_stock_has_room guesses whether the lane has use for it. */
bool home_stock_has_room(struct lane *lane, const struct home *home);
void home_stock_return(struct lane *lane, struct home *home);
void home_dismiss(struct home *home); /* ends the home instead */
void home_stock_forget(void);         /* in a child after fork: the homes are not there */

#endif
