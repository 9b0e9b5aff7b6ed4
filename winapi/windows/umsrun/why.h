/* SPDX-License-Identifier: MIT
 *
 * why.h - umsrun --why PID: reports the state of each scheduler and worker of a process, their
 * waits, and findings.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_WHY_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_WHY_H

#include <windows.h>

/* Prints the report. NULL, or why there is none. */
const char *why(DWORD process);

#endif
