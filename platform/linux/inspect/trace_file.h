/* SPDX-License-Identifier: MIT
 *
 * trace_file.h - the file of a trace (trace/trace.h says what is in it).
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_TRACE_FILE_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_TRACE_FILE_H

/* Reads the switch, opens the file and records from then on. With the engine's threads: starts the drain. */
void trace_open(void);
void trace_start(void);
void trace_forget(void); /* in a child after fork: the file is the parent's */

#endif
