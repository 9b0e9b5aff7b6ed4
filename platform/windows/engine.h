/* SPDX-License-Identifier: MIT
 *
 * engine.h - how the engine works in this process, and which context the calling thread has.
 *
 * start.c decides these once, at the first UMS call; until then the engine changes nothing in the
 * process.
 *
 * Rules for everything that may run in a hook on a worker: no lock, no heap, no CRT, and the last
 * error stays as it was. The engine's own waits are made with `inside` set, or the hooks would see
 * them as the worker's.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_ENGINE_H
#define UMSSHIM_PLATFORM_WINDOWS_ENGINE_H

#include <windows.h>

#include "platform/check.h"
#include "platform/platform.h"

extern const struct plat_core *engine_core;

/* Makes `context` that of the calling thread. NULL: the thread is a plain one again. */
bool engine_set_current(struct plat_context *context);

/* The slot in which a scheduler that ends keeps its exit code (scheduler.c). */
extern uint32_t engine_exit_slot;
/* The process is being taken apart: no worker leaves its scheduler any more. */
extern _Atomic bool engine_over;
/* Workers are switched in place and wait in user mode; else they are pinned to their threads. */
extern bool engine_in_place;
/* The engine sees calls that wait: UMSSHIM_DETECT is not 0. */
extern bool engine_detects;
/* Threads of this process may run at the same time. */
extern bool engine_many_processors;

#endif
