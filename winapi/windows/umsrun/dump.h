/* SPDX-License-Identifier: MIT
 *
 * dump.h - umsrun --dump PID FILE: a minidump in which a parked worker is a thread like others.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_H

#include <windows.h>

/* Writes it, and prints on which thread a debugger finds each worker. NULL, or why there is
 * none. */
const char *dump(DWORD process, const wchar_t *file);

#endif
