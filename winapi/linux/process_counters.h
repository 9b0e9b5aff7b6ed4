/* SPDX-License-Identifier: MIT
 *
 * process_counters.h - <psapi.h>, whose functions are exported like those of <windows.h>.
 */
#ifndef UMSSHIM_WINAPI_LINUX_PROCESS_COUNTERS_H
#define UMSSHIM_WINAPI_LINUX_PROCESS_COUNTERS_H

#include "winapi/linux/surface.h"
#pragma GCC visibility push(default)
#include <psapi.h>
#pragma GCC visibility pop

#endif
