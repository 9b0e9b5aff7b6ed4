/* SPDX-License-Identifier: MIT
 *
 * inject.h - makes a process that has not run yet load umsshim.dll before all its other DLLs.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_INJECT_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_INJECT_H

#include <stdbool.h>
#include <windows.h>

/* `process` was created suspended, for a 64-bit program. NULL, or the reason for the failure, with
 * the last error. Then the process is as it was, and the caller has to end it. */
const char *inject(HANDLE process, const wchar_t *dll, bool children);
/* Whether this process was made to load the DLL with `children`: then it does the same to each
 * process that it starts. */
bool inject_goes_on(void);

#endif
