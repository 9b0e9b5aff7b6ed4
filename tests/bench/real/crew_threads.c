/* SPDX-License-Identifier: MIT
 *
 * crew_threads.c - see crew.h.
 */
#include "crew.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

static void (*the_work)(unsigned index);

static void *run(void *index)
{
    the_work((unsigned)(uintptr_t)index);
    return NULL;
}

void crew_run(unsigned schedulers, void (*work)(unsigned index))
{
    pthread_t threads[CREW];
    the_work = work;
    for (uintptr_t i = 0; i < CREW; i++) {
        int error = pthread_create(&threads[i], NULL, run, (void *)i);
        if (error)
            real_fail("pthread_create", strerror(error));
    }
    for (unsigned i = 0; i < CREW; i++)
        pthread_join(threads[i], NULL);
}
