/* SPDX-License-Identifier: MIT
 *
 * trace_start.h - a trace of this engine, if UMSSHIM_TRACE wants one: platform/trace.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_TRACE_START_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_TRACE_START_H

/* At the first call of the engine. */
void trace_begin(void);

#endif
