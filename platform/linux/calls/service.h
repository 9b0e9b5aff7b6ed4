/* SPDX-License-Identifier: MIT
 *
 * service.h - the thread that creates threads for those inside the filter.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_CALLS_SERVICE_H
#define UMSSHIM_PLATFORM_LINUX_CALLS_SERVICE_H

#include <stdbool.h>

int service_start(void);
void service_run(void (*fn)(void *), void *arg); /* on the service thread; waits */
/* Runs fn on the service thread, soon; again while it says false. Neither blocks nor allocates. */
enum poker { POKE_POOL, POKE_HANDLERS, POKE_PROGRAM_END, POKERS };
void service_poke(enum poker who, bool (*fn)(void));

#endif
