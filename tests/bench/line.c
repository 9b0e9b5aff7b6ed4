/* SPDX-License-Identifier: MIT
 *
 * line.c - the pipe, the thread that writes, and the clock.
 */
#include "line.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE_NS = 100000000 };

static int ends[2];
static unsigned members;
static atomic_uint come, served;
static uint64_t start_ns;
static _Atomic uint64_t end_ns;
static pthread_t writer;

static void *write_bytes(void *unused)
{
    static const struct timespec settle = {.tv_nsec = SETTLE_NS};
    char byte = 'x';

    while (atomic_load(&come) < members)
        nanosleep(&settle, NULL);
    nanosleep(&settle, NULL);
    start_ns = bench_now_ns();
    for (unsigned i = 0; i < members; i++)
        if (write(ends[1], &byte, 1) != 1)
            bench_fail("write", errno);
    return unused;
}

void line_begin(unsigned count)
{
    int error;

    members = count;
    if (pipe(ends) != 0)
        bench_fail("pipe", errno);
    error = pthread_create(&writer, NULL, write_bytes, NULL);
    if (error)
        bench_fail("pthread_create", error);
}

void line_wait(void)
{
    char byte;

    atomic_fetch_add(&come, 1);
    if (read(ends[0], &byte, 1) != 1)
        bench_fail("read", errno);
    if (atomic_fetch_add(&served, 1) + 1 == members)
        atomic_store(&end_ns, bench_now_ns());
}

void line_emit(void)
{
    pthread_join(writer, NULL);
    bench_emit("each", (double)(atomic_load(&end_ns) - start_ns) / 1000.0 / members);
}
