/* SPDX-License-Identifier: MIT
 *
 * lanes_posix.c - see lanes_system.h.
 */
#include "lanes_system.h"

#include "bench.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

void lanes_pipe_make(struct lanes_pipe *made)
{
    int ends[2];

    if (pipe(ends) != 0)
        bench_fail("pipe", errno);
    *made = (struct lanes_pipe){.read = ends[0], .write = ends[1]};
}

void lanes_pipe_put(const struct lanes_pipe *to)
{
    if (write((int)to->write, "x", 1) != 1)
        bench_fail("writing into a pipe", errno);
}

void lanes_pipe_take(const struct lanes_pipe *from)
{
    char byte;

    if (read((int)from->read, &byte, 1) != 1)
        bench_fail("reading from a pipe", errno);
}

static void *born(void *unused)
{
    return unused;
}

void lanes_thread_is_born(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    if (pthread_create(&thread, &attributes, born, NULL) != 0)
        bench_fail("pthread_create", errno);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}
