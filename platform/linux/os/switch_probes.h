/* SPDX-License-Identifier: MIT
 *
 * switch_probes.h - the probes of a switch, for perf, bpftrace, gdb and SystemTap: "execute" and
 * "leave".
 *
 * A switch does not ask whether anybody listens. Each probe is a nop in its place, which a tracer
 * overwrites, and a note that says where the arguments are: fields of structures that are at hand
 * in registers, so that nothing is loaded for them. All other probes, and who made these:
 * inspect/probes.c.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_OS_SWITCH_PROBES_H
#define UMSSHIM_PLATFORM_LINUX_OS_SWITCH_PROBES_H

#ifdef UMSSHIM_PROBES /* the library itself, where the system has the header */
#include <sys/sdt.h>

/* worker, scheduler, why the scheduler had been entered */
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
