/* SPDX-License-Identifier: MIT
 *
 * inject.h - making a process that has not run yet load umsshim.dll before all its other DLLs.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_INJECT_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_INJECT_H

#include <stdbool.h>
#include <windows.h>

/* `process` was created suspended, for a 64-bit program. NULL, or what went wrong (the last error
 * says why); then the process is as it was, and the caller's to end. */
const char *inject(HANDLE process, const wchar_t *dll, bool children);
/* Whether this very process was made to load the DLL with `children`: it does so to the processes
 * that it starts. */
bool inject_goes_on(void);

#endif
