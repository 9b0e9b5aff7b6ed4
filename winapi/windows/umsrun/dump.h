/* SPDX-License-Identifier: MIT
 *
 * dump.h - umsrun --dump PID FILE: writes a minidump that has parked workers as threads.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_H

#include <windows.h>

/* Writes the dump, and prints on which thread a debugger finds each worker. NULL, or why there is
 * no dump. */
const char *dump(DWORD process, const wchar_t *file);

#endif
