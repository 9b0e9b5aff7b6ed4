/* SPDX-License-Identifier: MIT
 *
 * loose.c - the scheduler for workers that are stopped from outside. In the entry point: no heap, no
 * streams, no lock that a worker could own.
 */
#include "loose.h"
#include "fleet.h"
#include "gtest_c.h"

enum { LIMIT_MS = 8000, STILL_MS = 5 };

static __thread struct loose *loose;

static struct loose_worker *worker_of(PUMS_CONTEXT context)
{
    PVOID user = NULL;

    EXPECT_OK(QueryUmsThreadInformation(context, UmsThreadUserContext, &user, sizeof user, NULL));
    return user;
}

static void drain(struct loose *self, DWORD milliseconds)
{
    PUMS_CONTEXT context = NULL;

    EXPECT_OK(bare_dequeue(self->list, milliseconds, &context));
    while (context) {
        struct loose_worker *worker = worker_of(context);

        context = GetNextUmsListItem(context);
        flag_add(&worker->arrivals,
                 1); /* before `ended`: the testing thread waits for that and reads both */
        if (is_terminated(worker->bare.context))
            flag_add(&worker->ended, 1);
        else if (self->ready_count < LOOSE_WORKERS)
            self->ready[self->ready_count++] = worker;
        else
            FAIL("a worker arrived that is ready already");
    }
}

/* Returns only if the worker cannot be executed. */
static void execute(struct loose *self, struct loose_worker *worker)
{
    self->current = worker;
    flag_set(&self->inside, 0);
    flag_add(&worker->executes, 1);
    bare_execute(worker->bare.context);
    flag_add(&worker->executes, -1);
    flag_set(&self->inside, 1);
    self->current = NULL;
    flag_add(&worker->refusals, 1);
    if (is_terminated(worker->bare.context))
        flag_add(&worker->dropped, 1);
    else
        self->ready[self->ready_count++] = worker;
}

static void account(struct loose *self, UMS_SCHEDULER_REASON reason, ULONG_PTR payload)
{
    struct loose_worker *worker = self->current;

    flag_set(&self->inside, 1);
    flag_add(&self->activations, 1);
    self->current = NULL;
    if (reason == UmsSchedulerStartup)
        return;
    if (!worker) {
        FAIL("activation with reason %d, and nobody was executed", (int)reason);
    } else if (reason == UmsSchedulerThreadYield) {
        EXPECT_EQ(payload, worker->bare.context);
        self->ready[self->ready_count++] = worker;
        flag_add(&worker->yields, 1);
    } else {
        flag_add(payload & 1 ? &worker->blocked : &worker->traps, 1);
    }
}

static VOID NTAPI loose_proc(UMS_SCHEDULER_REASON reason, ULONG_PTR payload, PVOID param)
{
    struct loose *self = loose;

    account(self, reason, payload);
    while (!flag_get(&self->quit)) {
        drain(self, self->ready_count ? 0 : 2);
        flag_set(&self->held, flag_get(&self->hold));
        for (int turns = self->ready_count; turns > 0 && !flag_get(&self->hold); turns--) {
            struct loose_worker *worker = self->ready[0];

            self->ready_count--;
            for (int i = 0; i < self->ready_count; i++)
                self->ready[i] = self->ready[i + 1];
            execute(self, worker);
        }
        if (self->ready_count)
            SwitchToThread();
    }
}

static DWORD WINAPI loose_main(LPVOID param)
{
    loose = param;
    EXPECT_OK(ums_enter(loose->list, loose_proc, NULL));
    return 0;
}

bool loose_start(struct loose *self, PUMS_COMPLETION_LIST list)
{
    self->list = list;
    self->quit = self->count = self->ready_count = 0; /* from a former run */
    if (!list && !EXPECT_OK(CreateUmsCompletionList(&self->list)))
        return false;
    self->thread = CreateThread(NULL, 0, loose_main, self, 0, &self->id);
    return EXPECT_OK(self->thread != NULL);
}

static DWORD WINAPI worker_main(LPVOID param)
{
    struct loose_worker *worker = param;

    return worker->routine(worker->arg);
}

struct loose_worker *loose_add(struct loose *self, LPTHREAD_START_ROUTINE routine, void *arg,
                               DWORD flags)
{
    struct loose_worker *worker = &self->workers[self->count];

    if (self->count == LOOSE_WORKERS) {
        FAIL("more than %d workers", LOOSE_WORKERS);
        return NULL;
    }
    *worker = (struct loose_worker){.routine = routine, .arg = arg};
    worker->bare.thread = ums_worker(self->list, &worker->bare.context, worker, UMS_STACK,
                                     worker_main, worker, flags, &worker->bare.id);
    if (!EXPECT_OK(worker->bare.thread != NULL))
        return NULL;
    self->count++;
    return worker;
}

static bool worker_is_done(struct loose_worker *worker, int index)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;
    int ends;

    if (WaitForSingleObject(worker->bare.thread, LIMIT_MS) != WAIT_OBJECT_0) {
        return FAIL("worker %d (id %u) did not end: arrivals %d, executes %d, refusals %d, "
                    "blocked %d, traps %d, yields %d",
                    index, (unsigned)worker->bare.id, worker->arrivals, worker->executes,
                    worker->refusals, worker->blocked, worker->traps, worker->yields);
    }
    do {
        ends = flag_get(&worker->ended) + flag_get(&worker->dropped) + worker->unborn;
        if (!ends)
            Sleep(1);
    } while (!ends && GetTickCount64() < deadline);
    return EXPECT_EQ(ends, 1);
}

bool loose_finish(struct loose *self)
{
    bool good = true;

    flag_set(&self->hold, 0);
    for (int i = 0; i < self->count; i++)
        good = worker_is_done(&self->workers[i], i) && good;
    flag_set(&self->quit, 1);
    if (WaitForSingleObject(self->thread, LIMIT_MS) != WAIT_OBJECT_0) {
        return FAIL("the scheduler (id %u) did not leave: %d activations", (unsigned)self->id,
                    flag_get(&self->activations));
    }
    for (int i = 0; good && i < self->count; i++) {
        struct loose_worker *worker = &self->workers[i];

        EXPECT_EQ(worker->ended + worker->dropped + worker->unborn, 1);
        bare_delete(&self->workers[i].bare);
    }
    EXPECT_OK(CloseHandle(self->thread));
    return good;
}

bool loose_reaches(const int *value, int wanted)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;

    while (flag_get(value) < wanted) {
        if (GetTickCount64() > deadline)
            return false;
        SwitchToThread();
    }
    return true;
}

bool loose_hold(struct loose *self)
{
    flag_set(&self->held, 0);
    flag_set(&self->hold, 1);
    return loose_reaches(&self->held, 1) || FAIL("the scheduler does not see `hold`");
}

bool loose_suspended(const struct loose_worker *worker)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;

    while (!is_suspended(worker->bare.context)) {
        if (GetTickCount64() > deadline)
            return FAIL("worker %u does not read suspended", (unsigned)worker->bare.id);
        SwitchToThread();
    }
    return true;
}

bool loose_stands_still(const int *counter)
{
    ULONGLONG deadline = GetTickCount64() + LIMIT_MS;

    for (;;) {
        int before = flag_get(counter);

        Sleep(STILL_MS);
        if (flag_get(counter) == before)
            return true;
        if (GetTickCount64() > deadline)
            return FAIL("a suspended thread runs on");
    }
}
