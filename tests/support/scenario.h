/* SPDX-License-Identifier: MIT
 *
 * scenario.h - a bit of everything a UMS program does, for tests that vary the surroundings.
 */
#ifndef UMSSHIM_TESTS_SUPPORT_SCENARIO_H
#define UMSSHIM_TESTS_SUPPORT_SCENARIO_H

/* Two schedulers, some pairs of workers that talk over pipes, sleep, yield, wait for events and
 * share a mutex. Records failures; 0 if there were none. */
int scenario_run(int rounds);

/* For surroundings without blocking detection: one scheduler, only Win32 waits and yields, and one
 * short nanosleep, which may hold up everybody. */
int scenario_run_undetected(void);

#endif
