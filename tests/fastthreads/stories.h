/* SPDX-License-Identifier: MIT
 *
 * stories.h - stories of threads with priorities: who ran, in which order.
 *
 * The threads are made before each story and used again in it. A new one would arrive by itself, which is
 * news of its own.
 */
#ifndef UMSSHIM_TESTS_FASTTHREADS_STORIES_H
#define UMSSHIM_TESTS_FASTTHREADS_STORIES_H

#include "package.h"

enum { STORY_THREADS = 8, STORY_LIMIT_MS = 20000 };

/* Of the latest run. */
extern struct ft_statistics story_counts;

/* The names of those that have run, in this order; begun anew by story_begin and by story_run. */
extern char story_order[STORY_THREADS + 1];
void story_begin(void);
void story_note(char name);
void story_note_self(void *name); /* a thread's body: notes the first character */
void story_nothing(void *arg);    /* another one */

/* In a thread. */
void story_make_threads(void);
struct ft_thread *story_start(int priority, void (*body)(void *), void *arg);
/* Computes until the flag has this value at least. FALSE: it was not so in time. */
BOOL story_compute_until(volatile LONG *flag, LONG wanted);

void story_run(enum ft_ground ground, int processors, void (*first)(void *));

#endif
