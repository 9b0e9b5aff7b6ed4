/* SPDX-License-Identifier: MIT
 *
 * thread_objects.h - thread-local objects that have a destructor: of workers.
 */
#ifndef UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_OBJECTS_H
#define UMSSHIM_PLATFORM_LINUX_THREADS_THREAD_OBJECTS_H

#include <stdbool.h>

struct home;

/* Finds which of libc's words tell of such objects, and takes them out of the words that
 * home_layout compares. One home of the process calls this on its own thread, before it has a
 * worker. */
void objects_learn(struct home *home);
/* Whether those words tell of no object in a home. `before`: libc's words as they are in a new
 * thread. */
bool objects_are_as_before(const struct home *home, const char *before);
/* A worker that ends calls this. It destroys the newest object first. */
void objects_destroy(void);
/* A home thread calls this when it goes on where it parked, to end: from here on new objects are
 * libc's. */
void objects_are_libcs(void);

#endif
