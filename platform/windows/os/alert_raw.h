/* SPDX-License-Identifier: MIT
 *
 * alert_raw.h - the alerts of kernel threads, by the system itself: no hook sees them.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_ALERT_RAW_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_ALERT_RAW_H

#include <stdint.h>

/* A wait may come back without reason. Its caller has the id of its kernel thread in its TEB; its
 * thread-local slots are not looked at. */
void alert_raw_wake(uint32_t id);
void alert_raw_wait(uint64_t ticks); /* of 100 ns; 0: for ever */

#endif
