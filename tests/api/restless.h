/* SPDX-License-Identifier: MIT
 *
 * restless.h - work for threads that a test suspends again and again. Each step is counted. And a
 * scheduler for such workers.
 */
#ifndef UMSSHIM_TESTS_API_RESTLESS_H
#define UMSSHIM_TESTS_API_RESTLESS_H

#include <windows.h>

#include "loose.h"

/* Where the machine is busy, and under Wine, a stop in the midst of system calls takes tens of milliseconds:
 * then fewer stops will do. */
enum { AT_LEAST = 100, ENOUGH_MS = 8000 };

extern struct loose rig;
extern int progress; /* raised by each step */
extern int stop;     /* ends the routines */

DWORD WINAPI allocate_and_print(LPVOID stream); /* on the heap, and to a FILE unless NULL */
DWORD WINAPI wait_and_sleep(LPVOID event);      /* for an event that nobody sets */
DWORD WINAPI run_once(LPVOID count);            /* raises it unless NULL */

/* Ends the routines, and the scheduler with its list. */
void finish(void);

#endif
