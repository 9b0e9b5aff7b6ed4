/* SPDX-License-Identifier: MIT
 *
 * delay_wait.h - a worker's wait for time to pass.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_DELAY_WAIT_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_DELAY_WAIT_H

#include "platform/windows/waits/user_wait.h"

/* NtDelayExecution of the calling thread. */
struct wait_result delay_wait(BOOLEAN alertable, const LARGE_INTEGER *interval);

#endif
