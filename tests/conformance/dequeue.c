/* SPDX-License-Identifier: MIT
 *
 * dequeue.c - section 4: DequeueUmsCompletionListItems.
 */
#include "host.h"
#include "rig.h"
#include "stopwatch.h"

#include <string.h>

#define PAGE "W:dequeueumscompletionlistitems"

enum { CROWD = 6 };

static void end_crowd(PUMS_COMPLETION_LIST list, struct worker *workers, PUMS_CONTEXT *held,
                      int count)
{
    REQUIRE(drive(list, held, count, count));
    drop_workers(list, workers, count);
}

CLAUSE(DQ, 1, DOC, PAGE, "All that is there comes in one chain, and the list is empty then")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker workers[CROWD];
    PUMS_CONTEXT held[CROWD], context = NULL;
    int count = 0;

    REQUIRE(make_ended(list, workers, CROWD));
    dequeued(list, 0, &context);
    for (; context && count < CROWD; context = GetNextUmsListItem(context))
        held[count++] = context;
    EXPECT_EQ(context, NULL);
    ASSERT_EQ(count, CROWD);
    for (int i = 0; i < CROWD; i++) {
        int found = 0;

        for (int j = 0; j < CROWD; j++)
            found += held[j] == workers[i].context;
        EXPECT_EQ(found, 1);
    }
    EXPECT(is_empty(list, 0));
    drop_workers(list, workers, CROWD);
}

/* Rule 5: the page's reading, 0 and the same last error, passes as well; it must be where UMSSHIM_STRICT=1 asks for
 * the page's rules. */
static void times_out(PUMS_COMPLETION_LIST list, DWORD milliseconds)
{
    PUMS_CONTEXT context = &list;
    BOOL result;

    SetLastError(SENTINEL);
    result = DequeueUmsCompletionListItems(list, milliseconds, &context);
    if (!result && !kit_strict() && host_is_oracle())
        kit_note("fails, as the page says");
    else
        EXPECT_EQ(result != 0, expected_rule() != CREATION);
    EXPECT_EQ(GetLastError(), ERROR_TIMEOUT);
    EXPECT_EQ(context, NULL);
}

CLAUSE(DQ, 2, UNS, PAGE, "Nothing there, time-out 0: nonzero at once, NULL, last error 1460")
{
    PUMS_COMPLETION_LIST list = make_list();
    ULONGLONG started = stopwatch();

    times_out(list, 0);
    EXPECT_LE(stopwatch() - started, 1000);
    drop_list(list);
}

CLAUSE(DQ, 3, UNS, PAGE, "A time-out that runs out: as with 0")
{
    PUMS_COMPLETION_LIST list = make_list();

    times_out(list, 30);
    drop_list(list);
}

struct late {
    PUMS_COMPLETION_LIST list;
    HANDLE go;
    struct worker worker;
};

static DWORD WINAPI make_late(LPVOID param)
{
    struct late *late = param;

    EXPECT_EQ(WaitForSingleObject(late->go, patience_ms()), WAIT_OBJECT_0);
    make_worker(&late->worker, late->list, routine_return, NULL, 0);
    return 0;
}

/* The arrival comes while the dequeue waits, or just before: both must end it. */
static void wait_for_arrival(DWORD timeout)
{
    struct late late = {.list = make_list(), .go = make_event(false)};
    HANDLE thread = CreateThread(NULL, 0, make_late, &late, 0, NULL);
    ULONGLONG started = stopwatch();
    PUMS_CONTEXT context = NULL;

    ASSERT_OK(thread != NULL);
    EXPECT_OK(SetEvent(late.go));
    dequeued(late.list, timeout, &context);
    EXPECT_LE(stopwatch() - started, 2000);
    EXPECT_EQ(WaitForSingleObject(thread, patience_ms()), WAIT_OBJECT_0);
    EXPECT_EQ(context, late.worker.context);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(late.go));
    end_crowd(late.list, &late.worker, &context, 1);
}

CLAUSE(DQ, 4, DOC, PAGE, "INFINITE: comes back with the first arrival")
{
    wait_for_arrival(INFINITE);
}

CLAUSE(DQ, 5, DOC, PAGE, "The time-out is in milliseconds; an arrival ends it at once")
{
    PUMS_COMPLETION_LIST list = make_list();
    ULONGLONG started = stopwatch();

    EXPECT(is_empty(list, 80));
    EXPECT_GE(stopwatch() - started, 80 - TICK_MS);
    EXPECT_LE(stopwatch() - started, patience_ms());
    drop_list(list);
    wait_for_arrival(60000);
}

static atomic_int called;

static VOID CALLBACK count_call(ULONG_PTR param)
{
    (void)param;
    atomic_fetch_add(&called, 1);
}

CLAUSE(DQ, 6, OBS, PAGE, "The wait is not alertable, and a spurious wake does not end it")
{
    PUMS_COMPLETION_LIST list = make_list();
    ULONGLONG started;

    atomic_store(&called, 0);
    EXPECT_OK(QueueUserAPC(count_call, GetCurrentThread(), 0));
    started = stopwatch();
    EXPECT(is_empty(list, 60));
    EXPECT_GE(stopwatch() - started, 60 - TICK_MS);
    EXPECT_EQ(atomic_load(&called), 0);
    EXPECT_EQ(SleepEx(0, TRUE), WAIT_IO_COMPLETION);
    EXPECT_EQ(atomic_load(&called), 1);
    drop_list(list);
}

CLAUSE(DQ, 7, OBS, PAGE, "The result is NULL as soon as the arguments pass")
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = &list;

    DequeueUmsCompletionListItems(list, 0, &context);
    EXPECT_EQ(context, NULL);
    context = &list;
    DequeueUmsCompletionListItems(list, 1, &context);
    EXPECT_EQ(context, NULL);
    drop_list(list);
}

CLAUSE(DQ, 8, OBS, PAGE, "No list, or nowhere to store the chain: 0 and 87")
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = NULL;

    EXPECT_FAILS(DequeueUmsCompletionListItems(NULL, 0, &context), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(list, 0, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(NULL, INFINITE, NULL), ERROR_INVALID_PARAMETER);
    drop_list(list);
}

CLAUSE(DQ, 9, OBS, PAGE, "The newest arrival is the first of the chain")
{
    PUMS_COMPLETION_LIST list = make_list();
    struct worker workers[CROWD];
    PUMS_CONTEXT held[CROWD];
    int in_order = 0;

    REQUIRE(make_ended(list, workers, CROWD));
    REQUIRE(arrivals(list, held, CROWD));
    for (int i = 0; i < CROWD; i++)
        in_order += held[i] == workers[CROWD - 1 - i].context;
    EXPECT_EQ(in_order, CROWD);
    drop_workers(list, workers, CROWD);
}

/* ---- DQ-10 ---- */

enum { RACERS = 4, RACED = 48 };

static struct {
    PUMS_COMPLETION_LIST list;
    atomic_int taken;
    struct worker workers[RACED];
    PUMS_CONTEXT seen[RACED * 2];
} race;

static DWORD WINAPI consume(LPVOID param)
{
    ULONGLONG deadline = GetTickCount64() + patience_ms();

    (void)param;
    while (atomic_load(&race.taken) < RACED && GetTickCount64() < deadline) {
        PUMS_CONTEXT context = NULL;

        dequeued(race.list, 1, &context);
        for (; context; context = GetNextUmsListItem(context)) {
            int place = atomic_fetch_add(&race.taken, 1);

            if (place < RACED * 2)
                race.seen[place] = context;
        }
    }
    return 0;
}

CLAUSE(DQ, 10, DOC, PAGE, "Of racing consumers exactly one gets each context")
{
    HANDLE threads[RACERS];

    race.list = make_list();
    atomic_store(&race.taken, 0);
    memset(race.seen, 0, sizeof race.seen);
    for (int i = 0; i < RACERS; i++)
        threads[i] = CreateThread(NULL, 0, consume, NULL, 0, NULL);
    for (int i = 0; i < RACED; i++)
        REQUIRE(make_worker(&race.workers[i], race.list, routine_return, NULL, 0));
    for (int i = 0; i < RACERS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], 2 * patience_ms()), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    ASSERT_EQ(atomic_load(&race.taken), RACED);
    for (int i = 0; i < RACED; i++) {
        int found = 0;

        for (int j = 0; j < RACED; j++)
            found += race.seen[j] == race.workers[i].context;
        EXPECT_EQ(found, 1);
    }
    end_crowd(race.list, race.workers, race.seen, RACED);
}

/* ---- DQ-11, DQ-12 ---- */

static PUMS_COMPLETION_LIST watched;

static void nothing_came(struct stage *stage, const struct entry *entry)
{
    (void)stage;
    if (entry->reason == UmsSchedulerThreadYield)
        EXPECT(is_empty(watched, 1));
}

static DWORD WINAPI yield_five_times(LPVOID param)
{
    for (int i = 0; i < 5; i++)
        EXPECT_OK(UmsThreadYield(param));
    return 0;
}

CLAUSE(DQ, 11, DOC, "W:umsthreadyield", "A dequeued context stays off every list until it blocks")
{
    static struct stage stage;
    struct worker worker;
    PUMS_CONTEXT held;

    watched = make_list();
    REQUIRE(make_worker(&worker, watched, yield_five_times, NULL, 0));
    held = arrival(watched);
    stage = (struct stage){.list = watched, .ends = 1, .hook = nothing_came};
    stage_ready(&stage, held);
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.yields, 5);
    EXPECT_EQ(stage.arrived, stage.blocked);
    drop_worker(&worker);
    drop_list(watched);
}

struct inner {
    PUMS_COMPLETION_LIST list;
    PUMS_CONTEXT seen;
    struct worker worker;
};

static DWORD WINAPI dequeue_inside(LPVOID param)
{
    struct inner *inner = param;

    dequeued(inner->list, patience_ms(), &inner->seen);
    return 0;
}

static void feed(struct stage *stage, const struct entry *entry)
{
    struct inner *inner = stage->argument;

    if (entry->reason == UmsSchedulerThreadBlocked && !inner->worker.context) {
        EXPECT_EQ(inner->seen, NULL);
        make_worker(&inner->worker, inner->list, routine_return, NULL, 0);
    }
}

CLAUSE(DQ, 12, OBS, PAGE, "Plain threads may dequeue; for a worker a waiting dequeue is a block")
{
    struct inner inner = {.list = make_list()};
    static struct stage stage;
    struct worker worker;

    EXPECT(is_empty(inner.list, 0)); /* this is a plain thread */
    stage = (struct stage){.hook = feed, .argument = &inner};
    REQUIRE(stage_solo(&stage, &worker, dequeue_inside, &inner));
    EXPECT_NE(inner.seen, NULL);
    EXPECT_EQ(inner.seen, inner.worker.context);
    EXPECT_GE(stage.blocked, 2);
    drop_worker(&worker);
    drop_list(stage.list);
    end_crowd(inner.list, &inner.worker, &inner.seen, 1);
}

UNTESTED(DQ, 13, DOC, PAGE, "The chain must be drained before any of its members is executed",
         "a duty of the program; what happens otherwise is not predictable by contract")
UNTESTED(DQ, 14, DOC, PAGE, "No blocking calls between the dequeue and the ready queue",
         "a duty of the program")
