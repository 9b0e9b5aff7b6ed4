/* SPDX-License-Identifier: MIT
 *
 * carry_delay.h - a worker's wait for time to pass.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CARRY_DELAY_H
#define UMSSHIM_PLATFORM_WINDOWS_CARRY_DELAY_H

#include "platform/windows/carry.h"

/* NtDelayExecution of the calling thread. */
struct carried carry_delay(BOOLEAN alertable, const LARGE_INTEGER *interval);

#endif
