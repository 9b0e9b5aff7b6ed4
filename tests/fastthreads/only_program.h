/* SPDX-License-Identifier: MIT
 *
 * only_program.h - a program of fastthreads on two processors, whose allocator is the test.
 */
#ifndef UMSSHIM_TESTS_FASTTHREADS_ONLY_PROGRAM_H
#define UMSSHIM_TESTS_FASTTHREADS_ONLY_PROGRAM_H

#include "allocator_process.h"
#include "fastthreads.h"
#include "gtest_c.h"

enum { PROCESSORS = 2 };

extern struct ft_statistics only_counts; /* after its end */
extern DWORD_PTR one, other;             /* two processors of the machine */

/* Its first thread; it has no grant yet. FALSE: there is too little of a machine. */
BOOL start_only_program(enum ft_ground ground, void (*first)(void *));
void end_only_program(void);
/* The program goes on by itself. */
void end_allocating(void);

/* What it wants, if it says so within a few milliseconds; else -1. */
int hear_wish(void);
/* The next hint that wants something else than this. -1: none within the limit. */
int next_wish(int known);
void grant(DWORD_PTR processors);

#endif
