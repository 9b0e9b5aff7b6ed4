/* SPDX-License-Identifier: MIT
 *
 * watch.h - what this process uses while all of its workers or threads wait.
 *
 * Wine cannot count wake-ups. Where scripts/bench-windows.sh runs us, it can: BENCH_WATCH names a
 * folder in which we ask (file "waiting": for how many milliseconds) and it tells ("told":
 * wake-ups, and nanoseconds of processor time, of all threads of this process). It takes its two
 * readings while nobody here does anything.
 */
#ifndef UMSSHIM_TESTS_BENCH_WINDOWS_WATCH_H
#define UMSSHIM_TESTS_BENCH_WINDOWS_WATCH_H

/* How long watch_and_emit takes at most, in milliseconds. */
unsigned watch_length_ms(unsigned window_ms);

/* On a plain thread, when all others wait: emits "cpu", and "host_cpu" and "wakeups" if it was
 * told. */
void watch_and_emit(unsigned window_ms);

#endif
