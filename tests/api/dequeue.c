/* SPDX-License-Identifier: MIT
 *
 * dequeue.c - DequeueUmsCompletionListItems (DQ-*).
 */
#include <windows.h>

#include "bare.h"
#include "fleet.h"
#include "gtest_c.h"
#include "stopwatch.h"

#include <stdlib.h>

enum { TICK_MS = 16 };

static PUMS_COMPLETION_LIST make_list(void)
{
    PUMS_COMPLETION_LIST list = NULL;

    EXPECT_OK(CreateUmsCompletionList(&list));
    return list;
}

TEST(Dequeue, everything_at_once_DQ_1)
{
    enum { WORKERS = 3 };
    PUMS_COMPLETION_LIST list = make_list();
    struct bare workers[WORKERS];
    PUMS_CONTEXT seen[WORKERS];
    PUMS_CONTEXT more = NULL;

    for (int i = 0; i < WORKERS; i++)
        ASSERT_OK(bare_create(&workers[i], list, routine_return, NULL, 0));
    ASSERT_OK(bare_arrivals(list, seen, WORKERS));
    for (int i = 0; i < WORKERS; i++) {
        int found = 0;

        for (int j = 0; j < WORKERS; j++)
            found += seen[j] == workers[i].context;
        EXPECT_EQ(found, 1);
    }
    EXPECT_OK(DequeueUmsCompletionListItems(list, 0, &more));
    EXPECT_EQ(more, NULL);
    ASSERT_OK(bare_drive(list, seen, WORKERS, WORKERS));
    for (int i = 0; i < WORKERS; i++)
        bare_delete(&workers[i]);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Dequeue, empty_list_timeout_zero_DQ_2)
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = &list;

    SetLastError(TC_SENTINEL);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 0, &context));
    EXPECT_EQ(GetLastError(), ERROR_TIMEOUT);
    EXPECT_EQ(context, NULL); /* DQ-7 */
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Dequeue, finite_timeout_DQ_3_DQ_5)
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = &list;
    ULONGLONG started = stopwatch();
    ULONGLONG took;

    SetLastError(TC_SENTINEL);
    EXPECT_OK(DequeueUmsCompletionListItems(list, 80, &context));
    EXPECT_EQ(GetLastError(), ERROR_TIMEOUT);
    took = stopwatch() - started;
    EXPECT_EQ(context, NULL);
    EXPECT_GE(took, 80 - TICK_MS);
    EXPECT_LT(took, 5000);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

struct creator {
    PUMS_COMPLETION_LIST list;
    HANDLE go;
    struct bare worker;
};

static DWORD WINAPI create_when_told(LPVOID param)
{
    struct creator *creator = param;

    EXPECT_EQ(WaitForSingleObject(creator->go, 5000), WAIT_OBJECT_0);
    bare_create(&creator->worker, creator->list, routine_return, NULL, 0);
    return 0;
}

static void blocking_dequeue(DWORD timeout)
{
    struct creator creator = {.list = make_list()};
    PUMS_CONTEXT context = NULL;
    HANDLE thread;
    ULONGLONG started = stopwatch();

    creator.go = CreateEventA(NULL, FALSE, FALSE, NULL);
    thread = CreateThread(NULL, 0, create_when_told, &creator, 0, NULL);
    ASSERT_NE(thread, NULL);
    EXPECT_OK(SetEvent(creator.go));
    EXPECT_OK(DequeueUmsCompletionListItems(creator.list, timeout, &context));
    EXPECT_LT(stopwatch() - started, 2000);
    EXPECT_EQ(WaitForSingleObject(thread, 5000), WAIT_OBJECT_0);
    EXPECT_EQ(context, creator.worker.context);
    ASSERT_OK(bare_drive(creator.list, &context, 1, 1));
    bare_delete(&creator.worker);
    EXPECT_OK(CloseHandle(thread));
    EXPECT_OK(CloseHandle(creator.go));
    EXPECT_OK(DeleteUmsCompletionList(creator.list));
}

TEST(Dequeue, infinite_returns_with_the_first_arrival_DQ_4)
{
    blocking_dequeue(INFINITE);
}

TEST(Dequeue, finite_returns_promptly_with_an_arrival_DQ_5)
{
    blocking_dequeue(10000);
}

TEST(Dequeue, null_arguments_DQ_8)
{
    PUMS_COMPLETION_LIST list = make_list();
    PUMS_CONTEXT context = NULL;

    EXPECT_FAILS(DequeueUmsCompletionListItems(NULL, 0, &context), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(list, 0, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(NULL, INFINITE, NULL), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsCompletionList(list));
}

TEST(Dequeue, what_is_no_list)
{
    char on_stack[256] = {0};
    char *on_heap = calloc(1, 256);
    PUMS_CONTEXT context = NULL;
    PUMS_CONTEXT out = NULL;

    ASSERT_OK(CreateUmsThreadContext(&context));
    EXPECT_FAILS(DequeueUmsCompletionListItems((void *)1, 0, &out), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(on_stack, 0, &out), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(on_heap, 0, &out), ERROR_INVALID_PARAMETER);
    EXPECT_FAILS(DequeueUmsCompletionListItems(context, 0, &out), ERROR_INVALID_PARAMETER);
    EXPECT_OK(DeleteUmsThreadContext(context));
    free(on_heap);
}

/* ---- DQ-10: racing consumers ---- */

enum { RACERS = 4, RACED = 64 };

struct race {
    PUMS_COMPLETION_LIST list;
    int taken;
    struct bare workers[RACED];
    PUMS_CONTEXT seen[RACED * 2];
};

static DWORD WINAPI consume(LPVOID param)
{
    struct race *race = param;
    ULONGLONG deadline = GetTickCount64() + 8000;

    while (flag_get(&race->taken) < RACED && GetTickCount64() < deadline) {
        PUMS_CONTEXT context = NULL;

        EXPECT_OK(DequeueUmsCompletionListItems(race->list, 1, &context));
        for (; context; context = GetNextUmsListItem(context)) {
            int slot = flag_add(&race->taken, 1) - 1;

            if (slot < RACED * 2)
                race->seen[slot] = context;
        }
    }
    return 0;
}

TEST(Dequeue, racing_consumers_DQ_10)
{
    static struct race race;
    HANDLE threads[RACERS];

    race.list = make_list();
    for (int i = 0; i < RACERS; i++)
        threads[i] = CreateThread(NULL, 0, consume, &race, 0, NULL);
    for (int i = 0; i < RACED; i++)
        ASSERT_OK(bare_create(&race.workers[i], race.list, routine_return, NULL, 0));
    for (int i = 0; i < RACERS; i++) {
        EXPECT_EQ(WaitForSingleObject(threads[i], 10000), WAIT_OBJECT_0);
        EXPECT_OK(CloseHandle(threads[i]));
    }
    ASSERT_EQ(race.taken, RACED);
    for (int i = 0; i < RACED; i++) {
        int found = 0;

        for (int j = 0; j < RACED; j++)
            found += race.seen[j] == race.workers[i].context;
        EXPECT_THAT(found == 1, "context %d was taken %d times", i, found);
    }
    ASSERT_OK(bare_drive(race.list, race.seen, RACED, RACED));
    for (int i = 0; i < RACED; i++)
        bare_delete(&race.workers[i]);
    EXPECT_OK(DeleteUmsCompletionList(race.list));
}

/* ---- DQ-12: a worker that waits in a dequeue is blocked like in any other wait ---- */

struct inner {
    PUMS_COMPLETION_LIST list;
    int waiting;
    struct bare worker;
    PUMS_CONTEXT seen;
};

static void dequeue_in_worker(struct worker *self)
{
    struct inner *inner = self->arg;

    flag_set(&inner->waiting, 1);
    EXPECT_OK(DequeueUmsCompletionListItems(inner->list, 5000, &inner->seen));
}

static void create_in_worker(struct worker *self)
{
    struct inner *inner = self->arg;

    EXPECT_EQ(flag_get(&inner->waiting), 1);
    EXPECT_EQ(inner->seen, NULL);
    bare_create(&inner->worker, inner->list, routine_return, NULL, 0);
}

TEST(Dequeue, a_worker_may_wait_in_it_DQ_12)
{
    struct inner inner = {.list = make_list()};
    struct fleet *fleet = fleet_create(1, 2, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, dequeue_in_worker, &inner);
    fleet_add(fleet, create_in_worker, &inner);
    ASSERT_OK(fleet_run(fleet));
    EXPECT_EQ(inner.seen, inner.worker.context);
    EXPECT_GE(fleet_worker(fleet, 0)->blocked, 2); /* the wait and the end */
    fleet_destroy(fleet);
    ASSERT_OK(bare_drive(inner.list, &inner.worker.context, 1, 1));
    bare_delete(&inner.worker);
    EXPECT_OK(DeleteUmsCompletionList(inner.list));
}

static void dequeue_timeout_in_worker(struct worker *self)
{
    PUMS_COMPLETION_LIST list = self->arg;
    PUMS_CONTEXT context = &list;
    ULONGLONG started = stopwatch();

    EXPECT_OK(DequeueUmsCompletionListItems(list, 50, &context));
    EXPECT_EQ(GetLastError(), ERROR_TIMEOUT);
    EXPECT_EQ(context, NULL);
    EXPECT_GE(stopwatch() - started, 50 - TICK_MS);
}

TEST(Dequeue, timeout_in_a_worker_DQ_12)
{
    PUMS_COMPLETION_LIST list = make_list();
    struct fleet *fleet = fleet_create(1, 1, 0);

    ASSERT_NE(fleet, NULL);
    fleet_add(fleet, dequeue_timeout_in_worker, list);
    ASSERT_OK(fleet_run(fleet));
    fleet_destroy(fleet);
    EXPECT_OK(DeleteUmsCompletionList(list));
}
