/* SPDX-License-Identifier: MIT
 *
 * trace_start.h - a trace of this engine, if UMSSHIM_TRACE wants one: platform/trace.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_INSPECT_TRACE_START_H
#define UMSSHIM_PLATFORM_WINDOWS_INSPECT_TRACE_START_H

/* At the first call of the engine. */
void trace_begin(void);
/* The process ends, and the caller is its only thread. Records the names of the workers and
 * schedulers that have not ended, and writes the rest of the trace. */
void trace_process_ends(void);

#endif
