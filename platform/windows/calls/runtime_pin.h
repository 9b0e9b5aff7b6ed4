/* SPDX-License-Identifier: MIT
 *
 * runtime_pin.h - a .NET runtime in the process: all workers stay on their own threads from then
 * on.
 *
 * The runtime keeps what it knows of a thread by its block and its handle, suspends threads by the
 * system, and walks their stacks meanwhile. A worker that other threads carry is not what it takes
 * it for.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_CALLS_RUNTIME_PIN_H
#define UMSSHIM_PLATFORM_WINDOWS_CALLS_RUNTIME_PIN_H

#include <windows.h>
#include <winternl.h>

struct plat_context;

/* Looks whether one is there already; once. The loader's notices are asked for before. */
void runtime_pin_start(void);

/* The loader tells of a module. A worker that loads a runtime is on its own thread before any code
 * of it runs; the others are when they are next executed. */
void runtime_pin_loaded(const UNICODE_STRING *name);

/* A worker that was just made, and added to the map of threads. */
void runtime_pin_new(struct plat_context *worker);

/* The runtime's module; NULL: there is none, or workers are pinned anyway. */
const char *runtime_pin_module(void);

#endif
