/* SPDX-License-Identifier: MIT
 *
 * broker.h - the thread that creates threads for those inside the filter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_BROKER_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_BROKER_H

#include <stdbool.h>

int broker_start(void);
void broker_run(void (*fn)(void *), void *arg); /* on the broker thread; waits */
/* Runs fn on the broker thread, soon; again while it says false. Neither blocks nor allocates. */
enum poker { POKE_POOL, POKE_HANDLERS, POKE_PROGRAM_END, POKERS };
void broker_poke(enum poker who, bool (*fn)(void));

#endif
