/* SPDX-License-Identifier: MIT
 *
 * interrupt.h - see interrupt.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_INTERRUPT_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_INTERRUPT_H

#include <windows.h>

#include "platform/platform.h"
#include "platform/windows/switch/interrupted.h"

/* Makes a worker stop at the next instruction, or leave its scheduler, which ends. False: this
 * scheduler does not host it, it stands at a bad place, or `wanted` is no longer right; try again.
 * `patient`: after many tries less good places will do. *held: another thread has suspended the
 * scheduler's thread, so it does not help to try again. */
bool interrupt_hosted(struct plat_context *worker, struct plat_context *host, enum interrupt action,
                      enum plat_nudge wanted, bool patient, bool *held);

/* The code is this DLL's. */
bool interrupt_in_engine(const void *code);

/* The code is memory that the system's memory calls do not know: Wine's part below the system
 * calls. A thread that stands still there is on its way into a call, or out of one. */
bool interrupt_in_system(const void *code);

/* A thread that stands still there is in ntdll's own code, or in a system call that ntdll makes: it
 * may hold one of ntdll's locks. A system call that the engine makes does not count: the engine
 * knows its own locks. */
bool interrupt_in_ntdll(const CONTEXT *at);

#endif
