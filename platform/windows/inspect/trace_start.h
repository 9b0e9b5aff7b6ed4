/* SPDX-License-Identifier: MIT
 *
 * trace_start.h - a trace of this engine, if UMSSHIM_TRACE wants one: platform/trace.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INSPECT_TRACE_START_H
#define UMSSHIM_PLATFORM_WINDOWS_INSPECT_TRACE_START_H

/* At the first call of the engine. */
void trace_begin(void);
/* The process ends, and the caller is its only thread: names of those that are there, and what is
 * left. */
void trace_process_ends(void);

#endif
