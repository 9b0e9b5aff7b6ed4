/* SPDX-License-Identifier: MIT
 *
 * runtime_pin.h - a .NET runtime in the process: all workers stay on their own threads from then
 * on.
 *
 * The runtime identifies a thread by its block and its handle, has the system suspend it, and walks
 * its stack meanwhile. That goes wrong with a worker that another thread carries.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_RUNTIME_PIN_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_RUNTIME_PIN_H

#include <windows.h>
#include <winternl.h>

struct plat_context;

/* Looks whether a runtime is there already; once. The caller has called loader_notices_start
 * before. */
void runtime_pin_start(void);

/* The loader tells of a module. A worker that loads a runtime is on its own thread before any code
 * of it runs; the others are when they are next executed. */
void runtime_pin_loaded(const UNICODE_STRING *name);

/* Pins a worker that was just made and added to the map of threads, if there is a runtime. */
void runtime_pin_new(struct plat_context *worker);

/* The runtime's module; NULL: there is none, or workers are pinned anyway. */
const char *runtime_pin_module(void);

#endif
