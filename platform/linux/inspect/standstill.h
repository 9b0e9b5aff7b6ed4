/* SPDX-License-Identifier: MIT
 *
 * standstill.h - UMSSHIM_WATCH=seconds: says so when a scheduler has had work and was not entered
 * for so long.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_STANDSTILL_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_STANDSTILL_H

/* Reads the switch. Where it is set, the timer thread looks from then on. Once for each engine. */
void standstill_watch(void);

#endif
