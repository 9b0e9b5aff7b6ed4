/* SPDX-License-Identifier: MIT
 *
 * scenario.h - some of everything that a UMS program does, for tests that vary the surroundings.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SCENARIO_H
#define UMSSHIM_TESTS_SUPPORT_SCENARIO_H

/* Runs two schedulers and some pairs of workers that talk over pipes, sleep, yield, wait for events
 * and share a mutex. Records failures. 0: there were none. */
int scenario_run(int rounds);

/* For surroundings without detection of blocking calls: one scheduler, only Win32 waits and yields,
 * and one short nanosleep, which may hold up all workers. */
int scenario_run_undetected(void);

#endif
