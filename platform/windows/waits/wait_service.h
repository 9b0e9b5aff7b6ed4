/* SPDX-License-Identifier: MIT
 *
 * wait_service.h - the one thread that looks after waits in user mode: it lets go whose deadline has
 * come, and arms the system's pool for whom nobody in this process can let go.
 *
 * Arming is not for workers and schedulers: the pool's functions take locks of ntdll, which a
 * worker may hold that was switched away in one; a scheduler that wanted such a lock would wait for
 * its own worker. This thread waits for it, and the scheduler runs the worker meanwhile. It exists
 * from the first UMS call on, so a worker that sleeps with the loader's lock held is let go as
 * well. What it is to do is told by agenda.h.
 */
#ifndef UMSSHIM_PLATFORM_WINDOWS_WAITS_WAIT_SERVICE_H
#define UMSSHIM_PLATFORM_WINDOWS_WAITS_WAIT_SERVICE_H

#include <stdbool.h>

/* Once. False: no memory for it. */
bool wait_service_start(void);
#endif
