/* SPDX-License-Identifier: MIT
 *
 * affinity.h - the processors that the program was started with, or has asked for since.
 *
 * Threads and processes that a broker thread creates get these processors, since a lane's broker
 * itself keeps to one. Homes get them, too, since a worker that asks is told its home's.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_AFFINITY_H
#define UMSSHIM_PLATFORM_LINUX_OS_AFFINITY_H

#include <sched.h>
#include <stdbool.h>

unsigned processors_at_start(void);         /* how many processors the program may use */
bool affinity_is_only(int processor);       /* the program was started with this processor alone */
void affinity_reset(void);                  /* gives the calling thread the program's processors */
void affinity_change(const cpu_set_t *set); /* changes the program's processors from now on */
const cpu_set_t *affinity_of_process(void);
unsigned affinity_age(void); /* how often they have changed; a full fence */

#endif
