/* SPDX-License-Identifier: MIT
 *
 * probes.h - probes for perf, bpftrace, gdb and SystemTap.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_PROBES_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_PROBES_H

/* Before there is a context. From here on the engine tells tracers that listen at its probes. */
void probes_begin(void);

#endif
