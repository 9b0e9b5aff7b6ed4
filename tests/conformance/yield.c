/* SPDX-License-Identifier: MIT
 *
 * yield.c - sections 10 and 11: UmsThreadYield, GetCurrentUmsThread.
 */
#include "rig.h"

#define PAGE "W:umsthreadyield"
#define CURRENT_PAGE "W:getcurrentumsthread"

static struct stage stage;
static struct worker worker;

static bool solo(LPTHREAD_START_ROUTINE routine, void *argument,
                 void (*hook)(struct stage *, const struct entry *))
{
    stage = (struct stage){.hook = hook};
    return stage_solo(&stage, &worker, routine, argument);
}

static void done(void)
{
    drop_worker(&worker);
    drop_list(stage.list);
}

static DWORD WINAPI yield_values(LPVOID param)
{
    EXPECT_OK(UmsThreadYield(NULL));
    EXPECT_OK(UmsThreadYield(&param));
    EXPECT_OK(UmsThreadYield((PVOID) ~(ULONG_PTR)0));
    EXPECT_OK(UmsThreadYield((PVOID)1));
    return 0;
}

CLAUSE(YD, 1, DOC, PAGE, "The scheduler gets Yield, the worker's context and any parameter")
{
    REQUIRE(solo(yield_values, NULL, NULL));
    ASSERT_EQ(stage.yields, 4);
    for (int i = 1; i <= 4; i++) {
        EXPECT_EQ(stage.log[i].reason, UmsSchedulerThreadYield);
        EXPECT_EQ(stage.log[i].payload, worker.context);
    }
    EXPECT_EQ(stage.log[1].param, NULL);
    EXPECT_NE(stage.log[2].param, NULL);
    EXPECT_EQ(stage.log[3].param, ~(ULONG_PTR)0);
    EXPECT_EQ(stage.log[4].param, 1);
    done();
}

CLAUSE(YD, 2, DOC, PAGE, "It returns nonzero once the worker is executed again")
{
    REQUIRE(solo(yield_values, NULL, NULL));
    done();
}

static HANDLE list_event;

static void nothing_queued(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadYield) {
        EXPECT(is_empty(inside->list, 0));
        EXPECT_EQ(WaitForSingleObject(list_event, 2), WAIT_TIMEOUT);
    } else if (entry->reason == UmsSchedulerStartup) {
        stage_take(inside, inside->list, patience_ms());
        WaitForSingleObject(list_event, 1000);
    }
}

CLAUSE(YD, 3, DOC, PAGE, "A yield queues nothing and signals nothing")
{
    stage = (struct stage){.hook = nothing_queued, .list = make_list(), .ends = 1};
    EXPECT_OK(GetUmsCompletionListEvent(stage.list, &list_event));
    REQUIRE(make_worker(&worker, stage.list, yield_values, NULL, 0));
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.yields, 4);
    EXPECT_OK(CloseHandle(list_event));
    done();
}

static void yield_as_scheduler(struct stage *inside, const struct entry *entry)
{
    (void)inside;
    (void)entry;
    EXPECT_FAILS(UmsThreadYield(NULL), ERROR_INVALID_PARAMETER);
}

CLAUSE(YD, 4, OBS, PAGE, "On a scheduler's thread: 0 and 87")
{
    REQUIRE(solo(routine_yield, NULL, yield_as_scheduler));
    EXPECT_EQ(stage.entries, 3);
    done();
}

CLAUSE_FAULTS(YD, 5, UNS, PAGE, "On a plain thread: 0 and 87")
{
    EXPECT_FAILS(UmsThreadYield(NULL), ERROR_INVALID_PARAMETER);
}

static void execute_at_once(struct stage *inside, const struct entry *entry)
{
    if (entry->reason == UmsSchedulerThreadYield) {
        inside->ready_count--; /* it was put there */
        inside->executed = (PUMS_CONTEXT)entry->payload;
        inside->alive--;
        EXPECT_EQ(execute((PUMS_CONTEXT)entry->payload), ERROR_SUCCESS);
        inside->alive++;
    }
}

CLAUSE(YD, 6, OBS, PAGE, "What has just yielded can be executed at once")
{
    REQUIRE(solo(yield_values, NULL, execute_at_once));
    EXPECT_EQ(stage.yields, 4);
    done();
}

/* Each yield comes right after a system call that did not wait. */
static DWORD WINAPI yield_after_calls(LPVOID event)
{
    for (int i = 0; i < 50; i++) {
        EXPECT_OK(SetEvent(event));
        EXPECT_EQ(WaitForSingleObject(event, 0), WAIT_OBJECT_0);
        EXPECT_OK(UmsThreadYield(event));
    }
    return 0;
}

CLAUSE(YD, 7, OBS, PAGE, "A yield right after a system call looks like any other")
{
    HANDLE event = make_event(false);

    REQUIRE(solo(yield_after_calls, event, NULL));
    EXPECT_EQ(stage.yields, 50);
    for (int i = 0; i < stage.entries && i < MAX_ENTRIES; i++) {
        if (stage.log[i].reason == UmsSchedulerThreadYield) {
            EXPECT_EQ(stage.log[i].payload, worker.context);
            EXPECT_EQ(stage.log[i].param, event);
        }
    }
    done();
    EXPECT_OK(CloseHandle(event));
}

enum { MANY = 500000, AT_LEAST_THIS_MANY = 5000, LONG_ENOUGH_MS = 4000 };
static int counts[2];

static DWORD WINAPI yield_long(LPVOID param)
{
    ULONGLONG end = GetTickCount64() + LONG_ENOUGH_MS;
    int *count = param;

    while (*count < MANY && (*count < AT_LEAST_THIS_MANY || GetTickCount64() < end)) {
        ++*count;
        UmsThreadYield(NULL);
    }
    return 0;
}

CLAUSE(YD, 8, OBS, PAGE, "A million yields of two workers: none lost, none twice, no stack grows")
{
    struct worker second;

    counts[0] = counts[1] = 0;
    stage = (struct stage){.list = make_list(), .ends = 2, .in_turn = true};
    REQUIRE(make_worker(&worker, stage.list, yield_long, &counts[0], 0));
    REQUIRE(make_worker(&second, stage.list, yield_long, &counts[1], 0));
    REQUIRE(stage_run(&stage));
    EXPECT_EQ(stage.yields, counts[0] + counts[1]);
    EXPECT_GE(stage.yields, 2 * AT_LEAST_THIS_MANY);
    EXPECT_EQ(stage.log[MAX_ENTRIES - 1].frame, stage.log[1].frame);
    drop_worker(&second);
    done();
}

static DWORD WINAPI look_at_own(LPVOID param)
{
    PUMS_CONTEXT own = GetCurrentUmsThread();

    EXPECT_NE(own, NULL);
    UmsThreadYield(param);
    EXPECT_EQ(GetCurrentUmsThread(), own);
    Sleep(1);
    EXPECT_EQ(GetCurrentUmsThread(), own);
    *(PUMS_CONTEXT *)param = own;
    return 0;
}

CLAUSE(GC, 1, DOC, CURRENT_PAGE, "In a worker: the context it was made on")
{
    PUMS_CONTEXT own = NULL;

    REQUIRE(solo(look_at_own, &own, NULL));
    EXPECT_EQ(own, worker.context);
    done();
}

static void use_own_context(struct stage *inside, const struct entry *entry)
{
    PVOID value = entry->reason == UmsSchedulerStartup ? inside : NULL, back = NULL;

    EXPECT_NE(GetCurrentUmsThread(), NULL);
    if (value)
        EXPECT_OK(SetUmsThreadInformation(entry->self, UmsThreadUserContext, &value, sizeof value));
    EXPECT_OK(
        QueryUmsThreadInformation(entry->self, UmsThreadUserContext, &back, sizeof back, NULL));
    EXPECT_EQ(back, inside);
}

CLAUSE(GC, 2, DOC, CURRENT_PAGE, "In a scheduler: a context of its own, good for a user context")
{
    REQUIRE(solo(routine_yield, NULL, use_own_context));
    EXPECT_EQ(stage.entries, 3);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(stage.log[i].self, stage.log[0].self);
    done();
}

CLAUSE(GC, 3, DOC, CURRENT_PAGE, "Elsewhere: NULL and 50")
{
    EXPECT_FAILS(GetCurrentUmsThread() != NULL, ERROR_NOT_SUPPORTED);
}

UNTESTED(YD, 9, DOC, "U", "A switch makes no system call",
         "the kit counts none; natively linux/switch_in_user_mode does, and finds none")
