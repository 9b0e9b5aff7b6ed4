/* SPDX-License-Identifier: MIT
 *
 * crew_workers.c - see crew.h. Each scheduler has a completion list of its own.
 */
#include "crew.h"
#include "rig.h"

static void (*the_work)(unsigned index);
static struct rig rigs[CREW];

static void body(struct rig_worker *self)
{
    the_work((unsigned)(uintptr_t)self->arg);
}

static DWORD WINAPI schedule(LPVOID rig)
{
    rig_run(rig);
    return 0;
}

void crew_run(unsigned schedulers, void (*work)(unsigned index))
{
    HANDLE threads[CREW];
    if (!schedulers)
        real_fail("crew_run", "workers want a scheduler");
    the_work = work;
    for (unsigned i = 0; i < schedulers; i++)
        rig_init(&rigs[i], CREW);
    for (uintptr_t i = 0; i < CREW; i++)
        rig_add(&rigs[i % schedulers], body, (void *)i);
    for (unsigned i = 0; i < schedulers; i++) {
        threads[i] = CreateThread(NULL, 0, schedule, &rigs[i], 0, NULL);
        if (!threads[i])
            real_fail("CreateThread", "no thread for a scheduler");
    }
    for (unsigned i = 0; i < schedulers; i++) {
        WaitForSingleObject(threads[i], INFINITE);
        CloseHandle(threads[i]);
    }
}
