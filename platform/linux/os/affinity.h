/* SPDX-License-Identifier: MIT
 *
 * affinity.h - the processors that the program was started with, or has asked for since.
 *
 * Threads and processes get them that the broker thread creates. Homes do without: they only park, and wake
 * up fastest where they were made.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_AFFINITY_H
#define UMSSHIM_PLATFORM_LINUX_OS_AFFINITY_H

#include <sched.h>

unsigned processors_at_start(void); /* that the program may use */
void affinity_reset(void); /* of the calling thread, to what the program was started with */
void affinity_set_first(const cpu_set_t *set); /* what that is from now on */

#endif
