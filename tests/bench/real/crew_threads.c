/* SPDX-License-Identifier: MIT
 *
 * crew_threads.c - see crew.h.
 */
#define _GNU_SOURCE
#include "crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

static void (*the_work)(unsigned index);

static void *run(void *index)
{
    the_work((unsigned)(uintptr_t)index);
    return NULL;
}

/* To the processor with this number, from 0, of those that the process may use. */
static int bind(pthread_attr_t *attributes, unsigned number)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return errno;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && !number--) {
            CPU_SET(cpu, &one);
            return pthread_attr_setaffinity_np(attributes, sizeof one, &one);
        }
    return EINVAL;
}

void crew_run(unsigned schedulers, void (*work)(unsigned index))
{
    pthread_t threads[CREW];
    pthread_attr_t attributes;
    the_work = work;
    pthread_attr_init(&attributes);
    for (uintptr_t i = 0; i < CREW; i++) {
        int error = schedulers ? bind(&attributes, (unsigned)i % schedulers) : 0;
        if (!error)
            error = pthread_create(&threads[i], &attributes, run, (void *)i);
        if (error)
            real_fail("pthread_create", strerror(error));
    }
    for (unsigned i = 0; i < CREW; i++)
        pthread_join(threads[i], NULL);
}
