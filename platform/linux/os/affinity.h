/* SPDX-License-Identifier: MIT
 *
 * affinity.h - the processors that the program was started with, or has asked for since.
 *
 * Threads and processes get them that a broker thread creates, homes as well: a lane's broker keeps
 * to a processor, and what a home may have is what its worker is told.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_AFFINITY_H
#define UMSSHIM_PLATFORM_LINUX_OS_AFFINITY_H

#include <sched.h>
#include <stdbool.h>

unsigned processors_at_start(void);   /* that the program may use */
bool affinity_is_only(int processor); /* what the program was started with is this one alone */
void affinity_reset(void); /* of the calling thread, to what the program was started with */
void affinity_change(const cpu_set_t *set); /* what that is from now on */
const cpu_set_t *affinity_of_process(void);
unsigned affinity_age(void); /* how often it has changed: a full fence */

#endif
