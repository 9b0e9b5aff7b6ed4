/* SPDX-License-Identifier: MIT
 *
 * alert_raw.h - alerts of kernel threads by the system's own calls: no hook sees them.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_OS_ALERT_RAW_H
#define UMSSHIM_PLATFORM_WINDOWS_OS_ALERT_RAW_H

#include <stdint.h>

/* A wait may return without an alert. The caller's TEB must have the id of its kernel thread. The
 * calls do not look at thread-local slots. */
void alert_raw_wake(uint32_t id);
void alert_raw_wait(uint64_t ticks); /* of 100 ns; 0: for ever */

#endif
