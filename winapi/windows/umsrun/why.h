/* SPDX-License-Identifier: MIT
 *
 * why.h - umsrun --why PID: what the schedulers and workers of a process do and wait for, and what
 * stands out.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_WHY_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_WHY_H

#include <windows.h>

/* Prints the report. NULL, or why there is none. */
const char *why(DWORD process);

#endif
