/* SPDX-License-Identifier: MIT
 *
 * stop.h - see stop.c.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_STOP_H
#define UMSSHIM_PLATFORM_WINDOWS_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>
#include <winternl.h>

struct plat_context;

/* SuspendThread of a plain thread or a scheduler, by the system. Returns the status; *before is the
 * count before. The thread stands still when this returns, and holds no lock of the engine's, which
 * the thread that resumes it may need. `scheduler`: its context, or NULL. */
NTSTATUS stop_by_system(struct plat_context *scheduler, HANDLE thread, ULONG *before);

/* Makes the worker stop or end, as was asked of it. If it is the calling worker, returns when that
 * was resumed and executed again. */
void stop_enforce(struct plat_context *worker);

/* Stops the worker's thread if the worker runs on this scheduler and is at a place where it may
 * stop. Returns a handle to resume it with, or NULL. The caller has raised the worker's suspend
 * count meanwhile. */
void *stop_guest(struct plat_context *scheduler, struct plat_context *worker);

/* The worker that stop_guest has stopped goes back to its list. The scheduler's thread ends with
 * this code. */
void stop_detach(struct plat_context *scheduler, struct plat_context *worker, void *thread,
                 uint32_t end_code);

/* A worker that this scheduler hosts leaves it for its list, and the scheduler's thread ends with
 * this code. False: it is not hosted there. The caller has raised the worker's suspend count. */
bool stop_detach_hosted(struct plat_context *scheduler, struct plat_context *worker,
                        uint32_t end_code);

/* A frozen worker was executed, or is to end. */
void stop_thaw(struct plat_context *worker, bool end);

#endif
