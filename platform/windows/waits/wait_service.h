/* SPDX-License-Identifier: MIT
 *
 * wait_service.h - the one thread that looks after waits in user mode. It lets go workers whose
 * deadline has come, and arms the system's pool for those whom nobody in this process can let go.
 * agenda.h tells it what to do.
 *
 * Workers and schedulers do not arm the pool: its functions take locks of ntdll, which a worker may
 * hold that was switched away in one; a scheduler that wanted such a lock would wait for its own
 * worker. This thread waits for it, and the scheduler runs the worker meanwhile. The thread and the
 * pool's are there before the first worker is, so a worker that sleeps with the loader's lock held
 * is let go as well. Where they could not begin, since somebody else kept the lock, workers wait on
 * their own threads until they have.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_WAIT_SERVICE_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_WAIT_SERVICE_H

#include <stdbool.h>

/* Once; waits for the threads, for a second at most. False: no memory for it. */
bool wait_service_start(void);
#endif
