/* SPDX-License-Identifier: MIT
 *
 * fleet.c - creating the workers and schedulers of a test, and checking what they did.
 */
#include "fleet_private.h"
#include "ums_kit.h"

#include <stdlib.h>

static __thread struct worker *this_worker;

struct worker *worker_self(void)
{
    return this_worker;
}

static DWORD WINAPI worker_main(LPVOID param)
{
    struct worker *worker = param;

    this_worker = worker;
    worker->body(worker);
    this_worker = NULL;
    return worker->exit_code;
}

static bool make_queue(struct ready_queue *queue, int capacity)
{
    unsigned size = 16;

    while (size < (unsigned)capacity + 1)
        size *= 2;
    queue->mask = size - 1;
    queue->slots = calloc(size, sizeof *queue->slots);
    return queue->slots != NULL;
}

static bool make_schedulers(struct fleet *fleet)
{
    for (int i = 0; i < fleet->scheduler_count; i++) {
        struct scheduler *scheduler = &fleet->schedulers[i];

        scheduler->fleet = fleet;
        scheduler->index = i;
        scheduler->random = 12345u + (unsigned)i;
        if (i == 0 || (fleet->flags & FLEET_OWN_LISTS)) {
            if (!EXPECT_OK(CreateUmsCompletionList(&scheduler->list)))
                return false;
        } else {
            scheduler->list = fleet->schedulers[0].list;
        }
        scheduler->ready = &fleet->shared_ready;
        if (!(fleet->flags & FLEET_SHARED_READY)) {
            scheduler->ready = &scheduler->own_ready;
            if (!make_queue(&scheduler->own_ready, fleet->capacity))
                return false;
        }
    }
    return true;
}

struct fleet *fleet_create(int schedulers, int capacity, unsigned flags)
{
    struct fleet *fleet = calloc(1, sizeof *fleet);

    if (!fleet || schedulers > FLEET_MAX_SCHEDULERS) {
        FAIL("cannot make a fleet of %d schedulers", schedulers);
        free(fleet);
        return NULL;
    }
    fleet->flags = flags;
    fleet->scheduler_count = schedulers;
    fleet->capacity = capacity;
    fleet->limit = 20000;
    fleet->stack = 256 * 1024;
    fleet->workers = calloc((size_t)capacity, sizeof *fleet->workers);
    if (!fleet->workers || !make_queue(&fleet->shared_ready, capacity) || !make_schedulers(fleet)) {
        FAIL("cannot make a fleet: last error %u", (unsigned)GetLastError());
        return NULL;
    }
    return fleet;
}

/* NULL with the last error of the call that failed. The index is used up all the same. */
static struct worker *add(struct fleet *fleet, worker_body body, void *arg, DWORD flags)
{
    int index = flag_add(&fleet->added, 1) - 1;
    struct worker *worker;

    if (index >= fleet->capacity) {
        FAIL("more than %d workers", fleet->capacity);
        flag_add(&fleet->added, -1);
        return NULL;
    }
    worker = &fleet->workers[index];
    worker->fleet = fleet;
    worker->index = index;
    worker->body = body;
    worker->arg = arg;
    count(&fleet->live, 1);
    worker->thread =
        ums_worker(fleet->schedulers[index % fleet->scheduler_count].list, &worker->context, worker,
                   fleet->stack, worker_main, worker, flags, &worker->id);
    if (!worker->thread) {
        count(&fleet->live, -1);
        return NULL;
    }
    count(&fleet->totals.added, 1);
    return worker;
}

static struct worker *checked(struct worker *worker)
{
    if (!worker)
        FAIL("no worker: last error %u", (unsigned)GetLastError());
    return worker;
}

struct worker *fleet_try_add(struct fleet *fleet, worker_body body, void *arg)
{
    int index = flag_get(&fleet->added);
    struct worker *worker = add(fleet, body, arg, 0);
    DWORD error = GetLastError();

    if (worker || index >= fleet->capacity)
        return worker;
    if (fleet->workers[index].context)
        EXPECT_OK(DeleteUmsThreadContext(fleet->workers[index].context));
    fleet->workers[index] = (struct worker){0};
    flag_add(&fleet->added, -1);
    SetLastError(error);
    return NULL;
}

struct worker *fleet_add(struct fleet *fleet, worker_body body, void *arg)
{
    return checked(add(fleet, body, arg, 0));
}

struct worker *fleet_add_suspended(struct fleet *fleet, worker_body body, void *arg)
{
    return checked(add(fleet, body, arg, CREATE_SUSPENDED));
}

void fleet_hold(struct fleet *fleet)
{
    count(&fleet->live, 1);
}

void fleet_release(struct fleet *fleet)
{
    count(&fleet->live, -1);
}

void fleet_set_hook(struct fleet *fleet, fleet_hook hook, void *arg)
{
    fleet->hook = hook;
    fleet->hook_arg = arg;
}

void fleet_set_limit(struct fleet *fleet, DWORD milliseconds)
{
    fleet->limit = milliseconds;
}

void fleet_set_stack(struct fleet *fleet, SIZE_T bytes)
{
    fleet->stack = bytes;
}

void fleet_set_seed(struct fleet *fleet, unsigned seed)
{
    for (int i = 0; i < fleet->scheduler_count; i++)
        fleet->schedulers[i].random = seed + (unsigned)i * 7919u;
}

static DWORD WINAPI scheduler_main(LPVOID param)
{
    struct scheduler *scheduler = param;

    fleet_scheduler = scheduler;
    scheduler->entered_ok = EXPECT_OK(ums_enter(scheduler->list, fleet_proc, scheduler));
    fleet_scheduler = NULL;
    return 0;
}

static void report_unfinished(struct fleet *fleet)
{
    int shown = 0;

    for (int i = 0; i < flag_get(&fleet->added) && shown < 10; i++) {
        struct worker *worker = &fleet->workers[i];
        BOOLEAN terminated = 0;

        if (worker->context) {
            QueryUmsThreadInformation(worker->context, UmsThreadIsTerminated, &terminated,
                                      sizeof terminated, NULL);
        }
        if (!terminated) {
            shown++;
            tc_note("  worker %d: arrivals %ld, executes %ld, yields %ld, blocked %ld",
                    worker->index, counted(&worker->arrivals), counted(&worker->executes),
                    counted(&worker->yields), counted(&worker->blocked));
        }
    }
}

static void check_run(struct fleet *fleet)
{
    const struct fleet_totals *totals = &fleet->totals;
    int reported = 0;

    if (flag_get(&fleet->expired)) {
        FAIL("time out: %ld of %ld workers ended (arrivals %ld, executes %ld, yields %ld, "
             "blocked %ld)",
             totals->ended, totals->added, totals->arrivals, totals->executes, totals->yields,
             totals->blocked);
        report_unfinished(fleet);
        return;
    }
    EXPECT_EQ(totals->ended, totals->added);
    EXPECT_EQ(totals->startups, fleet->scheduler_count);
    for (int i = 0; i < flag_get(&fleet->added) && reported < 5; i++) {
        struct worker *worker = &fleet->workers[i];

        if (worker->arrivals != worker->blocked + 1) { /* BL-5, CT-2, SP-10 */
            reported++;
            FAIL("BL-5: worker %d: %ld arrivals for %ld Blocked (want one more)", worker->index,
                 worker->arrivals, worker->blocked);
        }
        if (worker->executes != worker->arrivals - 1 + worker->yields) { /* YD-8 */
            reported++;
            FAIL("YD-8: worker %d: %ld executes for %ld arrivals and %ld yields", worker->index,
                 worker->executes, worker->arrivals, worker->yields);
        }
        if (worker->thread && WaitForSingleObject(worker->thread, 5000) != WAIT_OBJECT_0) {
            reported++;
            FAIL("CT-10: the thread handle of worker %d is not signalled", worker->index);
        }
    }
}

bool fleet_run(struct fleet *fleet)
{
    fleet->deadline = GetTickCount64() + fleet->limit;
    for (int i = 1; i < fleet->scheduler_count; i++) {
        struct scheduler *scheduler = &fleet->schedulers[i];

        scheduler->thread = CreateThread(NULL, 0, scheduler_main, scheduler, 0, NULL);
        if (!scheduler->thread) {
            FAIL("no thread for a scheduler: last error %u", (unsigned)GetLastError());
            flag_set(&fleet->expired, 1);
        }
    }
    scheduler_main(&fleet->schedulers[0]);
    for (int i = 1; i < fleet->scheduler_count; i++) {
        struct scheduler *scheduler = &fleet->schedulers[i];

        if (!scheduler->thread)
            continue;
        if (WaitForSingleObject(scheduler->thread, 5000) != WAIT_OBJECT_0) {
            FAIL("scheduler %d did not come back", i);
            flag_set(&fleet->expired, 1);
        }
        CloseHandle(scheduler->thread);
    }
    check_run(fleet);
    return !flag_get(&fleet->expired) && flag_get(&fleet->dropped) == 0;
}

struct worker *fleet_worker(struct fleet *fleet, int index)
{
    return &fleet->workers[index];
}

struct fleet_totals fleet_counts(const struct fleet *fleet)
{
    return fleet->totals;
}

const struct activation *fleet_log(const struct fleet *fleet, int scheduler, int *length)
{
    *length = fleet->schedulers[scheduler].log_count;
    return fleet->schedulers[scheduler].log;
}

void fleet_destroy(struct fleet *fleet)
{
    if (flag_get(&fleet->expired) || flag_get(&fleet->dropped))
        return; /* threads may still use the fleet; the process ends soon */
    for (int i = 0; i < flag_get(&fleet->added); i++) {
        struct worker *worker = &fleet->workers[i];

        if (worker->context)
            EXPECT_OK(DeleteUmsThreadContext(worker->context));
        if (worker->thread)
            EXPECT_OK(CloseHandle(worker->thread));
    }
    for (int i = 0; i < fleet->scheduler_count; i++) {
        struct scheduler *scheduler = &fleet->schedulers[i];

        if (i == 0 || (fleet->flags & FLEET_OWN_LISTS))
            EXPECT_OK(DeleteUmsCompletionList(scheduler->list));
        free(scheduler->own_ready.slots);
    }
    free(fleet->shared_ready.slots);
    free(fleet->workers);
    free(fleet);
}

bool fleet_run_crews(int schedulers, unsigned flags, const struct crew *crews, int count)
{
    struct fleet *fleet;
    int workers = CREW_MORE;

    for (int i = 0; i < count; i++)
        workers += crews[i].count;
    fleet = fleet_create(schedulers, workers, flags);
    if (!fleet)
        return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < crews[i].count; k++)
            if (!fleet_add(fleet, crews[i].body, crews[i].arg))
                return false;
    if (!fleet_run(fleet))
        return false;
    fleet_destroy(fleet);
    return true;
}

void fleet_run_beside(struct fleet *fleet, int threads, LPTHREAD_START_ROUTINE routine, void *arg)
{
    HANDLE started[MAXIMUM_WAIT_OBJECTS];

    for (int i = 0; i < threads; i++)
        started[i] = CreateThread(NULL, 0, routine, arg, 0, NULL);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(WaitForMultipleObjects((DWORD)threads, started, TRUE, 10000), WAIT_OBJECT_0);
    for (int i = 0; i < threads; i++)
        EXPECT_OK(CloseHandle(started[i]));
    fleet_destroy(fleet);
}
