/* SPDX-License-Identifier: MIT
 *
 * watch.h - what this process uses while all of its workers or threads wait, and for letting them
 * go.
 *
 * Wine cannot count wake-ups. Where scripts/bench-windows.sh runs us, somebody beside us can: the
 * environment's BENCH_WATCH names a folder in which we ask (file "waiting") and are told (file
 * "told"): how often threads of this process waited in the kernel, and how much processor time they
 * used. host_watch.py has the details. The readings are taken while nobody here does anything.
 */
#ifndef UMSSHIM_TESTS_BENCH_WINDOWS_WATCH_H
#define UMSSHIM_TESTS_BENCH_WINDOWS_WATCH_H

/* How long watch_waiting takes at most, in milliseconds. */
unsigned watch_length_ms(unsigned window_ms);

/* On a plain thread, when all others wait: emits "cpu", and, if told, "host_cpu", "wakeups" and
 * "threads". */
void watch_waiting(unsigned window_ms);

/* Later, when so many have been let go and all wait again: emits, if told, "each" and "each_cpu",
 * counted from the end of watch_waiting's window. */
void watch_released(unsigned count);

#endif
