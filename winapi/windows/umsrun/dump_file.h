/* SPDX-License-Identifier: MIT
 *
 * dump_file.h - a minidump that the system has just written: its threads get the stacks and
 * registers of the workers that are parked on them.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_FILE_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_FILE_H

#include "winapi/windows/umsrun/target.h"

/* While the process stands still. How many threads have got a worker's; -1: the file is not as a
 * minidump is, or cannot be written to. */
int dump_file_park(HANDLE file, const struct target *target);

#endif
