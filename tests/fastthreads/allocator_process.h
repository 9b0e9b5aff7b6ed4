/* SPDX-License-Identifier: MIT
 *
 * allocator_process.h - a processor allocator in a process of its own.
 */
#ifndef UMSSHIM_TESTS_FASTTHREADS_ALLOCATOR_PROCESS_H
#define UMSSHIM_TESTS_FASTTHREADS_ALLOCATOR_PROCESS_H

#include "child.h"

enum { LIMIT_MS = 20000, MACHINE = 0x3 };

/* Where the last one that was started listens. */
extern char allocator_name[64];

/* What its process does, for child_run: one with that quantum, a text, until it is ended. */
int allocator_main(void *quantum);
/* Starts one with that quantum, and waits until it listens. */
struct child start_allocator(const char *what, const char *quantum);
void end_allocator(struct child child);

#endif
