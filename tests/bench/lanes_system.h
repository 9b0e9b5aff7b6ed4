/* SPDX-License-Identifier: MIT
 *
 * lanes_system.h - what the lanes ask of the system: a pipe, and a thread that nobody schedules (lanes_posix.c,
 * windows/lanes_windows.c). All of it ends the probe on failure.
 */
#ifndef UMSSHIM_TESTS_BENCH_LANES_SYSTEM_H
#define UMSSHIM_TESTS_BENCH_LANES_SYSTEM_H

#include <stdint.h>

struct lanes_pipe {
    intptr_t read, write;
};

void lanes_pipe_make(struct lanes_pipe *pipe);
/* A byte in, a byte out. */
void lanes_pipe_put(const struct lanes_pipe *pipe);
void lanes_pipe_take(const struct lanes_pipe *pipe);

/* A thread of 64 KiB that does nothing: created, run and joined. For plain threads. */
void lanes_thread_is_born(void);

#endif
