/* SPDX-License-Identifier: MIT
 *
 * wait_service.h - the one thread that looks after waits in user mode. It lets workers go whose
 * deadline has come, and arms the system's pool for those that no thread of this process can let
 * go. agenda.h tells it what to do.
 *
 * Workers and schedulers do not arm the pool: its functions take locks of ntdll, which a worker may
 * hold that was switched away in one; a scheduler that wanted such a lock would wait for its own
 * worker. This thread waits for such a lock, and the scheduler runs the worker meanwhile. This
 * thread and the pool's begin before the first worker, so they can let go a worker that sleeps with
 * the loader's lock held. If they could not begin, because another thread kept that lock, workers
 * wait on their own threads until they have.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_WAIT_SERVICE_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_WAIT_SERVICE_H

#include <stdbool.h>

/* Starts the threads, once, and waits for them for a second at most. False: no memory. */
bool wait_service_start(void);
#endif
