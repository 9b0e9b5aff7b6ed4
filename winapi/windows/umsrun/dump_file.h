/* SPDX-License-Identifier: MIT
 *
 * dump_file.h - changes a minidump that the system has just written: threads with parked workers
 * get these workers' stacks and registers.
 */
#ifndef UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_FILE_H
#define UMSSHIM_WINAPI_WINDOWS_UMSRUN_DUMP_FILE_H

#include "winapi/windows/umsrun/target.h"

/* While the process is halted. Returns the number of threads that got a worker's; -1: the file is
 * no minidump, or cannot be written to. */
int dump_file_park(HANDLE file, const struct target *target);

#endif
