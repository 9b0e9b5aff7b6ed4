/* SPDX-License-Identifier: MIT
 *
 * standstill.h - UMSSHIM_WATCH=seconds: reports a scheduler that has had work but was not entered
 * for so long.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_STANDSTILL_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_STANDSTILL_H

/* Reads the switch. If it is set, the timer thread looks at schedulers from then on. Once for each
 * engine. */
void standstill_watch(void);

#endif
