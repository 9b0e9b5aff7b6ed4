/* SPDX-License-Identifier: MIT
 *
 * allocator_process.h - a processor allocator in a process of its own, one at a time, and its strange clients.
 */
#ifndef UMSSHIM_TESTS_FASTTHREADS_ALLOCATOR_PROCESS_H
#define UMSSHIM_TESTS_FASTTHREADS_ALLOCATOR_PROCESS_H

#include "allocator/channel.h"

#include <windows.h>

enum { LIMIT_MS = 20000, MACHINE = 0x3 };

/* ---- allocator_process.c ----------------------------------------------------------------------- */

/* Where the last one that was started listens; "test-WHAT-" and the number of this process. */
extern char allocator_name[64];
void name_allocator(const char *what);

/* The seconds of the feedback of those that are started next; NULL: none. */
extern const char *allocator_feedback;

/* Starts one with that quantum, a text, and waits until it listens. */
void start_allocator(const char *what, const char *quantum);

/* Until it is granted so many processors: other grants may come before. */
int granted(struct channel *channel, int wanted);

/* ---- allocator_process_linux.c, allocator_process_windows.c ------------------------------------ */

void allocator_begin(const char *quantum);
void end_allocator(void);     /* asks it to end, which it is to do well */
void kill_allocator(void);    /* does not wait */
void allocator_is_gone(void); /* waits for the end of one that was killed */
/* The exit code of a second one with the same name. */
int second_allocator(void);
/* A client that is granted two processors and crashes: that it did. */
BOOL client_crashes(void);
/* A message of another size ends the connection. */
BOOL hangs_up_on(const char *message, int bytes);

#endif
