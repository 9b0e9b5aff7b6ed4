/* SPDX-License-Identifier: MIT
 *
 * calls.h - loops over system calls that do not wait: the same for a worker and for a thread.
 */
#ifndef UMSSHIM_TESTS_BENCH_CALLS_H
#define UMSSHIM_TESTS_BENCH_CALLS_H

#include "bench.h"
#include "../support/bare_call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nanoseconds for a getppid: never blocks, so nothing but the filter may make it slower. */
static inline double calls_getppid_ns(uint64_t calls)
{
    uint64_t start;

    for (uint64_t i = 0; i < calls / 10; i++)
        syscall(SYS_getppid);
    start = bench_now_ns();
    for (uint64_t i = 0; i < calls; i++)
        syscall(SYS_getppid);
    return (double)(bench_now_ns() - start) / (double)calls;
}

/* Nanoseconds for one call of a write and a read of the byte just written, on a pipe of its own:
 * calls that may block, but do not. */
static inline double calls_instant_ns(uint64_t calls, bool bare)
{
    uint64_t pairs = calls / 2;
    uint64_t start = 0;
    char byte = 'x';
    int ends[2];

    if (pipe(ends) != 0)
        bench_fail("pipe", errno);
    for (uint64_t i = 0; i < pairs + pairs / 10; i++) {
        long sent;
        long got;

        if (i == pairs / 10)
            start = bench_now_ns();
        sent = bare ? bare_call(SYS_write, ends[1], &byte, 1) : write(ends[1], &byte, 1);
        got = bare ? bare_call(SYS_read, ends[0], &byte, 1) : read(ends[0], &byte, 1);
        if (sent != 1 || got != 1)
            bench_fail("one byte through a pipe", errno);
    }
    return (double)(bench_now_ns() - start) / (double)(pairs * 2);
}

#endif
