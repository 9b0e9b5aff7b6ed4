/* SPDX-License-Identifier: MIT
 *
 * standstill.h - a thread watches schedulers, if UMSSHIM_WATCH wants it: platform/watch.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INSPECT_STANDSTILL_H
#define UMSSHIM_PLATFORM_WINDOWS_INSPECT_STANDSTILL_H

/* Once, at the first call of the engine. */
void standstill_watch(void);

#endif
