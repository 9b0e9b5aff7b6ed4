/* SPDX-License-Identifier: MIT
 *
 * standstill.h - UMSSHIM_WATCH=seconds: says so when a scheduler has had work and was not entered
 * for so long.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_STANDSTILL_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_STANDSTILL_H

/* Reads the switch; from then on the timer thread looks, if it is set. Once for each engine. */
void standstill_watch(void);

#endif
