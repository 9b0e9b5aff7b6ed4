/* SPDX-License-Identifier: MIT
 *
 * crew.h - the same work on threads or on workers: a program is linked with crew_threads.c, and
 * once more with crew_workers.c and the library.
 */
#ifndef UMSSHIM_TESTS_BENCH_REAL_CREW_H
#define UMSSHIM_TESTS_BENCH_REAL_CREW_H

enum { CREW = 16 };

/* Calls work(0), ..., work(CREW - 1) at once and returns when all have ended. The schedulers share
 * the workers evenly. Threads have none; if the number is not 0, they are bound to so many
 * processors as the workers would be. Ends the program on failure. */
void crew_run(unsigned schedulers, void (*work)(unsigned index));

/* The program's own: one of the crew, `rounds` times. */
void real_work(unsigned index);
extern unsigned real_rounds;
/* Ends the program with the message on stderr. */
__attribute__((noreturn)) void real_fail(const char *what, const char *why);

#endif
