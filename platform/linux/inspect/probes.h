/* SPDX-License-Identifier: MIT
 *
 * probes.h - probes for perf, bpftrace, gdb and SystemTap.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_INSPECT_PROBES_H
#define UMSSHIM_PLATFORM_LINUX_INSPECT_PROBES_H

/* Before there is a context: from here on whoever listens is told. */
void probes_begin(void);

#endif
