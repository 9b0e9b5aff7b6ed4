/* SPDX-License-Identifier: MIT
 *
 * thread_objects.h - thread-local objects that have a destructor: of workers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_OBJECTS_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_OBJECTS_H

#include <stdbool.h>

struct home;

/* Finds which of libc's words tell of such objects, and leaves them out of what is compared. One
 * home of the process calls it, on its own thread, before it has a worker. */
void objects_learn(struct home *home);
/* Whether those words tell of none, in a home; `before`: what they are in a thread that is new. */
bool objects_are_as_before(const struct home *home, const char *before);
/* On the worker that ends: the last one made first. */
void objects_destroy(void);
/* On the home thread, which goes on where it parked: libc has the thread's end from here on. */
void objects_are_libcs(void);

#endif
