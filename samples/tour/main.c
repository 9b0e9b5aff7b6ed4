/* SPDX-License-Identifier: MIT
 *
 * main.c - the tour: what User-Mode Scheduling does, on one scheduler and six workers.
 */
#include "tour.h"

#include <stdio.h>
#include <unistd.h>

struct tour tour;

static int fail(const char *what)
{
    fprintf(stderr, "tour: %s failed, last error %lu\n", what, (unsigned long)GetLastError());
    return 1;
}

static int give_up(void)
{
    print_timeline();
    printf("\nverdict: FAILED, not over after %d ms\n", LIMIT_MS);
    fflush(NULL);
    _exit(1); /* not exit: workers are in the middle of things */
}

/* Handles and contexts are closed and deleted; a worker's exit code is its thread's. */
static bool put_away(void)
{
    bool good = true;

    for (int i = 0; i < tour.worker_count; i++) {
        struct worker *worker = &tour.workers[i];

        good = WaitForSingleObject(worker->thread, LIMIT_MS) == WAIT_OBJECT_0 &&
               GetExitCodeThread(worker->thread, &worker->exit_code) &&
               CloseHandle(worker->thread) && DeleteUmsThreadContext(worker->context) && good;
    }
    return DeleteUmsCompletionList(tour.list) && good;
}

int main(void)
{
    pthread_t feeders[2];
    DWORD scheduler_result = 1;
    HANDLE scheduler;

    alarm(2 * LIMIT_MS / 1000); /* the last resort: even this thread may get stuck */
    if (!CreateUmsCompletionList(&tour.list))
        return fail("CreateUmsCompletionList");
    if (!create_workers())
        return fail("preparing the workers");
    if (!start_feeders(feeders))
        return fail("starting the feeders");
    scheduler = CreateThread(NULL, 0, scheduler_main, NULL, 0, NULL);
    if (!scheduler)
        return fail("CreateThread");
    if (WaitForSingleObject(scheduler, LIMIT_MS) != WAIT_OBJECT_0)
        return give_up();
    GetExitCodeThread(scheduler, &scheduler_result);
    CloseHandle(scheduler);
    if (scheduler_result != 0) {
        SetLastError(scheduler_result);
        return fail("EnterUmsSchedulingMode");
    }
    pthread_join(feeders[0], NULL);
    pthread_join(feeders[1], NULL);
    if (!put_away())
        return fail("putting away");

    print_timeline();
    print_lanes();
    return print_verdict() ? 0 : 1;
}
