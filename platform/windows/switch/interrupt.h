/* SPDX-License-Identifier: MIT
 *
 * interrupt.h - see interrupt.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_INTERRUPT_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_INTERRUPT_H

#include <windows.h>

#include "platform/platform.h"
#include "platform/windows/switch/interrupted.h"

/* Makes a hosted worker stop (or leave for good its scheduler, which ends) at the next instruction,
 * if it is hosted by this scheduler, at a place where it may, and `wanted` is still right. False:
 * it was not so; try again. patient: it has been tried often, be content with less good places.
 * *held: somebody else has suspended the scheduler's thread, so trying again does not help. */
bool interrupt_hosted(struct plat_context *worker, struct plat_context *host, enum interrupt action,
                      enum plat_nudge wanted, bool patient, bool *held);

/* The code is this DLL's. */
bool interrupt_in_engine(const void *code);

/* Memory that the system's memory calls do not know is below the system calls: Wine's other half. A
 * thread that stands still there is on its way into a call, or out of one. */
bool interrupt_in_system(const void *code);

/* A thread that stands still there is in ntdll's own code, or in a system call that ntdll makes: it
 * may hold one of ntdll's locks. A system call of the engine's is none: what the engine holds it
 * knows itself. */
bool interrupt_in_ntdll(const CONTEXT *at);

#endif
