/* SPDX-License-Identifier: MIT
 *
 * registers.h - the registers of kernel threads, and those of workers that no thread carries.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_SWITCH_REGISTERS_H
#define UMSSHIM_PLATFORM_WINDOWS_SWITCH_REGISTERS_H

#include <stdbool.h>
#include <windows.h>

struct plat_context;

/* The registers of a kernel thread, whatever context it carries. The system's own call is made,
 * without a hook: the engine has stopped the thread, which may hold a lock that a hook needs. The
 * call waits until the thread has really stopped. */
bool thread_registers(HANDLE thread, CONTEXT *registers);
bool thread_set_registers(HANDLE thread, const CONTEXT *registers);

/* The registers of a saved worker: those that a call preserves, or all of one that was interrupted.
 * The worker may be executed and end meanwhile: then they are no longer true, or the result is
 * false. */
bool worker_registers(const struct plat_context *worker, CONTEXT *registers);

#endif
