/* SPDX-License-Identifier: MIT
 *
 * switch_probes.h - the probes of a switch, for perf, bpftrace, gdb and SystemTap: "execute" and
 * "leave".
 *
 * A switch does not ask whether a tracer listens. Each probe is a nop, which a tracer overwrites,
 * and a note that says where the arguments are. They are fields of structures to which registers
 * point already, so that nothing is loaded for them. inspect/probes.c has all other probes.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SWITCH_PROBES_H
#define UMSSHIM_PLATFORM_LINUX_OS_SWITCH_PROBES_H

#ifdef UMSSHIM_PROBES /* only in the library itself, if the system has the header */
#include <sys/sdt.h>

/* worker, scheduler, why the scheduler was entered last */
#define PROBE_EXECUTE(worker, scheduler)                                                           \
    STAP_PROBE3(umsshim, execute, (worker)->number, (scheduler)->number, (scheduler)->reason)
/* worker, scheduler */
#define PROBE_LEAVE(worker, scheduler)                                                             \
    STAP_PROBE2(umsshim, leave, (worker)->number, (scheduler)->number)
#else
#define PROBE_EXECUTE(worker, scheduler) ((void)(worker), (void)(scheduler))
#define PROBE_LEAVE(worker, scheduler) ((void)(worker), (void)(scheduler))
#endif

#endif
