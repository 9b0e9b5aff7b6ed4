/* SPDX-License-Identifier: MIT
 *
 * rig_threads.c - what is meant for workers, on plain threads.
 */
#include "rig.h"

#include "bench.h"

#include <errno.h>
#include <malloc.h>

static DWORD WINAPI thread_main(LPVOID param)
{
    struct rig_worker *self = param;

    self->body(self);
    return 0;
}

void rig_run_threads(unsigned count, void (*body)(struct rig_worker *self), void *arg)
{
    struct rig_worker *threads = _aligned_malloc(count * sizeof(*threads), 64);

    if (!threads)
        bench_fail("no memory for the threads", ENOMEM);
    for (unsigned i = 0; i < count; i++) {
        threads[i] = (struct rig_worker){.body = body, .arg = arg, .index = i};
        threads[i].thread = CreateThread(NULL, 65536, thread_main, &threads[i],
                                         STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
        if (!threads[i].thread)
            bench_fail("CreateThread", 0);
    }
    for (unsigned i = 0; i < count; i++) {
        if (WaitForSingleObject(threads[i].thread, INFINITE) != WAIT_OBJECT_0)
            bench_fail("waiting for a thread", 0);
        CloseHandle(threads[i].thread);
    }
    _aligned_free(threads);
}

static void nothing(struct rig_worker *self)
{
}

void rig_run_plain(void (*body)(struct rig_worker *self), void *arg)
{
    static struct rig rig;

    rig_init(&rig, 1);
    rig_add(&rig, nothing, NULL);
    rig_run(&rig);
    rig_run_threads(1, body, arg);
}
